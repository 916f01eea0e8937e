// The bytes of a bound job.
//
//   BoundHeader
//   int64 submitted          if the policy looks at the time
//   of a policy with a table:
//     int32 amounts          one for each term that is not of the wait
//   of any other:
//     double scaled[], uint64 bits[], uint32 classes[]
// padded to 8 bytes. Classes and bits that are all zero mean: every attribute absent.
#ifndef PRECEDENT_INTERNAL_BOUND_JOB_H_
#define PRECEDENT_INTERNAL_BOUND_JOB_H_

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "precedent/internal/image.h"

namespace precedent {
namespace internal {
inline namespace PRECEDENT_ABI {

struct BoundHeader {
  // Bits of Attribute whose claims were ignored, and these two.
  static constexpr std::uint32_t kPreemptible = 1u << 30;
  static constexpr std::uint32_t kInvalid = 1u << 31;
  struct Words {
    std::uint16_t hot;        // one bit for each of Header::hot_columns, and kAlwaysHot
    std::uint16_t signature;  // bits of the job's literals: SignatureBit
  };
  std::uint32_t flags;
  union {
    std::uint32_t cell;  // with a table
    Words words;
  };
};
inline constexpr std::int64_t kAbsentTime = INT64_MIN;

inline std::uint32_t SignatureBit(std::uint32_t column, std::uint32_t klass) noexcept {
  return 1u << ((column * 0x9e3779b9u + klass * 0x85ebca6bu) >> 28);
}

inline bool HasTable(const Header& h) noexcept { return h.cells.count != 0; }

// Offsets within a bound job of one policy.
struct BoundShape {
  explicit BoundShape(const Header& h) noexcept
      : scaled(sizeof(BoundHeader) + (h.time_dependent != 0 ? 8 : 0)),
        bits(scaled + std::size_t{8} * h.scaled_slot_count),
        classes(bits + std::size_t{8} * h.bit_word_count) {}
  std::size_t scaled;  // or amounts
  std::size_t bits;
  std::size_t classes;
};

inline std::size_t BoundSize(const Header& h) noexcept {
  const BoundShape shape(h);
  const std::size_t size = HasTable(h) ? shape.scaled + std::size_t{4} * h.wait_term_begin
                                       : shape.classes + std::size_t{4} * h.column_count;
  return (size + 7) / 8 * 8;
}

// A view of a bound job.
template <typename Byte>
struct BoundParts {
  template <typename T>
  using Like = std::conditional_t<std::is_const_v<Byte>, const T, T>;

  BoundParts(const Header& h, Byte* data) noexcept : BoundParts(BoundShape(h), data) {}
  BoundParts(const BoundShape& shape, Byte* data) noexcept
      : header(reinterpret_cast<Like<BoundHeader>*>(data)),
        time(reinterpret_cast<Like<std::int64_t>*>(data + sizeof(BoundHeader))),
        amounts(reinterpret_cast<Like<std::int32_t>*>(data + shape.scaled)),
        scaled(reinterpret_cast<Like<double>*>(data + shape.scaled)),
        bits(reinterpret_cast<Like<std::uint64_t>*>(data + shape.bits)),
        classes(reinterpret_cast<Like<std::uint32_t>*>(data + shape.classes)) {}

  std::int64_t submitted(const Header& h) const noexcept {
    return h.time_dependent != 0 ? *time : kAbsentTime;
  }

  Like<BoundHeader>* header;
  Like<std::int64_t>* time;
  Like<std::int32_t>* amounts;
  Like<double>* scaled;
  Like<std::uint64_t>* bits;
  Like<std::uint32_t>* classes;
};

// Greatest parts of a policy with a table, before they become a cell.
inline constexpr std::uint32_t kMaxTableColumns = 16;

}  // namespace PRECEDENT_ABI
}  // namespace internal
}  // namespace precedent

#endif  // PRECEDENT_INTERNAL_BOUND_JOB_H_
