// Texts over the boundary, and exceptions that must not cross it.
#ifndef PRECEDENT_SRC_C_TEXT_H_
#define PRECEDENT_SRC_C_TEXT_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <new>
#include <string>
#include <string_view>

#include "precedent/c.h"

namespace precedent::c {

// A terminated copy for precedent_free; null where there is no memory.
char* NewText(std::string_view text) noexcept;

// As C has it; borrows.
inline precedent_text ToText(std::string_view text) noexcept { return {text.size(), text.data()}; }
inline std::string_view ToView(precedent_text text) noexcept {
  return text.size == 0 ? std::string_view() : std::string_view(text.data, text.size);
}

// Sets `*error`, where it is wanted, to the text of `status`, or to `text` if given.
precedent_status Fail(precedent_status status, char** error, std::string_view text = {}) noexcept;

// Runs `call`, which returns a status and may set `*error`.
template <typename Call>
precedent_status Guarded(char** error, Call&& call) noexcept {
  if (error != nullptr) *error = nullptr;
  try {
    return call();
  } catch (const std::bad_alloc&) {
    return Fail(PRECEDENT_NO_MEMORY, error);
  } catch (const std::exception& exception) {
    return Fail(PRECEDENT_INTERNAL, error, exception.what());
  } catch (...) {
    return Fail(PRECEDENT_INTERNAL, error);
  }
}

// No text is this long: it is a length that nobody set.
inline constexpr std::size_t kMaxTextBytes =
    sizeof(std::size_t) > 4 ? std::size_t{1} << 40 : std::size_t{1} << 30;

// The bits that a byte beyond ASCII sets in a word.
inline constexpr std::uint32_t kBeyondAscii = 0x80808080u;

// All bytes of a text of 4 to 16, by four words that overlap: no branch on its length.
inline std::uint32_t AllBytes(const char* p, std::size_t n) noexcept {
  const auto word = [p](std::size_t i) {
    std::uint32_t four;
    std::memcpy(&four, p + i, sizeof four);
    return four;
  };
  const std::size_t q = n >> 3 << 2;
  return word(0) | word(q) | word(n - 4 - q) | word(n - 4);
}

// REQUIRES: n != 0.
inline bool IsAscii(const char* p, std::size_t n) noexcept {
  std::uint32_t bytes;
  if (n < 4) {
    bytes = static_cast<unsigned char>(p[0] | p[n >> 1] | p[n - 1]);
  } else if (n <= 16) {
    bytes = AllBytes(p, n);
  } else {
    bytes = AllBytes(p + n - 16, 16);
    for (std::size_t i = 0; i + 16 < n; i += 16) bytes |= AllBytes(p + i, 16);
  }
  return (bytes & kBeyondAscii) == 0;
}

bool IsUtf8(std::string_view text) noexcept;

// Null with a length, a length that cannot be, or bytes that are no UTF-8.
inline precedent_status CheckText(precedent_text text) noexcept {
  if (text.size == 0) return PRECEDENT_OK;
  if (text.data == nullptr) return PRECEDENT_NULL_ARGUMENT;
  if (text.size > kMaxTextBytes) return PRECEDENT_WRONG_SIZE;
  return IsAscii(text.data, text.size) || IsUtf8({text.data, text.size}) ? PRECEDENT_OK
                                                                         : PRECEDENT_NOT_UTF8;
}
// The same, and a sentence in `*error` that begins with `name`.
precedent_status CheckText(precedent_text text, std::string_view name, char** error);

// A bool of a caller, read as a byte: one that is neither true nor false may not be read as
// such.
precedent_status CheckBool(const bool* value, const char* name, char** error);

}  // namespace precedent::c

#endif  // PRECEDENT_SRC_C_TEXT_H_
