// Memory that is all zero in the child of a fork.
//
// Announcements of readers lie in it: the readers do not exist in the child, so what
// they announced must not either, or it would pin policies there for ever.
#ifndef PRECEDENT_INTERNAL_WIPED_MEMORY_H_
#define PRECEDENT_INTERNAL_WIPED_MEMORY_H_

#include <cstddef>
#include <cstring>
#include <new>

#if defined(__linux__)
#include <sys/mman.h>
#endif

#include "precedent/internal/abi.h"

namespace precedent {
namespace internal {
inline namespace PRECEDENT_ABI {

// Owns `size` zeroed bytes, aligned to kAlignment. Linux wipes them (MADV_WIPEONFORK,
// since 4.14); elsewhere, and where the kernel refuses, a child keeps the parent's.
class WipedMemory {
 public:
  static constexpr std::size_t kAlignment = 128;

  // Throws std::bad_alloc where there is no memory at all.
  explicit WipedMemory(std::size_t size) : size_(size) {
#if defined(__linux__)
    void* pages = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages != MAP_FAILED) {
#if defined(MADV_WIPEONFORK)
      wiped_ = madvise(pages, size, MADV_WIPEONFORK) == 0;
#endif
      data_ = pages;
      mapped_ = true;
      return;
    }
#endif
    data_ = ::operator new(size, std::align_val_t(kAlignment));
    std::memset(data_, 0, size);
  }
  WipedMemory(const WipedMemory&) = delete;
  WipedMemory& operator=(const WipedMemory&) = delete;
  ~WipedMemory() {
#if defined(__linux__)
    if (mapped_) {
      munmap(data_, size_);
      return;
    }
#endif
    ::operator delete(data_, std::align_val_t(kAlignment));
  }

  void* data() const noexcept { return data_; }
  // Whether a child really finds zeros.
  bool wiped() const noexcept { return wiped_; }

 private:
  std::size_t size_;
  void* data_ = nullptr;
  bool mapped_ = false;
  bool wiped_ = false;
};

}  // namespace PRECEDENT_ABI
}  // namespace internal
}  // namespace precedent

#endif  // PRECEDENT_INTERNAL_WIPED_MEMORY_H_
