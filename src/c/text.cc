#include "src/c/text.h"

#include <cstdlib>
#include <cstring>
#include <deque>
#include <mutex>

#include "precedent/version.h"
#include "src/c/handle.h"
#include "src/text/utf8.h"

namespace precedent::c {

char* NewText(std::string_view text) noexcept {
  auto* copy = static_cast<char*>(std::malloc(text.size() + 1));
  if (copy == nullptr) return nullptr;
  if (!text.empty()) std::memcpy(copy, text.data(), text.size());
  copy[text.size()] = '\0';
  return copy;
}

precedent_status Fail(precedent_status status, char** error, std::string_view text) noexcept {
  if (error != nullptr) {
    std::free(*error);
    *error = NewText(text.empty() ? precedent_status_text(status) : text);
  }
  return status;
}

bool IsUtf8(std::string_view text) noexcept {
  return internal::FindInvalidUtf8(text) == text.size();
}

precedent_status CheckText(precedent_text text, std::string_view name, char** error) {
  const precedent_status status = CheckText(text);
  if (status == PRECEDENT_OK || error == nullptr) return status;
  std::string message(name);
  if (status == PRECEDENT_NULL_ARGUMENT)
    message += ": data is NULL and size is " + std::to_string(text.size);
  else if (status == PRECEDENT_WRONG_SIZE)
    message += ": size " + std::to_string(text.size) + " is no length of a text: was it set?";
  else
    message += ": byte " + std::to_string(internal::FindInvalidUtf8(ToView(text))) + " of " +
               std::to_string(text.size) + " is not UTF-8: convert the text, or correct its size";
  return Fail(status, error, message);
}

precedent_status CheckBool(const bool* value, const char* name, char** error) {
  unsigned char byte;
  std::memcpy(&byte, value, 1);
  if (byte <= 1) return PRECEDENT_OK;
  return Fail(PRECEDENT_WRONG_SIZE, error,
              std::string(name) + ": " + std::to_string(byte) + " is neither 0 nor 1");
}

void KeepClosed(void* memory) noexcept {
  constexpr std::size_t kKept = 1024;
  static std::mutex mutex;
  static auto* closed = new std::deque<void*>;  // never freed: others may close at exit
  const std::lock_guard<std::mutex> lock(mutex);
  try {
    closed->push_back(memory);
  } catch (...) {
    return;
  }
  if (closed->size() <= kKept) return;
  ::operator delete(closed->front());
  closed->pop_front();
}

}  // namespace precedent::c

const char* precedent_status_text(int status) {
  switch (status) {
    case PRECEDENT_OK:
      return "no error";
    case PRECEDENT_NULL_ARGUMENT:
      return "a pointer that must not be NULL is NULL";
    case PRECEDENT_WRONG_SIZE:
      return "a struct_size, count or length that cannot be: initialise the struct, or use the "
             "library that belongs to the header";
    case PRECEDENT_NOT_UTF8:
      return "a text is not UTF-8";
    case PRECEDENT_CLOSED:
      return "the handle is closed, or of another kind";
    case PRECEDENT_NO_MEMORY:
      return "out of memory";
    case PRECEDENT_INVALID_POLICY:
      return "the policy has errors: see its issues";
    case PRECEDENT_UNREADABLE:
      return "the file cannot be read";
    case PRECEDENT_INVALID_INPUT:
      return "the input is invalid";
    case PRECEDENT_UNSUPPORTED:
      return "the object is of a kind that no adapter knows";
    case PRECEDENT_NOT_FOUND:
      return "no such job";
    case PRECEDENT_PERMISSION_DENIED:
      return "the parent is another owner's";
    case PRECEDENT_ALREADY_EXISTS:
      return "the job is known with other facts";
    case PRECEDENT_EXHAUSTED:
      return "a limit is reached";
    case PRECEDENT_OLDER_GENERATION:
      return "the live policy is of a higher generation: raise the generation, or allow going "
             "back";
    case PRECEDENT_TIMED_OUT:
      return "not done in time";
    case PRECEDENT_INTERNAL:
      return "a fault of the library";
  }
  return "unknown status";
}

const char* precedent_version(void) { return PRECEDENT_VERSION; }

void precedent_free(char* text) { std::free(text); }

precedent_text precedent_c_string(const char* string) {
  return {string == nullptr ? 0 : std::strlen(string), string};
}
