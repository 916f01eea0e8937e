// What every part of an image is made of.
#ifndef PRECEDENT_INTERNAL_LAYOUT_BASIC_H_
#define PRECEDENT_INTERNAL_LAYOUT_BASIC_H_

#include <cstdint>

#include "precedent/internal/abi.h"

namespace precedent {
namespace internal {
inline namespace PRECEDENT_ABI {

// "No such index."
inline constexpr std::uint32_t kNone = 0xffffffffu;

template <typename T>
struct Section {
  std::uint32_t offset = 0;  // bytes from the start of the block
  std::uint32_t count = 0;   // elements
};

struct Text {
  std::uint32_t offset = 0;  // bytes from the start of the block
  std::uint32_t size = 0;    // bytes
};

}  // namespace PRECEDENT_ABI
}  // namespace internal
}  // namespace precedent

#endif  // PRECEDENT_INTERNAL_LAYOUT_BASIC_H_
