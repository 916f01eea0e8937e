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
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "src/json/path.h"
#include "src/json/workspace.h"

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
  // Appends the JSON Pointer to this place from `root`, a value that it was read out of.
  void AppendPointer(const Value& root, std::string* pointer) const {
    json::AppendPointer(step_, root.step_, pointer);
  }
  // Whether both are one place of one document.
  bool IsSamePlace(const Value& other) const { return json::IsSamePlace(step_, other.step_); }

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

  // All members or items, to go through once; none for an absent value. Nulls are not
  // among them. The place of an item is its index in the text, nulls counted.
  template <typename Place, typename Result>
  class Range;
  using MemberRange = Range<simdjson::dom::object::iterator, Member>;
  using ItemRange = Range<simdjson::dom::array::iterator, Value>;
  MemberRange Members() const;
  ItemRange Items() const;

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
  // The exact count of a device: a JSON number or a text, read as a Kubernetes quantity
  // (see quantity.h), whole and not negative.
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

// What Members and Items give: the document's own members, made into values one by
// one. Borrows the document.
template <typename Place, typename Result>
class Value::Range {
 public:
  class Iterator {
   public:
    Result operator*() const { return Make(*range_, at_, index_); }
    Iterator& operator++() {
      ++at_;
      ++index_;
      SkipNulls();
      return *this;
    }
    bool operator!=(const Iterator& other) const { return at_ != other.at_; }

   private:
    friend class Range;
    Iterator(const Range* range, Place at) : range_(range), at_(at) { SkipNulls(); }
    void SkipNulls() {
      for (; at_ != range_->end_ && IsNull(at_); ++at_) ++index_;
    }

    const Range* range_;
    Place at_;
    std::size_t index_ = 0;
  };

  Iterator begin() const { return Iterator(this, begin_); }
  Iterator end() const { return Iterator(this, end_); }
  bool empty() const { return !(begin() != end()); }
  // For those who need them more than once, or in another order.
  std::vector<Result> ToVector() const {
    std::vector<Result> all;
    for (const Result& one : *this) all.push_back(one);
    return all;
  }

 private:
  friend class Value;
  explicit Range(const Value& of) : of_(of) {}
  template <typename Container>
  Range(const Value& of, const Container& all) : of_(of), begin_(all.begin()), end_(all.end()) {}

  static bool IsNull(const simdjson::dom::object::iterator& at) { return at.value().is_null(); }
  static bool IsNull(const simdjson::dom::array::iterator& at) { return (*at).is_null(); }
  static Member Make(const Range& range, const simdjson::dom::object::iterator& at, std::size_t);
  static Value Make(const Range& range, const simdjson::dom::array::iterator& at,
                    std::size_t index);

  Value of_;
  // Equal where there is nothing.
  Place begin_;
  Place end_;
};

// Not thread-safe: reading builds paths in it. Values borrow it and it does not move.
class Document {
 public:
  // INVALID_ARGUMENT says what is wrong and where. `what` names the text in front of
  // every message of this document, such as `definition`; may be empty.
  // `workspace`, where given, must outlive the document, and no other document may use
  // it as long.
  static absl::StatusOr<std::unique_ptr<Document>> Parse(std::string_view text,
                                                         std::string_view what = {},
                                                         Workspace* workspace = nullptr);

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
  explicit Document(Workspace* workspace)
      : own_(workspace == nullptr ? std::make_unique<Workspace>() : nullptr),
        workspace_(workspace == nullptr ? own_.get() : workspace) {}

  const PathStep* Step(const PathStep* parent, std::string_view key, std::size_t index) {
    return workspace_->steps().Add(parent, key, index);
  }
  void Fail(const PathStep* step, std::string_view message);
  // A number as it is spelled; nullopt once so many were asked for that it costs too
  // much, each being searched for in the text.
  std::optional<std::string_view> Spelling(const PathStep* step);

  std::string what_;
  std::unique_ptr<Workspace> own_;  // null where it is the caller's
  Workspace* workspace_;
  simdjson::dom::element root_;
  std::size_t searched_bytes_ = 0;
  absl::Status status_;
};

template <typename Place, typename Result>
Value::Member Value::Range<Place, Result>::Make(const Range& range,
                                                const simdjson::dom::object::iterator& at,
                                                std::size_t) {
  const std::string_view key = at.key();
  const Value& of = range.of_;
  const PathStep* const step = of.document_->Step(of.step_, key, PathStep::kNoIndex);
  return {key, Value(of.document_, step, at.value())};
}

template <typename Place, typename Result>
Value Value::Range<Place, Result>::Make(const Range& range,
                                        const simdjson::dom::array::iterator& at,
                                        std::size_t index) {
  const Value& of = range.of_;
  return Value(of.document_, of.document_->Step(of.step_, {}, index), *at);
}

}  // namespace precedent::json

#endif  // PRECEDENT_SRC_JSON_DOCUMENT_H_
