#include "examples/batch_lambda/tick.h"

#include <algorithm>
#include <limits>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "examples/batch_lambda/batch.h"
#include "examples/batch_lambda/metrics.h"
#include "examples/batch_lambda/service_priority.h"
#include "src/json/document.h"

namespace precedent::batch_lambda {
namespace {

using json::Value;

constexpr std::int64_t kMaxMillis = std::int64_t{1} << 53;

// Depth and longest wait at the front of a list of jobs.
struct Front {
  std::int64_t jobs = 0;
  std::int64_t longest_seconds = 0;
};

Front ReadFront(Value jobs, std::int64_t now_ms) {
  Front front;
  for (const Value job : jobs.Items()) {
    ++front.jobs;
    const std::int64_t since =
        job.Get("earliestTimeAtPosition").Integer(0, kMaxMillis).value_or(now_ms);
    front.longest_seconds = std::max(front.longest_seconds, (now_ms - since) / 1000);
  }
  return front;
}

void Report(Work& work, const std::string& queue, const std::string& share, const Front& front) {
  work.metrics.push_back(
      MetricLine({{"QueueDepth", front.jobs}, {"LongestAtFrontSeconds", front.longest_seconds}},
                 {{"JobQueue", queue}, {"Share", share}}, work.now));
}

// A queue with fair share has one order; one with quota shares has one for each.
absl::Status Snapshot(Work& work, const std::string& queue) {
  const absl::StatusOr<std::string> text = QueueSnapshot(work.aws, queue);
  if (!text.ok()) return text.status();
  const auto document = json::Document::Parse(*text, "GetJobQueueSnapshot");
  if (!document.ok()) return absl::UnavailableError(document.status().message());
  const Value root = (*document)->root();
  const std::int64_t now_ms = absl::ToUnixMillis(work.now);
  const std::string name(LastPart(queue));
  if (const Value jobs = root.Get("frontOfQueue").Get("jobs"); jobs.present()) {
    Report(work, name, "all", ReadFront(jobs, now_ms));
  }
  for (const auto& share : root.Get("frontOfQuotaShares").Get("quotaShares").Members()) {
    Report(work, name, std::string(share.key), ReadFront(share.value, now_ms));
  }
  const Value fair = root.Get("queueUtilization").Get("fairshareUtilization");
  for (const Value share : fair.Get("topCapacityUtilization").Items()) {
    double used = 0;
    for (const Value usage : share.Get("capacityUsage").Items()) {
      used += usage.Get("quantity").Number().value_or(0);
    }
    const std::string id(share.Get("shareIdentifier").String().value_or("unknown"));
    work.metrics.push_back(MetricLine({{"CapacityUsed", static_cast<std::int64_t>(used)}},
                                      {{"JobQueue", name}, {"Share", id}}, work.now));
  }
  return (*document)->status();
}

absl::Status Age(Work& work, const std::string& queue) {
  const auto jobs = RunnableServiceJobs(work.aws, queue);
  // A queue of container jobs has none, and may say so by refusing.
  if (!jobs.ok()) {
    return absl::IsFailedPrecondition(jobs.status()) ? absl::OkStatus() : jobs.status();
  }
  for (const ServiceJobName& job : *jobs) {
    if (work.aws.Late()) break;
    const auto item = work.table.Get(absl::StrCat("submission/", job.name));
    if (!item.ok()) return item.status();
    if (!item->has_value()) continue;
    if (absl::Status status = RefreshPriority(work, job.id, job.name, **item); !status.ok()) {
      return status;
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status HandleTick(Work& work) {
  absl::Status first;
  for (const absl::string_view queue :
       absl::StrSplit(work.settings.snapshot_queues, ',', absl::SkipWhitespace())) {
    first.Update(Snapshot(work, std::string(queue)));
    first.Update(Age(work, std::string(queue)));
  }
  return first;
}

}  // namespace precedent::batch_lambda
