#include "src/json/object_editor.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "src/json/document.h"
#include "src/json/scanner.h"

namespace precedent::json {
namespace {

// Longer white space is not copied: a member that is added must not cost more than
// the text had.
constexpr std::size_t kMaxCopiedSpace = 64;

absl::string_view View(std::string_view text) { return {text.data(), text.size()}; }

}  // namespace

ObjectEditor::ObjectEditor(std::string_view object) {
  Scanner scan(object);
  scan.SkipTo("{");
  scan.Take('{');
  before_ = scan.From(0);
  std::size_t end = scan.at();  // of the last member and its tail
  while (!scan.Ended()) {
    Member member;
    std::size_t begin = scan.at();
    scan.SkipSpace();
    if (scan.Ended() || object[scan.at()] == '}') break;
    member.lead = scan.From(begin);
    begin = scan.at();
    scan.SkipString();
    member.name = scan.From(begin);
    begin = scan.at();
    scan.SkipTo(":");
    scan.Take(':');
    scan.SkipSpace();
    member.colon = scan.From(begin);
    begin = scan.at();
    scan.SkipValue();
    member.value = scan.From(begin);
    begin = scan.at();
    scan.SkipSpace();
    member.tail = scan.From(begin);
    member.key = DecodeString(member.name);
    members_.push_back(std::move(member));
    end = scan.at();
    if (!scan.Take(',')) break;
  }
  after_ = object.substr(end);
}

ObjectEditor::Member* ObjectEditor::FindMember(std::string_view key) {
  return const_cast<Member*>(static_cast<const ObjectEditor*>(this)->FindMember(key));
}

const ObjectEditor::Member* ObjectEditor::FindMember(std::string_view key) const {
  for (const Member& member : members_) {
    if (!member.removed && member.key == key) return &member;
  }
  return nullptr;
}

std::optional<std::string_view> ObjectEditor::Find(std::string_view key) const {
  const Member* member = FindMember(key);
  if (member == nullptr) return std::nullopt;
  return member->new_value.empty() ? member->value : std::string_view(member->new_value);
}

void ObjectEditor::Set(std::string_view key, std::string value) {
  if (Find(key) == value) return;
  changed_ = true;
  if (Member* member = FindMember(key)) {
    member->new_value = std::move(value);
    return;
  }
  Member added;
  added.key = std::string(key);
  added.new_name = Quote(key);
  added.new_value = std::move(value);
  added.colon = ":";
  if (!members_.empty()) {
    const Member& last = members_.back();
    if (last.lead.size() <= kMaxCopiedSpace) added.lead = last.lead;
    if (last.colon.size() <= kMaxCopiedSpace) added.colon = last.colon;
    // On one line, `{"a": 1, "b": 2}`, only what follows a comma is spaced.
    if (members_.size() == 1 && added.lead.empty() && added.colon.size() > 1) added.lead = " ";
    added.tail = std::exchange(members_.back().tail, std::string_view());
  }
  members_.push_back(std::move(added));
}

void ObjectEditor::Remove(std::string_view key) {
  Member* member = FindMember(key);
  if (member == nullptr) return;
  changed_ = true;
  member->removed = true;
}

std::size_t ObjectEditor::size() const {
  return static_cast<std::size_t>(std::count_if(
      members_.begin(), members_.end(), [](const Member& member) { return !member.removed; }));
}

std::string ObjectEditor::Text() const {
  std::string text(before_);
  const Member* last = nullptr;
  for (const Member& member : members_) {
    if (member.removed) continue;
    if (last != nullptr) text += ',';
    // The first member takes the place of the first, whose lead has no space.
    const std::string_view lead = last == nullptr ? members_.front().lead : member.lead;
    absl::StrAppend(
        &text, View(lead),
        member.new_name.empty() ? View(member.name) : absl::string_view(member.new_name),
        View(member.colon),
        member.new_value.empty() ? View(member.value) : absl::string_view(member.new_value));
    last = &member;
    // Before the brace stands what stood there; before a comma, what stood before it.
    if (&member != &members_.back()) absl::StrAppend(&text, View(member.tail));
  }
  if (!members_.empty()) absl::StrAppend(&text, View(members_.back().tail));
  absl::StrAppend(&text, View(after_));
  return text;
}

std::string Quote(std::string_view text) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string json = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      json += '\\';
      json += c;
    } else if (byte < 0x20 || byte == 0x7f) {
      json += "\\u00";
      json += kDigits[byte >> 4];
      json += kDigits[byte & 15];
    } else {
      json += c;
    }
  }
  json += '"';
  return json;
}

}  // namespace precedent::json
