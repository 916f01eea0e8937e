#include "examples/batch_lambda/derive.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "examples/batch_lambda/lineage_tags.h"
#include "precedent/job_descriptor.h"
#include "src/json/document.h"
#include "src/json/object_editor.h"

namespace precedent::batch_lambda {
namespace {

using json::ObjectEditor;

constexpr std::size_t kMaxTags = 50;
constexpr std::size_t kMaxTag = 256;

// In what tags may have.
std::string TagText(std::string_view text) {
  std::string out(text.substr(0, kMaxTag));
  for (char& c : out) {
    const bool fine = absl::ascii_isalnum(static_cast<unsigned char>(c)) ||
                      std::string_view(" +-=._:/@").find(c) != std::string_view::npos;
    if (!fine) c = '_';
  }
  return out;
}

void SetTag(std::string_view key, const std::string& value, ObjectEditor& tags) {
  if (!tags.Find(key).has_value() && tags.size() >= kMaxTags) return;
  tags.Set(key, json::Quote(value));
}

// Lays over the request what its chain went through: what its own metadata said of the
// time before, and all that was counted since.
absl::Status AddLineage(Work& work, const Submission& submission, std::string& request) {
  const absl::StatusOr<std::optional<Item>> chain =
      work.table.Get(absl::StrCat("chain/", submission.chain));
  if (!chain.ok()) return chain.status();
  const Item counted = chain->value_or(Item());
  v1::Lineage before;
  if (const auto described = work.adapter.Describe(request); described.ok()) {
    before = described->job.lineage();
  }
  ObjectEditor editor(request);
  const std::string old(editor.Find("tags").value_or("{}"));
  ObjectEditor tags(old);
  const std::pair<const char*, std::int64_t> counts[] = {
      {kFailuresTag, before.failure_count() + counted.Number("failureCount")},
      {kPreemptionsTag, before.preemption_count() + counted.Number("preemptionCount")},
      {kLossesTag, before.infrastructure_failure_count() + counted.Number("lossCount")},
      {kAttemptTag, submission.attempt}};
  for (const auto& [key, count] : counts) SetTag(key, absl::StrCat(count), tags);
  if (const std::string parent = counted.Text("lastJobId"); !parent.empty()) {
    SetTag(kParentTag, parent, tags);
  }
  editor.Set("tags", tags.Text());
  request = editor.Text();
  return absl::OkStatus();
}

// Of the request what names its share, and the tags that can be read each by itself: the
// team may be among them.
std::string Skeleton(const aws::Adapter& adapter, const ObjectEditor& request) {
  ObjectEditor skeleton("{}");
  for (const char* member : {"jobName", "jobQueue", "jobDefinition", "serviceJobType",
                             "shareIdentifier", "quotaShareName"}) {
    const auto value = request.Find(member);
    if (value.has_value() && value->front() == '"') skeleton.Set(member, std::string(*value));
  }
  const std::string bare = skeleton.Text();
  ObjectEditor readable("{}");
  const auto all = json::Document::Parse(request.Find("tags").value_or("{}"));
  if (!all.ok()) return bare;
  for (const auto& tag : (*all)->root().Members()) {
    const auto text = tag.value.String();
    if (!text.has_value()) continue;
    ObjectEditor one("{}");
    one.Set(tag.key, json::Quote(*text));
    ObjectEditor with_one(bare);
    with_one.Set("tags", one.Text());
    if (adapter.Describe(with_one.Text()).ok()) readable.Set(tag.key, json::Quote(*text));
  }
  ObjectEditor with_all(bare);
  with_all.Set("tags", readable.Text());
  return with_all.Text();
}

absl::StatusOr<Derived> Fallback(Work& work, const std::string& request, bool service,
                                 aws::QueuePolicy queue, const std::string& why) {
  ObjectEditor editor(request);
  const absl::StatusOr<aws::PreparedRequest> prepared =
      work.adapter.Prepare(Skeleton(work.adapter, editor), nullptr, queue, work.policy_now());
  if (!prepared.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat(why, "; nor with the fallback: ", std::string(prepared.status().message())));
  }
  Derived derived;
  derived.fallback = why;
  derived.priority = prepared->decision.priority;
  if (work.evaluator != nullptr) {  // its policy has a fallback of its own
    JobDescriptor unreadable;
    unreadable.gpu_count = -1;
    derived.priority = work.evaluator->Evaluate(unreadable, work.policy_now()).priority;
  }
  derived.priority = std::clamp(derived.priority, 0, 9999);
  const ObjectEditor skeleton(prepared->body);
  for (const char* member : {"shareIdentifier", "quotaShareName"}) {
    const auto value = skeleton.Find(member);
    if (value.has_value())
      editor.Set(member, std::string(*value));
    else
      editor.Remove(member);
  }
  const char* priority = service ? "schedulingPriority" : "schedulingPriorityOverride";
  if (queue == aws::QueuePolicy::kNone)
    editor.Remove(priority);
  else
    editor.Set(priority, absl::StrCat(derived.priority));
  const std::string old(editor.Find("tags").value_or("{}"));
  ObjectEditor tags(old);
  SetTag("precedent.dev/priority", absl::StrCat(derived.priority), tags);
  SetTag("precedent.dev/reason", "FALLBACK_INVALID_INPUT", tags);
  SetTag("precedent.dev/fallback", TagText(why), tags);
  editor.Set("tags", tags.Text());
  derived.body = editor.Text();
  return derived;
}

}  // namespace

