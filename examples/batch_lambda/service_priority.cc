#include "examples/batch_lambda/service_priority.h"

#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "examples/batch_lambda/batch.h"
#include "examples/batch_lambda/report.h"
#include "src/json/document.h"

namespace precedent::batch_lambda {
namespace {

absl::StatusOr<std::int64_t> PriorityIn(const std::string& text) {
  const auto document = json::Document::Parse(text, "DescribeServiceJob");
  if (!document.ok()) return absl::UnavailableError(document.status().message());
  const auto priority = (*document)->root().Get("schedulingPriority").Integer(0, 9999);
  if (!(*document)->status().ok()) return absl::UnavailableError((*document)->status().message());
  return priority.value_or(0);
}

// Whether Policy.stability lets the job have another change. Hours begin with a change.
bool MayChange(const v1::Stability& stability, const Item& submission, std::int64_t now_ms) {
  const std::int64_t since = now_ms - submission.Number("changedAt");
  if (since < std::int64_t{1000} * stability.min_interval_seconds()) return false;
  const bool same_hour = now_ms - submission.Number("hourBegan") < 3'600'000;
  return stability.max_changes_per_hour() <= 0 || !same_hour ||
         submission.Number("changesInHour") < stability.max_changes_per_hour();
}

}  // namespace

absl::Status RefreshPriority(Work& work, const std::string& job_id, const std::string& job_name,
                             const Item& submission) {
  if (work.evaluator == nullptr) return absl::OkStatus();  // what was derived stays
  const std::int64_t now_ms = absl::ToUnixMillis(work.now);
  if (!MayChange(work.stability, submission, now_ms)) return absl::OkStatus();
  const absl::StatusOr<std::string> job = DescribeServiceJob(work.aws, job_id);
  if (!job.ok()) {
    return absl::IsFailedPrecondition(job.status()) ? absl::OkStatus() : job.status();
  }
  const auto update =
      work.adapter.PrepareUpdate(WithReport(*job, submission), work.evaluator, work.policy_now());
  if (!update.ok()) {  // its metadata cannot be read: it has the fallback, and keeps it
    work.Log(absl::StrCat(job_name, ": ", update.status().message()));
    return absl::OkStatus();
  }
  if (!update->has_value()) return absl::OkStatus();
  const absl::StatusOr<std::int64_t> before = PriorityIn(*job);
  if (!before.ok()) return before.status();
  const absl::StatusOr<std::int64_t> after = PriorityIn(**update);
  if (!after.ok()) return after.status();
  if (std::abs(*after - *before) < work.stability.min_change()) return absl::OkStatus();
  if (absl::Status status = UpdateServiceJob(work.aws, **update); !status.ok()) {
    // Such as one that has just ended.
    if (!absl::IsFailedPrecondition(status)) return status;
    work.Log(absl::StrCat(job_name, ": ", status.message()));
    return absl::OkStatus();
  }
  work.Count("PriorityChanges");
  const bool same_hour = now_ms - submission.Number("hourBegan") < 3'600'000;
  const absl::StatusOr<bool> written = work.table.Put(
      {absl::StrCat("submission/", job_name),
       "SET lastPriority = :priority, changedAt = :now, hourBegan = :hour, "
       "changesInHour = :changes",
       "",
       {{"priority", *after},
        {"now", now_ms},
        {"hour", same_hour ? submission.Number("hourBegan") : now_ms},
        {"changes", same_hour ? submission.Number("changesInHour") + 1 : std::int64_t{1}}}});
  return written.status();
}

}  // namespace precedent::batch_lambda
