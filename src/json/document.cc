#include "src/json/document.h"

#include <cstring>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "src/json/duplicate.h"
#include "src/json/limits.h"
#include "src/json/nesting.h"
#include "src/json/scanner.h"
#include "src/json/screen.h"

namespace precedent::json {
namespace {

// Some hundredths of a second.
constexpr std::size_t kMaxSearchedBytes = 4 * kMaxBytes;

absl::string_view View(std::string_view text) { return {text.data(), text.size()}; }

// What every error of a document looks like: `definition: path: message`.
absl::Status ErrorAt(std::string_view what, const PathStep* step, std::string_view message) {
  std::string text;
  if (!what.empty()) absl::StrAppend(&text, View(what), ": ");
  const std::string path = PathText(step);
  if (!path.empty()) absl::StrAppend(&text, path, ": ");
  absl::StrAppend(&text, View(message));
  return absl::InvalidArgumentError(text);
}

bool HasNul(std::string_view text) {
  return !text.empty() && std::memchr(text.data(), '\0', text.size()) != nullptr;
}

// Finds where what IsClean suspects is: duplicate keys, and NUL written as \u0000.
// Recursion is bounded by kMaxDepth; the path lives on the stack.
class Checker {
 public:
  explicit Checker(std::string_view what) : what_(what) {}

  absl::Status Check(simdjson::dom::element element, const PathStep* step) {
    switch (element.type()) {
      case simdjson::dom::element_type::OBJECT:
        return CheckObject(element.get_object().value_unsafe(), step);
      case simdjson::dom::element_type::ARRAY:
        return CheckArray(element.get_array().value_unsafe(), step);
      case simdjson::dom::element_type::STRING:
        if (HasNul(element.get_string().value_unsafe())) {
          return ErrorAt(what_, step, "holds the character NUL (\\u0000); remove it");
        }
        return absl::OkStatus();
      default:
        return absl::OkStatus();
    }
  }

 private:
  absl::Status CheckObject(simdjson::dom::object object, const PathStep* step) {
    absl::InlinedVector<absl::string_view, 24> keys;
    for (const simdjson::dom::key_value_pair member : object) {
      if (HasNul(member.key)) {
        return ErrorAt(what_, step, "has a key that holds the character NUL (\\u0000); remove it");
      }
      keys.push_back(View(member.key));
    }
    const std::size_t duplicate = FindDuplicate(keys);
    if (duplicate != keys.size()) {
      const PathStep here{step, {keys[duplicate].data(), keys[duplicate].size()}};
      return ErrorAt(what_, &here, "the key is given twice; keep one of them");
    }
    for (const simdjson::dom::key_value_pair member : object) {
      const PathStep here{step, member.key};
      absl::Status status = Check(member.value, &here);
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  }

  absl::Status CheckArray(simdjson::dom::array array, const PathStep* step) {
    std::size_t index = 0;
    for (const simdjson::dom::element item : array) {
      const PathStep here{step, {}, index++};
      absl::Status status = Check(item, &here);
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  }

  std::string_view what_;
};

std::string_view ParserMessage(simdjson::error_code code) {
  switch (code) {
    case simdjson::UTF8_ERROR:
      return "is no valid UTF-8";
    case simdjson::EMPTY:
      return "is empty; a JSON object was expected";
    case simdjson::UNCLOSED_STRING:
      return "is no valid JSON: a string is not closed";
    case simdjson::UNESCAPED_CHARS:
      return "is no valid JSON: a string holds a control character that is not escaped";
    case simdjson::NUMBER_ERROR:
      return "is no valid JSON: a number is malformed or out of range";
    case simdjson::STRING_ERROR:
      return "is no valid JSON: a string has a malformed escape";
    case simdjson::DEPTH_ERROR:
      return "nests too deep";
    case simdjson::MEMALLOC:
      return "cannot be parsed: no memory";
    default:
      return "is no valid JSON: one complete value was expected";
  }
}

}  // namespace

absl::StatusOr<std::unique_ptr<Document>> Document::Parse(std::string_view text,
                                                          std::string_view what,
                                                          Workspace* workspace) {
  const std::string_view subject = what.empty() ? std::string_view("the text") : what;
  if (text.size() > kMaxBytes) {
    return absl::InvalidArgumentError(absl::StrCat(View(subject), " has ", text.size(),
                                                   " bytes; at most ", kMaxBytes, " are read"));
  }
  std::unique_ptr<Document> document(new Document(workspace));
  document->what_ = std::string(what);
  const simdjson::error_code error = document->workspace_->Parse(text).get(document->root_);
  if (error == simdjson::MEMALLOC) {
    return absl::ResourceExhaustedError(
        absl::StrCat(View(subject), " ", View(ParserMessage(error))));
  }
  if (error == simdjson::SUCCESS && IsClean(text, document->root_)) return document;
  // What is wrong with it is said better by whoever looks at nothing else.
  const absl::Status nesting = CheckNesting(text);
  if (!nesting.ok()) return ErrorAt(what, nullptr, std::string(nesting.message()));
  if (error != simdjson::SUCCESS) {
    return absl::InvalidArgumentError(absl::StrCat(View(subject), " ", View(ParserMessage(error))));
  }
  absl::Status checked = Checker(what).Check(document->root_, nullptr);
  if (!checked.ok()) return checked;
  return document;
}

std::optional<std::string_view> Document::Spelling(const PathStep* step) {
  const std::string_view text = workspace_->text();
  searched_bytes_ += text.size();
  if (searched_bytes_ > kMaxSearchedBytes) return std::nullopt;
  return FindText(text, step);
}

void Document::Fail(const PathStep* step, std::string_view message) {
  if (status_.ok()) status_ = ErrorAt(what_, step, message);
}

}  // namespace precedent::json
