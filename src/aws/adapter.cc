// aws::Adapter: what the library promises, put together from the files beside this.
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "precedent/aws_batch.h"
#include "precedent/job_view.h"
#include "src/adapter/options.h"
#include "src/aws/documents.h"
#include "src/aws/instances.h"
#include "src/aws/prepare.h"
#include "src/aws/shape.h"
#include "src/aws/shares.h"
#include "src/aws/tags.h"
#include "src/json/document.h"
#include "src/json/object_editor.h"
#include "src/json/path.h"

namespace precedent::aws {
namespace {

using json::Document;
using json::Value;

// What the rules that applied say, besides the decision.
struct Sayings {
  std::vector<std::string> warnings;
  Tags annotations;  // per key the last
};

Sayings SayingsOf(const Evaluator& evaluator, const JobDescriptor& job, TimePoint now) {
  std::vector<std::uint32_t> rules(64);
  const std::size_t count = evaluator.AppliedRules(job, now, rules);
  const bool fits = count <= rules.size();
  rules.resize(count);
  if (!fits) evaluator.AppliedRules(job, now, rules);
  Sayings sayings;
  for (const std::uint32_t index : rules) {
    const RuleInfo rule = evaluator.rule(index);
    if (rule.warning) sayings.warnings.emplace_back(*rule.warning);
    for (std::uint32_t i = 0; i < rule.annotation_count; ++i) {
      const Annotation one = evaluator.annotation(index, i);
      const auto same = std::find_if(sayings.annotations.begin(), sayings.annotations.end(),
                                     [&](const auto& tag) { return tag.first == one.key; });
      if (same == sayings.annotations.end()) {
        sayings.annotations.emplace_back(one.key, one.value);
      } else {
        same->second = std::string(one.value);
      }
    }
  }
  return sayings;
}

absl::Status NoRequest(std::string_view needed) {
  return absl::InvalidArgumentError(absl::StrCat("is not ", std::string(needed)));
}

}  // namespace

class Adapter::Impl {
 public:
  static absl::StatusOr<std::shared_ptr<const Impl>> Create(const v1::AdapterOptions& options) {
    absl::StatusOr<adapter::Options> read = adapter::Options::Create(options);
    if (!read.ok()) return read.status();
    auto impl = std::make_shared<Impl>();
    impl->options_ = *std::move(read);
    if (absl::Status status = impl->instances_.Add(options); !status.ok()) return status;
    if (absl::Status status = impl->shares_.Set(options); !status.ok()) return status;
    if (options.fallback().has_priority()) impl->fallback_priority_ = options.fallback().priority();
    impl->fallback_class_ = options.fallback().priority_class();
    return std::shared_ptr<const Impl>(std::move(impl));
  }

  absl::StatusOr<std::vector<DescribedItem>> DescribeAll(std::string_view json,
                                                         std::string_view definition) const {
    absl::StatusOr<std::vector<ReadItem>> read = ReadAll(tables(), json, definition);
    if (!read.ok()) return read.status();
    std::vector<DescribedItem> items;
    for (ReadItem& item : *read) items.push_back(std::move(item));
    return items;
  }

  absl::StatusOr<std::vector<JobHistory>> Events(std::string_view json,
                                                 std::string_view definition) const {
    absl::StatusOr<std::vector<ReadItem>> read = ReadAll(tables(), json, definition);
    if (!read.ok()) return read.status();
    std::vector<JobHistory> histories;
    for (ReadItem& item : *read) {
      JobHistory history{std::move(item.place), std::move(item.message_id),
                         std::vector<v1::LineageEvent>()};
      if (!item.events.ok())
        history.events = item.events.status();
      else if (item.events->empty())
        history.events = absl::InvalidArgumentError(absl::StrCat(
            history.place, history.place.empty() ? "" : ": ",
            "tells of no job that was submitted: a request or a definition has no history"));
      else
        history.events = std::move(item.events);
      histories.push_back(std::move(history));
    }
    return histories;
  }

  Decision Decide(const Evaluator* evaluator, const JobDescriptor& job, TimePoint now) const {
    if (evaluator != nullptr) return evaluator->Evaluate(job, now);
    return FallbackDecision({fallback_priority_, fallback_class_});
  }

  absl::StatusOr<PreparedRequest> Prepare(std::string_view json, const Evaluator* evaluator,
                                          QueuePolicy queue, TimePoint now,
                                          std::string_view definition_json) const {
    const absl::StatusOr<std::unique_ptr<Document>> document = ParseObject(json);
    if (!document.ok()) return document.status();
    const Value root = (*document)->root();
    const Shape shape = ShapeOf(root);
    if (shape != Shape::kSubmitJob && shape != Shape::kSubmitServiceJob) {
      return NoRequest("the body of SubmitJob or SubmitServiceJob");
    }
    const bool service = shape == Shape::kSubmitServiceJob;
    std::unique_ptr<Document> definition;
    if (!definition_json.empty() && !service) {
      absl::StatusOr<std::unique_ptr<Document>> parsed = ParseObject(definition_json, "definition");
      if (!parsed.ok()) return parsed.status();
      definition = *std::move(parsed);
    }
    const Value defined = definition == nullptr ? Value() : definition->root();
    absl::StatusOr<ReadResult> read =
        ReadOne(tables(), shape, BodiesOf(shape, root, defined), **document, definition.get());
    if (!read.ok()) return read.status();

    PreparedRequest prepared;
    prepared.job = std::move(read->job);
    prepared.remarks = prepared.job.remarks;
    const JobView view(prepared.job.job);
    const JobDescriptor job = view.descriptor();
    prepared.decision = Decide(evaluator, job, now);
    if (prepared.decision.verdict == Verdict::kDeny) {
      return absl::PermissionDeniedError(
          absl::StrCat("the policy denies this job: ", json::Printable(prepared.decision.denial)));
    }
    Sayings sayings;
    if (evaluator != nullptr) sayings = SayingsOf(*evaluator, job, now);
    prepared.warnings = std::move(sayings.warnings);
    absl::StatusOr<std::string> body =
        WriteDecision({json, root, defined, service, prepared.job.job, read->limit, queue},
                      prepared.decision, sayings.annotations, options_, shares_, prepared.remarks);
    if (!body.ok()) return body.status();
    prepared.body = *std::move(body);
    return prepared;
  }

