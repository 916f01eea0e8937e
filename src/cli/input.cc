#include "src/cli/input.h"

#include <string_view>

#include "absl/strings/str_cat.h"
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

Issue ErrorAt(const Node& place, std::string message) {
  Issue issue = Error(std::move(message));
  SetPlace(issue, place);
  return issue;
}

}  // namespace

absl::StatusOr<JobInput> JobInput::Create(const v1::AdapterOptions& options,
                                          std::string definition_json) {
  absl::StatusOr<kubernetes::Adapter> kubernetes = kubernetes::Adapter::Create(options);
  if (!kubernetes.ok()) return kubernetes.status();
  absl::StatusOr<aws::Adapter> aws = aws::Adapter::Create(options);
  if (!aws.ok()) return aws.status();
  return JobInput(*std::move(kubernetes), *std::move(aws), std::move(definition_json));
}

// The claims of one input, and what waits for them: a job whose claim was not seen
// yet, and all that came after it, since the order stands.
class JobInput::Claims {
 public:
  explicit Claims(const Sink& sink) : sink_(sink) {}

  // `sink`, but behind what waits.
  Sink InOrder() {
    return {
        [this](InputJob&& job) {
          if (waiting_.empty()) return sink_.job(std::move(job));
          waiting_.push_back([this, job = std::move(job)]() mutable { sink_.job(std::move(job)); });
        },
        [this](const Issue& issue) {
          if (waiting_.empty()) return sink_.issue(issue);
          waiting_.push_back([this, issue] { sink_.issue(issue); });
        }};
  }

  void Wait(std::function<void(const Sink&)> describe) {
    waiting_.push_back([this, describe = std::move(describe)] { describe(sink_); });
  }

  void End() {
    for (const std::function<void()>& step : waiting_) step();
  }

  kubernetes::DeviceClaims known;

 private:
  const Sink& sink_;
  std::vector<std::function<void()>> waiting_;
};

void JobInput::ReadFile(const std::string& file, const Sink& sink) const {
  const Sink named{[&](InputJob&& job) {
                     job.file = file;
                     sink.job(std::move(job));
                   },
                   sink.issue};
  Claims claims(named);
  const Sink in_order = claims.InOrder();
  ReadDocuments(
      file, {[&](const Node& root, Format format) { ReadDocument(root, format, in_order, claims); },
             in_order.issue});
  claims.End();
}

void JobInput::ReadNode(const Node& root, Format format, const Sink& sink) const {
  Claims claims(sink);
  ReadDocument(root, format, claims.InOrder(), claims);
  claims.End();
}

void JobInput::ReadDocument(const Node& root, Format format, const Sink& sink,
                            Claims& claims) const {
  if (!root.is_object())
    sink.issue(ErrorAt(root, absl::StrCat("expected an object, found ",
                                          std::string(internal::KindName(root.kind)))));
  else if (format == Format::kText)
    ReadDescriptor(root, format, sink);
  else if (IsList(root))
    ReadList(root, sink, claims);
  else if (IsKubernetes(root) || IsBatch(root))
    ReadObject(root, "", sink, claims);
  else if (IsDescriptor(root))
    ReadDescriptor(root, format, sink);
  else
    sink.issue(ErrorAt(root,
                       "is no Kubernetes object (it has no `apiVersion` and `kind`), no "
                       "AWS Batch request or event and no job descriptor (none of "
                       "its members is a field of one)"));
}

void JobInput::ReadList(const Node& list, const Sink& sink, Claims& claims) const {
  const Node& items = *list.Find("items");
  for (std::size_t i = 0; i < items.children.size(); ++i) {
    const Node& item = items.children[i];
    const std::string prefix = absl::StrCat("items[", i, "]");
    if (!item.is_object())
      sink.issue(ErrorAt(item, absl::StrCat(prefix, ": expected an object, found ",
                                            std::string(internal::KindName(item.kind)))));
    else if (IsList(item))
      sink.issue(ErrorAt(item, absl::StrCat(prefix, ": a list within a list is not read")));
    else if (const Node object = WithKind(item, list);
             IsKubernetes(object) || IsBatch(object))
      ReadObject(object, prefix, sink, claims);
    else
      ReadDocument(item, Format::kJson, sink, claims);
  }
}

void JobInput::ReadObject(const Node& object, const std::string& prefix, const Sink& sink,
                          Claims& claims) const {
  const std::string json = internal::WriteJson(object);
  const auto fail = [prefix](const Node& place, const absl::Status& status, const Sink& to) {
    const std::string message(status.message());
    to.issue(ErrorAt(FindPlace(place, message),
                     prefix.empty() ? message : absl::StrCat(prefix, ": ", message)));
  };
  if (IsDeviceClaim(object)) {
    const absl::Status status = claims.known.Add(json);
    if (!status.ok()) fail(object, status, sink);
    return;
  }
  const auto emit = [](int line, DescribedJob job, const Sink& to) {
    InputJob input;
    static_cast<DescribedJob&>(input) = std::move(job);
    input.line = line;
    to.job(std::move(input));
  };
  if (!IsKubernetes(object)) {
    absl::StatusOr<std::vector<aws::DescribedItem>> items =
        aws_.DescribeAll(json, definition_json_);
    if (!items.ok()) return fail(object, items.status(), sink);
    for (aws::DescribedItem& item : *items) {
      const Node& place = FindPlace(object, item.place);
      if (!item.job.ok()) {
        fail(object, item.job.status(), sink);
      } else {
        emit(static_cast<int>(place.line), *std::move(item.job), sink);
      }
    }
    return;
  }
  absl::StatusOr<DescribedJob> described = kubernetes_.Describe(json, claims.known);
  if (!described.ok()) return fail(object, described.status(), sink);
  const int line = static_cast<int>(object.line);
  // A claim that it names may come later.
  if (!described->job.has_gpu_count()) {
    claims.Wait([this, json, emit, line, &claims](const Sink& to) {
      emit(line, *kubernetes_.Describe(json, claims.known), to);
    });
    return;
  }
  emit(line, *std::move(described), sink);
}

void JobInput::ReadDescriptor(const Node& object, Format format, const Sink& sink) const {
  InputJob input;
  input.line = static_cast<int>(object.line);
  std::vector<Issue> issues;
  internal::FillMessage(
      object, &input.job, &issues,
      format == Format::kText ? internal::Dialect::kText : internal::Dialect::kJson);
  // Only what could be read can be checked: a half-read number gives no second error.
  if (!HasErrors(issues)) {
    CheckDescriptor(input.job, &issues);
    for (Issue& issue : issues)
      if (issue.line == 0) SetPlace(issue, FindPlace(object, issue.path));
  }
  for (const Issue& issue : issues) sink.issue(issue);
  if (!HasErrors(issues)) sink.job(std::move(input));
}

}  // namespace precedent::cli
