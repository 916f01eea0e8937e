#include "src/kubernetes/list_splitter.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace precedent::kubernetes {
namespace {

constexpr std::string_view kSpace = " \t\r\n";
constexpr std::string_view kItems = "items";

bool IsSpace(char c) { return kSpace.find(c) != std::string_view::npos; }

}  // namespace

void ListSplitter::Read(std::string_view bytes) {
  while (!bytes.empty()) {
    // Most bytes are inside of strings or between brackets; these are appended at once.
    const std::string_view stops =
        in_string_ ? std::string_view("\"\\\n") : std::string_view("\"{}[]:,\n");
    std::size_t plain = 0;
    if (!escaped_ && depth_ > (in_items_ ? 2 : 1)) {
      plain = bytes.find_first_of(stops);
      if (plain == std::string_view::npos) plain = bytes.size();
    }
    if (plain > 0) {
      const std::string_view run = bytes.substr(0, plain);
      std::string& into = in_items_ ? item_ : header_;
      if (into.size() + run.size() > max_bytes_) {
        too_large_ = true;
      } else {
        into.append(run);
      }
      const std::size_t last = run.find_last_not_of(kSpace);
      if (!in_string_ && last != std::string_view::npos) before_ = run[last];
      bytes.remove_prefix(plain);
    } else {
      Take(bytes.front());
      bytes.remove_prefix(1);
    }
  }
}

void ListSplitter::End() {
  if (depth_ > 0) Damaged("the text ends in the middle of an object");
  Reset();
  junk_ = false;
}

void ListSplitter::Take(char c) {
  if (in_string_) return TakeInString(c);
  if (depth_ == 0) return Begin(c);
  if (IsSpace(c)) return Append(c);
  switch (c) {
    case '"':
      in_string_ = true;
      word_.clear();
      Append(c);
      break;
    case '{':
    case '[':
      // Where a value was cut off, the next one begins in the middle of it.
      if (c == '{' && before_ != ':' && before_ != ',' && before_ != '[') {
        Damaged("an object ends too early");
        Reset();
        return Begin(c);
      }
      if (c == '[' && depth_ == 1 && key_ == kItems && !is_list_) {
        header_.push_back(c);
        is_list_ = in_items_ = true;
        index_ = 0;
        depth_ = 2;
        break;
      }
      Append(c);
      ++depth_;
      break;
    case '}':
    case ']':
      Close(c);
      return;
    case ':':
      if (depth_ == 1) key_ = word_;
      Append(c);
      break;
    case ',':
      if (in_items_ && depth_ == 2) {
        EndItem();
        ++index_;
      } else {
        Append(c);
      }
      break;
    default:
      Append(c);
  }
  before_ = c;
}

void ListSplitter::TakeInString(char c) {
  // A string cannot hold a line break: it was cut off.
  if (c == '\n' && !in_items_) {
    Damaged("a string ends too early");
    return Reset();
  }
  Append(c);
  if (escaped_) {
    escaped_ = false;
  } else if (c == '\\') {
    escaped_ = true;
  } else if (c == '"') {
    in_string_ = false;
    before_ = c;
    return;
  }
  if (depth_ == 1 && word_.size() <= kItems.size()) word_.push_back(c);
}

void ListSplitter::Begin(char c) {
  if (IsSpace(c)) {
    if (c == '\n') junk_ = false;
    return;
  }
  if (c != '{') {
    if (!junk_) sink_.problem("expected an object");
    junk_ = true;
    return;
  }
  junk_ = false;
  depth_ = 1;
  header_ = "{";
  before_ = c;
}

void ListSplitter::Append(char c) {
  std::string& into = in_items_ ? item_ : header_;
  if (in_items_ && depth_ == 2 && item_.empty() && IsSpace(c)) return;
  if (into.size() >= max_bytes_) {
    too_large_ = true;
  } else {
    into.push_back(c);
  }
}

void ListSplitter::Close(char c) {
  before_ = c;
  --depth_;
  if (in_items_ && depth_ == 1) {
    EndItem();
    in_items_ = false;
    header_.push_back(c);
    return;
  }
  Append(c);
  if (depth_ > 0) return;
  if (too_large_) {
    sink_.problem(absl::StrCat("an object has more than ", max_bytes_, " bytes"));
  } else if (is_list_) {
    sink_.list(header_);
  } else {
    sink_.object(header_, {}, 0);
  }
  Reset();
}

void ListSplitter::EndItem() {
  if (too_large_) {
    sink_.problem(absl::StrCat("items[", index_, "]: has more than ", max_bytes_, " bytes"));
  } else if (!item_.empty()) {
    sink_.object(item_, header_, index_);
  }
  too_large_ = false;
  item_.clear();
}

void ListSplitter::Damaged(std::string problem) {
  if (is_list_) problem = absl::StrCat("items[", index_, "]: ", problem);
  sink_.problem(std::move(problem));
}

void ListSplitter::Reset() {
  depth_ = 0;
  in_string_ = escaped_ = in_items_ = is_list_ = too_large_ = false;
  before_ = '\0';
  header_.clear();
  item_.clear();
  word_.clear();
  key_.clear();
}

}  // namespace precedent::kubernetes
