// Bounds of what an image refers to.
#ifndef PRECEDENT_INTERNAL_RANGE_CHECK_H_
#define PRECEDENT_INTERNAL_RANGE_CHECK_H_

#include <cstddef>
#include <cstdint>

#include "precedent/internal/image.h"

namespace precedent {
namespace internal {
inline namespace PRECEDENT_ABI {

class RangeCheck {
 public:
  explicit RangeCheck(Image image) noexcept : image_(image), h_(image.header()) {}

 protected:
  template <typename T>
  bool Fits(const Section<T>& s) const noexcept {
    return s.offset % alignof(T) == 0 && s.offset >= sizeof(Header) &&
           std::uint64_t{s.offset} + std::uint64_t{s.count} * sizeof(T) <= h_.size;
  }
  bool Fits(const Text& text) const noexcept {
    return std::uint64_t{text.offset} + text.size <= h_.size;
  }
  // [begin, begin + count) lies in a section.
  template <typename T>
  static bool In(const Section<T>& s, std::uint64_t begin, std::uint64_t count) noexcept {
    return begin + count <= s.count;
  }
  template <typename T>
  static bool OptionalIn(const Section<T>& s, std::uint32_t i) noexcept {
    return i == kNone || i < s.count;
  }
  // Every element of a section satisfies `check`.
  template <typename T, typename Check>
  bool All(const Section<T>& s, Check check) const noexcept {
    const T* rows = image_.begin(s);
    for (std::uint32_t i = 0; i < s.count; ++i)
      if (!check(rows[i])) return false;
    return true;
  }
  // REQUIRES: column < column_count.
  std::uint32_t ClassesOf(std::uint32_t column) const noexcept {
    return image_.at(h_.column_classes, column);
  }
  // Whether a column has at least `classes` classes.
  bool IsColumn(std::uint32_t column, std::uint64_t classes = 1) const noexcept {
    return column < h_.column_count && classes <= ClassesOf(column);
  }

  // Parents come before their extensions, so that every chain of them ends.
  bool Affixes(std::uint32_t begin, std::uint32_t count) const noexcept {
    if (!In(h_.affixes, begin, count)) return false;
    for (std::uint32_t i = 0; i < count; ++i) {
      const Affix& affix = image_.at(h_.affixes, begin + i);
      if (!Fits(affix.text) || affix.parent < 1 || affix.parent >= i + 2) return false;
    }
    return true;
  }

  const Image image_;
  const Header& h_;
};

}  // namespace PRECEDENT_ABI
}  // namespace internal
}  // namespace precedent

#endif  // PRECEDENT_INTERNAL_RANGE_CHECK_H_
