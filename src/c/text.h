// Texts over the boundary, and exceptions that must not cross it.
#ifndef PRECEDENT_SRC_C_TEXT_H_
#define PRECEDENT_SRC_C_TEXT_H_

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

// Null with a length, a length that cannot be, or bytes that are no UTF-8.
precedent_status CheckText(const char* data, std::size_t size) noexcept;
inline precedent_status CheckText(precedent_text text) noexcept {
  return CheckText(text.data, text.size);
}
// The same, and a sentence in `*error` that begins with `name`.
precedent_status CheckText(precedent_text text, std::string_view name, char** error);

// No text is this long: it is a length that nobody set.
inline constexpr std::size_t kMaxTextBytes = sizeof(std::size_t) > 4 ? std::size_t{1} << 40
                                                                     : std::size_t{1} << 30;

}  // namespace precedent::c

#endif  // PRECEDENT_SRC_C_TEXT_H_
