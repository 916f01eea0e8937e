// A view of contiguous elements that somebody else owns (C++17 has no std::span).
#ifndef PRECEDENT_SPAN_H_
#define PRECEDENT_SPAN_H_

#include <cstddef>
#include <type_traits>
#include <utility>

#include "precedent/internal/abi.h"

namespace precedent {
inline namespace PRECEDENT_ABI {

// Borrows; the elements must outlive it. Copying is free.
template <typename T>
class Span {
 public:
  constexpr Span() noexcept = default;
  constexpr Span(T* data, std::size_t size) noexcept : data_(data), size_(size) {}
  template <std::size_t N>
  constexpr Span(T (&array)[N]) noexcept : data_(array), size_(N) {}
  // From any container with data() and size(), such as std::vector or std::array.
  template <typename Container, typename = std::enable_if_t<std::is_convertible_v<
                                    decltype(std::declval<Container&>().data()), T*>>>
  constexpr Span(Container&& container) noexcept  // NOLINT(runtime/explicit): as std::span
      : data_(container.data()), size_(container.size()) {}

  constexpr T* data() const noexcept { return data_; }
  constexpr std::size_t size() const noexcept { return size_; }
  constexpr bool empty() const noexcept { return size_ == 0; }
  constexpr T* begin() const noexcept { return data_; }
  constexpr T* end() const noexcept { return data_ + size_; }
  constexpr T& operator[](std::size_t i) const noexcept { return data_[i]; }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace PRECEDENT_ABI
}  // namespace precedent

#endif  // PRECEDENT_SPAN_H_