void AddLineageKeys(v1::AdapterOptions& options) {
  const std::pair<const char*, const char*> keys[] = {{"infrastructure_failure_count", kLossesTag},
                                                      {"attempt", kAttemptTag},
                                                      {"step", kStepTag},
                                                      {"progress", kProgressTag},
                                                      {"reported_priority", kReportedPriorityTag}};
  for (const auto& [attribute, key] : keys) {
    const bool given = std::any_of(options.keys().begin(), options.keys().end(),
                                   [name = std::string(attribute)](const v1::MetadataKeys& each) {
                                     return each.attribute() == name;
                                   });
    if (given) continue;
    v1::MetadataKeys& more = *options.add_keys();
    more.set_attribute(attribute);
    more.add_keys(key);
  }
}

absl::StatusOr<Derived> Derive(Work& work, const Submission& submission) {
  ObjectEditor editor(submission.request);
  editor.Set("jobName", json::Quote(submission.job_name));
  if (submission.service) editor.Set("clientToken", json::Quote(Digest(submission.id)));
  std::string request = editor.Text();
  if (submission.attempt > 1) {
    if (absl::Status status = AddLineage(work, submission, request); !status.ok()) return status;
  }
  std::string definition;
  if (!submission.job_definition.empty()) {
    absl::StatusOr<std::string> found = work.definitions.Get(submission.job_definition, work.now);
    if (found.ok()) {
      definition = *std::move(found);
    } else if (absl::IsFailedPrecondition(found.status())) {
      // Without permission to look, what only the definition tells is absent.
      work.Log(std::string(found.status().message()));
    } else {
      return found.status();
    }
  }
  const aws::QueuePolicy queue = work.settings.PolicyOf(submission.job_queue);
  const absl::StatusOr<aws::PreparedRequest> prepared =
      work.adapter.Prepare(request, work.evaluator, queue, work.policy_now(), definition);
  if (!prepared.ok()) {
    if (!absl::IsInvalidArgument(prepared.status())) return prepared.status();
    return Fallback(work, request, submission.service, queue,
                    std::string(prepared.status().message()));
  }
  for (const std::string& remark : prepared->remarks) {
    work.Log(absl::StrCat(submission.job_name, ": ", remark));
  }
  for (const std::string& warning : prepared->warnings) {
    work.Log(absl::StrCat(submission.job_name, ": warning: ", warning));
  }
  Derived derived;
  derived.body = prepared->body;
  derived.priority = std::clamp(prepared->decision.priority, 0, 9999);
  if (prepared->decision.reason != Reason::kDerived) {
    derived.fallback = work.evaluator == nullptr ? "no policy is live" : "no decision";
  }
  return derived;
}

}  // namespace precedent::batch_lambda
