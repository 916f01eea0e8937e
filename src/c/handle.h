// What all handles of the C API have in common: how they are checked and closed.
#ifndef PRECEDENT_SRC_C_HANDLE_H_
#define PRECEDENT_SRC_C_HANDLE_H_

#include <cstdint>
#include <cstring>

#include "precedent/c.h"

namespace precedent::c {

// The first member of every handle. A debug build looks at it at every call; a release
// build never does.
struct Kind {
  std::uint64_t word;
};
inline constexpr Kind kPolicyKind{0x70726563706f6c31};
inline constexpr Kind kLiveKind{0x707265636c697631};
inline constexpr Kind kGuardKind{0x7072656367756131};
inline constexpr Kind kGraphKind{0x7072656367726131};
inline constexpr Kind kAdapterKind{0x7072656361646131};
inline constexpr Kind kDescriptionKind{0x7072656364657331};

// Keeps the memory of a closed handle from being used for something else until many more
// are closed, so that what closed it can be told from what is open.
void KeepClosed(void* memory) noexcept;

template <typename Handle>
precedent_status CheckHandle(const Handle* handle) noexcept {
  if (handle == nullptr) return PRECEDENT_NULL_ARGUMENT;
#ifndef NDEBUG
  // Not through the type: where the handle is closed there is no such object.
  Kind kind;
  std::memcpy(&kind, static_cast<const void*>(handle), sizeof kind);
  if (kind.word != Handle::kKind.word) return PRECEDENT_CLOSED;
#endif
  return PRECEDENT_OK;
}

template <typename Handle>
precedent_status CloseHandle(Handle* handle) noexcept {
  if (handle == nullptr) return PRECEDENT_OK;
  if (const precedent_status status = CheckHandle(handle)) return status;
#ifdef NDEBUG
  delete handle;
#else
  handle->~Handle();
  std::memset(static_cast<void*>(handle), 0, sizeof(Kind));
  KeepClosed(handle);
#endif
  return PRECEDENT_OK;
}

}  // namespace precedent::c

#endif  // PRECEDENT_SRC_C_HANDLE_H_