  absl::StatusOr<std::optional<std::string>> PrepareUpdate(std::string_view json,
                                                           const Evaluator* evaluator,
                                                           TimePoint now) const {
    absl::StatusOr<std::vector<DescribedItem>> items = DescribeAll(json, {});
    if (!items.ok()) return items.status();
    if (items->size() != 1 || !items->front().job.ok()) {
      return items->size() == 1 ? items->front().job.status() : NoRequest("one job's description");
    }
    const v1::JobDescriptor& described = items->front().job->job;
    if (described.kind() != "BatchServiceJob" || described.id().empty()) {
      return NoRequest("a service job that Batch describes; no other's priority can change");
    }
    const auto& labels = described.labels();
    const auto label = [&](const char* name) {
      const auto it = labels.find(name);
      return it == labels.end() ? std::string() : it->second;
    };
    const std::string status = label("aws:batch:status");
    const bool has_share = !label("aws:batch:share-identifier").empty() ||
                           !label("aws:batch:quota-share-name").empty();
    if (status == "SUCCEEDED" || status == "FAILED" || !has_share) return std::nullopt;
    const JobView view(described);
    const std::int32_t priority = ClampPriority(Decide(evaluator, view.descriptor(), now).priority);
    if (label("aws:batch:scheduling-priority") == absl::StrCat(priority)) return std::nullopt;
    absl::StatusOr<std::string> body = UpdateServiceJobBody(described.id(), priority);
    if (!body.ok()) return body.status();
    return std::optional<std::string>(*std::move(body));
  }

 private:
  Tables tables() const { return {options_, instances_}; }

  adapter::Options options_;
  InstanceTable instances_;
  ShareTable shares_;
  std::int32_t fallback_priority_ = Fallback().priority;
  std::string fallback_class_;
};

absl::StatusOr<Adapter> Adapter::Create(const v1::AdapterOptions& options) {
  absl::StatusOr<std::shared_ptr<const Impl>> impl = Impl::Create(options);
  if (!impl.ok()) return impl.status();
  return Adapter(*std::move(impl));
}

absl::StatusOr<std::vector<DescribedItem>> Adapter::DescribeAll(
    std::string_view json, std::string_view definition_json) const {
  return impl_->DescribeAll(json, definition_json);
}

absl::StatusOr<std::vector<JobHistory>> Adapter::Events(std::string_view json,
                                                        std::string_view definition_json) const {
  return impl_->Events(json, definition_json);
}

absl::StatusOr<DescribedJob> Adapter::Describe(std::string_view json,
                                               std::string_view definition_json) const {
  absl::StatusOr<std::vector<DescribedItem>> items = impl_->DescribeAll(json, definition_json);
  if (!items.ok()) return items.status();
  if (items->size() == 1) return std::move(items->front().job);
  return absl::InvalidArgumentError(
      absl::StrCat("holds ", items->size(), " jobs; one is expected"));
}

absl::StatusOr<PreparedRequest> Adapter::Prepare(std::string_view request_json,
                                                 const Evaluator* evaluator, QueuePolicy queue,
                                                 TimePoint now,
                                                 std::string_view definition_json) const {
  return impl_->Prepare(request_json, evaluator, queue, now, definition_json);
}

absl::StatusOr<std::optional<std::string>> Adapter::PrepareUpdate(std::string_view json,
                                                                  const Evaluator* evaluator,
                                                                  TimePoint now) const {
  return impl_->PrepareUpdate(json, evaluator, now);
}

absl::StatusOr<std::string> UpdateServiceJobBody(std::string_view job_id, std::int32_t priority) {
  std::string body = absl::StrCat("{\"jobId\":", json::Quote(job_id),
                                  ",\"schedulingPriority\":", ClampPriority(priority), "}");
  if (job_id.empty()) return absl::InvalidArgumentError("jobId: is missing");
  const auto parsed = Document::Parse(body);
  if (!parsed.ok()) return parsed.status();
  return body;
}

std::string BatchItemFailures(const std::vector<DescribedItem>& items) {
  std::string list;
  std::string last;
  for (const DescribedItem& item : items) {
    if (item.job.ok() || item.message_id.empty() || item.message_id == last) continue;
    absl::StrAppend(&list, list.empty() ? "" : ",",
                    "{\"itemIdentifier\":", json::Quote(item.message_id), "}");
    last = item.message_id;
  }
  return absl::StrCat("{\"batchItemFailures\":[", list, "]}");
}

}  // namespace precedent::aws
