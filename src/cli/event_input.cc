#include "src/cli/event_input.h"

#include <algorithm>
#include <fstream>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "precedent/lineage_journal.h"
#include "src/cli/console.h"
#include "src/cli/descriptor_check.h"
#include "src/cli/documents.h"
#include "src/cli/place.h"
#include "src/cli/shapes.h"
#include "src/policy/fill.h"
#include "src/text/json_writer.h"

namespace precedent::cli {
namespace {

using internal::Node;

std::string Join(const std::string& prefix, std::string message) {
  return prefix.empty() ? std::move(message) : absl::StrCat(prefix, ": ", message);
}

Issue ErrorAt(const Node& place, std::string message) {
  Issue issue = Error(std::move(message));
  SetPlace(issue, place);
  return issue;
}

bool IsWatchEvent(const Node& object) {
  const Node* inner = object.Find("object");
  return inner != nullptr && inner->is_object() && object.Find("type") != nullptr;
}

// A journal (lineage_journal.h) is the only file of events that is no text.
bool IsJournal(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  char start[16];
  in.read(start, sizeof start);
  return std::find(start, start + in.gcount(), '\0') != start + in.gcount();
}

bool IsOwn(const Node& object) { return HasAny(object, {"submitted", "job", "events"}); }

}  // namespace

absl::StatusOr<EventInput> EventInput::Create(const v1::AdapterOptions& options,
                                              std::string definition_json) {
  absl::StatusOr<kubernetes::Adapter> kubernetes = kubernetes::Adapter::Create(options);
  if (!kubernetes.ok()) return kubernetes.status();
  absl::StatusOr<aws::Adapter> aws = aws::Adapter::Create(options);
  if (!aws.ok()) return aws.status();
  return EventInput(*std::move(kubernetes), *std::move(aws), std::move(definition_json));
}

void EventInput::ReadFile(const std::string& file, const Sink& sink) const {
  if (file != "-" && IsJournal(file)) return ReadJournalFile(file, sink);
  kubernetes::DeviceClaims claims;
  DocumentSink documents{
      [&](const Node& root, Format format) { ReadAny(root, format, "", claims, sink); },
      sink.issue};
  documents.takes_lists = true;
  ReadDocuments(file, documents);
}

void EventInput::ReadJournalFile(const std::string& file, const Sink& sink) {
  std::ifstream in(file, std::ios::binary);
  const JournalEnd end = ReadJournal(
      in, [&](const v1::LineageEvent& event) { sink.event({event, 0, false}); });
  if (!end.damage.empty())
    sink.issue(Error(absl::StrCat("after ", end.records, " records of a journal: ", end.damage)));
}

void EventInput::ReadAny(const Node& node, Format format, const std::string& prefix,
                         kubernetes::DeviceClaims& claims, const Sink& sink) const {
  if (node.is_list()) return ReadItems(node, nullptr, prefix, claims, sink);
  if (!node.is_object()) {
    return sink.issue(ErrorAt(node, Join(prefix, absl::StrCat("expected an object, found ",
                                                              std::string(internal::KindName(
                                                                  node.kind))))));
  }
  if (format == Format::kText) return ReadOwn(node, format, prefix, sink);
  if (IsList(node)) {
    return ReadItems(*node.Find("items"), &node, absl::StrCat(prefix, prefix.empty() ? "" : ".", "items"),
                     claims, sink);
  }
  if (IsWatchEvent(node) || IsKubernetes(node) || IsBatch(node))
    return ReadPlatform(node, prefix, claims, sink);
  if (IsOwn(node)) return ReadOwn(node, format, prefix, sink);
  sink.issue(ErrorAt(node, Join(prefix, "is no Kubernetes object, no job or event of AWS Batch and "
                                        "no lineage event (it has neither `submitted` nor `job`)")));
}

void EventInput::ReadItems(const Node& items, const Node* list, const std::string& prefix,
                           kubernetes::DeviceClaims& claims, const Sink& sink) const {
  for (std::size_t i = 0; i < items.children.size(); ++i) {
    const Node& item = items.children[i];
    const std::string place = absl::StrCat(prefix, "[", i, "]");
    if (item.is_list())
      sink.issue(ErrorAt(item, Join(place, "a list within a list is not read")));
    else if (list != nullptr && item.is_object())
      ReadAny(WithKind(item, *list), Format::kJson, place, claims, sink);
    else
      ReadAny(item, Format::kJson, place, claims, sink);
  }
}

void EventInput::ReadPlatform(const Node& object, const std::string& prefix,
                              kubernetes::DeviceClaims& claims, const Sink& sink) const {
  const std::string json = internal::WriteJson(object);
  const auto fail = [&](const absl::Status& status) {
    const std::string message(status.message());
    sink.issue(ErrorAt(FindPlace(object, message), Join(prefix, message)));
  };
  const auto take = [&](std::vector<v1::LineageEvent>& events, const Node& place) {
    for (v1::LineageEvent& event : events)
      sink.event({std::move(event), static_cast<int>(place.line), true});
  };
  if (IsDeviceClaim(object)) {
    const absl::Status status = claims.Add(json);
    if (!status.ok()) fail(status);
    return;
  }
  if (IsWatchEvent(object) || IsKubernetes(object)) {
    absl::StatusOr<std::vector<v1::LineageEvent>> events = kubernetes_.Events(json, claims);
    if (!events.ok()) return fail(events.status());
    return take(*events, object);
  }
  absl::StatusOr<std::vector<aws::JobHistory>> histories = aws_.Events(json, definition_json_);
  if (!histories.ok()) return fail(histories.status());
  for (aws::JobHistory& history : *histories) {
    if (history.events.ok())
      take(*history.events, FindPlace(object, history.place));
    else
      fail(history.events.status());
  }
}

void EventInput::ReadOwn(const Node& object, Format format, const std::string& prefix,
                         const Sink& sink) const {
  if (object.Find("events") == nullptr) return ReadOne(object, format, prefix, sink);
  // One by one: what is wrong with one does not lose the others.
  std::size_t index = 0;
  for (const Node& member : object.children) {
    if (member.key != "events") {
      sink.issue(ErrorAt(member, Join(prefix, absl::StrCat("unknown field `",
                                                           Printable(member.key), "`"))));
      continue;
    }
    const auto read = [&](const Node& item) {
      const std::string place =
          absl::StrCat(prefix, prefix.empty() ? "" : ".", "events[", index++, "]");
      if (item.is_object()) return ReadOne(item, format, place, sink);
      sink.issue(ErrorAt(item, absl::StrCat(place, ": expected an object, found ",
                                            std::string(internal::KindName(item.kind)))));
    };
    if (!member.is_list()) {
      read(member);
      continue;
    }
    for (const Node& item : member.children) read(item);
  }
}

void EventInput::ReadOne(const Node& object, Format format, const std::string& prefix,
                         const Sink& sink) const {
  InputEvent input;
  input.line = static_cast<int>(object.line);
  std::vector<Issue> issues;
  internal::FillMessage(
      object, &input.event, &issues,
      format == Format::kText ? internal::Dialect::kText : internal::Dialect::kJson);
  // Only what could be read can be checked: a half-read number gives no second error.
  if (!HasErrors(issues)) {
    const std::size_t before = issues.size();
    if (input.event.has_submitted()) CheckDescriptor(input.event.submitted().job(), &issues);
    for (std::size_t i = before; i < issues.size(); ++i)
      issues[i].path = absl::StrCat("submitted.job.", issues[i].path);
    if (input.event.event_case() == v1::LineageEvent::EVENT_NOT_SET)
      issues.push_back(Error("holds nothing: give `submitted` or `job`"));
    for (Issue& issue : issues)
      if (issue.line == 0) SetPlace(issue, FindPlace(object, issue.path));
  }
  for (Issue& issue : issues) {
    if (!prefix.empty())
      issue.path = absl::StrCat(prefix, issue.path.empty() ? "" : ".", issue.path);
    sink.issue(issue);
  }
  if (!HasErrors(issues)) sink.event(std::move(input));
}

}  // namespace precedent::cli
