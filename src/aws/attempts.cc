#include "src/aws/attempts.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/string_view.h"

namespace precedent::aws {
namespace {

using json::Value;

constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();

absl::string_view View(std::string_view text) { return {text.data(), text.size()}; }

bool Begins(std::string_view text, std::string_view with) {
  return text.substr(0, with.size()) == with;
}

// `words` in lower case.
bool Says(std::string_view text, std::string_view words) {
  return absl::StrContains(absl::AsciiStrToLower(View(text)), View(words));
}

std::string_view Text(Value value) { return value.String().value_or(std::string_view()); }

// The containers of an attempt: one, those of an ECS task, or those of a pod.
std::vector<Value> Containers(Value attempt) {
  std::vector<Value> all;
  const Value one = attempt.Get("container");
  if (one.present()) all.push_back(one);
  for (const Value task : attempt.Get("taskProperties").Items()) {
    for (const Value container : task.Get("containers").Items()) all.push_back(container);
  }
  for (const char* list : {"initContainers", "containers"}) {
    for (const Value container : attempt.Get(list).Items()) all.push_back(container);
  }
  return all;
}

AttemptFacts ReadFacts(Value attempt) {
  AttemptFacts facts;
  facts.status_reason = Text(attempt.Get("statusReason"));
  facts.ended = attempt.Get("stoppedAt").Integer(0, kMax).value_or(0) > 0;
  for (const Value container : Containers(attempt)) {
    const std::string_view reason = Text(container.Get("reason"));
    if (facts.container_reason.empty()) facts.container_reason = reason;
    const auto code = container.Get("exitCode")
                          .Integer(std::numeric_limits<std::int32_t>::min(),
                                   std::numeric_limits<std::int32_t>::max());
    if (code.has_value() && facts.exit_code.value_or(0) == 0) facts.exit_code = code;
  }
  return facts;
}

void AddTo(std::int64_t more, std::int64_t old, void (v1::Lineage::*set)(std::int64_t),
           v1::Lineage& lineage) {
  if (more == 0) return;
  (lineage.*set)(old > kMax - more ? kMax : old + more);
}

}  // namespace

AttemptEnd Classify(const AttemptFacts& facts) {
  if (!facts.ended) return AttemptEnd::kRunning;
  if (facts.stopped_by_hand) return AttemptEnd::kUnknown;
  const std::string_view status = facts.status_reason;
  if (Begins(status, "Host EC2")) return AttemptEnd::kHostLoss;
  if (Says(status, "preempt")) return AttemptEnd::kPreemption;
  if (Says(status, "duration exceeded timeout") || Says(status, "maxruntimeexceeded")) {
    return AttemptEnd::kTimeout;
  }
  if (Says(status, "sagemaker:internalservererror") || Says(status, "sagemaker:capacityerror") ||
      Begins(facts.container_reason, "DockerTimeoutError")) {
    return AttemptEnd::kHostLoss;
  }
  if (facts.exit_code.has_value()) {
    return *facts.exit_code == 0 ? AttemptEnd::kSucceeded : AttemptEnd::kOwnFailure;
  }
  // As the ECS agent and the kubelet say it.
  if (Begins(facts.container_reason, "OutOfMemory") || facts.container_reason == "OOMKilled" ||
      Says(status, "sagemaker:algorithmerror")) {
    return AttemptEnd::kOwnFailure;
  }
  return AttemptEnd::kUnknown;
}

bool IsStoppedByHand(Value job) {
  const Value terminated = job.Get("isTerminated");
  const Value cancelled = job.Get("isCancelled");
  return terminated.Bool().value_or(false) || cancelled.Bool().value_or(false);
}

std::vector<Attempt> ListAttempts(Value job) {
  std::vector<Value> attempts = job.Get("attempts").Items().ToVector();
  const std::vector<Value> pods = job.Get("eksAttempts").Items().ToVector();
  attempts.insert(attempts.end(), pods.begin(), pods.end());
  const bool by_hand = IsStoppedByHand(job);
  std::vector<Attempt> list;
  for (std::size_t i = 0; i < attempts.size(); ++i) {
    AttemptFacts facts = ReadFacts(attempts[i]);
    const bool is_last = i + 1 == attempts.size();
    facts.stopped_by_hand = by_hand && is_last;
    // The reason of the job is that of its last attempt.
    if (is_last && facts.status_reason.empty()) facts.status_reason = Text(job.Get("statusReason"));
    list.push_back({Classify(facts), attempts[i].Get("startedAt").Integer(0, kMax).value_or(0),
                    attempts[i].Get("stoppedAt").Integer(0, kMax).value_or(0)});
  }
  return list;
}

void ReadAttempts(Value job, adapter::Draft& draft) {
  const std::vector<Attempt> attempts = ListAttempts(job);
  std::int64_t failures = 0;
  std::int64_t losses = 0;
  std::int64_t preemptions = 0;
  AttemptEnd last = AttemptEnd::kRunning;
  draft.carried = draft.out.job.lineage();
  v1::Lineage lineage = draft.carried;
  for (const Attempt& attempt : attempts) {
    const AttemptEnd end = attempt.end;
    failures += end == AttemptEnd::kOwnFailure || end == AttemptEnd::kTimeout ? 1 : 0;
    losses += end == AttemptEnd::kHostLoss ? 1 : 0;
    preemptions += end == AttemptEnd::kPreemption ? 1 : 0;
    if (end == AttemptEnd::kRunning) continue;
    last = end;
    // An attempt that never ran has no start.
    if (attempt.started > 0 && attempt.stopped >= attempt.started) {
      lineage.set_predecessor_runtime_seconds(
          static_cast<double>(attempt.stopped - attempt.started) / 1000);
    }
  }
  const Value summary = job.Get("preemptionSummary");
  // The service counts better than the list, which may hold only the recent ones.
  preemptions =
      std::max(preemptions, summary.Get("preemptedAttemptCount").Integer(0, kMax).value_or(0));
  AddTo(failures, lineage.failure_count(), &v1::Lineage::set_failure_count, lineage);
  AddTo(losses, lineage.infrastructure_failure_count(),
        &v1::Lineage::set_infrastructure_failure_count, lineage);
  AddTo(preemptions, lineage.preemption_count(), &v1::Lineage::set_preemption_count, lineage);
  if (!attempts.empty()) lineage.set_attempt(static_cast<std::int64_t>(attempts.size()));
  if (last == AttemptEnd::kPreemption) lineage.set_retry_of_preempted(true);
  if (lineage.ByteSizeLong() > 0) *draft.out.job.mutable_lineage() = lineage;
}

}  // namespace precedent::aws
