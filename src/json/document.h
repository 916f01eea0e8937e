// Document: a checked JSON text, and Value: a typed reader over it.
//
// Document::Parse accepts exactly the texts that mean one thing: bounded bytes and
// depth, one JSON value, valid UTF-8, no key twice in an object (after unescaping),
// no NUL. simdjson's DOM does the parsing, its On-Demand front end would accept
// texts that are broken after the last member read.
//
// Reading cannot fail half-way. A Value that is not there reads as absent, and so
// does one of the wrong type, after it has put an error with its path into the
// document. So a reader is straight code that ends with `document->status()`; it
// must not give out what it read unless that is OK.
#ifndef PRECEDENT_SRC_JSON_DOCUMENT_H_
#define PRECEDENT_SRC_JSON_DOCUMENT_H_

#include <simdjson.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "src/json/path.h"

namespace precedent::json {

class Document;

// One place in a document: a value, or none. Cheap to copy; borrows the document.
// A JSON null counts as absent everywhere.
class Value {
 public:
  struct Member;

  // Absent, and of no document: reading it gives nothing and reports nothing.
  Value() = default;

  bool present() const { return present_; }
  std::string Path() const { return PathText(step_); }
  // The JSON Pointer to this place from `root`, a value that it was read out of.
  std::string Pointer(const Value& root) const { return PointerText(step_, root.step_); }

  // Type tests that report nothing. An absent value is none of them.
  bool is_object() const { return present_ && element_.is_object(); }
  bool is_array() const { return present_ && element_.is_array(); }
  // Whether an object has a member of that name, be it null. Reports nothing.
  bool HasKey(std::string_view key) const {
    return is_object() && element_.at_key(key).error() == simdjson::SUCCESS;
  }

  // The member of an object; absent where there is none. A value that is there and
  // no object is an error.
  Value Get(std::string_view key) const;
  // Get for each name of a dotted path: `Find("spec.template.spec")`. An empty path
  // is the value itself. Names with dots in them need Get.
  Value Find(std::string_view dotted) const;

  // All members or items; none for an absent value. Nulls are not among them. The
  // place of an item is its index in the text, nulls counted.
  std::vector<Member> Members() const;
  std::vector<Value> Items() const;

  // The value where it has that type; nullopt where it is absent. Any other type is
  // an error. Integers are JSON numbers without point or exponent.
  std::optional<std::string_view> String() const;
  std::optional<bool> Bool() const;
  std::optional<std::int64_t> Integer(std::int64_t min, std::int64_t max) const;
  // Any JSON number, rounded to a double.
  std::optional<double> Number() const;
  // A string as it is, true or false, or a whole number in digits; nullopt for any
  // other type, which is no error.
  std::optional<std::string> ScalarText() const;
  // The exact count of a device: a whole JSON number or a text that is a Kubernetes
  // quantity (see quantity.h), whole and not negative.
  std::optional<std::int64_t> DeviceCount() const;

  // Puts `message` with this value's path into the document, unless an earlier
  // error is there. `message` completes the sentence "<path> ...".
  void Fail(std::string_view message) const;

 private:
  friend class Document;
  Value(Document* document, const PathStep* step, simdjson::dom::element element)
      : document_(document), step_(step), element_(element), present_(!element.is_null()) {}
  Value(Document* document, const PathStep* step) : document_(document), step_(step) {}

  void FailType(std::string_view wanted) const;

  Document* document_ = nullptr;
  const PathStep* step_ = nullptr;
  simdjson::dom::element element_;
  bool present_ = false;
};

struct Value::Member {
  std::string_view key;
  Value value;
};

// Not thread-safe: reading builds paths in it. Values borrow it and it does not move.
class Document {
 public:
  // INVALID_ARGUMENT says what is wrong and where. `what` names the text in front of
  // every message of this document, such as `definition`; may be empty.
  static absl::StatusOr<std::unique_ptr<Document>> Parse(std::string_view text,
                                                         std::string_view what = {});

  Document(const Document&) = delete;
  Document& operator=(const Document&) = delete;

  Value root() { return Value(this, nullptr, root_); }
  // OK, or the first error that reading met.
  const absl::Status& status() const { return status_; }
  // The same, after which reading may go on as if there had been none: for a text
  // whose items fail one by one.
  absl::Status TakeStatus() { return std::exchange(status_, absl::OkStatus()); }

 private:
  friend class Value;
  Document() = default;

  const PathStep* Step(const PathStep* parent, std::string_view key, std::size_t index) {
    steps_.push_back(PathStep{parent, key, index});
    return &steps_.back();
  }
  void Fail(const PathStep* step, std::string_view message);

  std::string what_;
  simdjson::dom::parser parser_;
  simdjson::dom::element root_;
  std::deque<PathStep> steps_;  // never moves what it holds
  absl::Status status_;
};

}  // namespace precedent::json

#endif  // PRECEDENT_SRC_JSON_DOCUMENT_H_
