#include "examples/batch_lambda/requeue.h"

#include <simdjson.h>

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "examples/batch_lambda/dead_letter.h"
#include "examples/batch_lambda/scheduler.h"
#include "examples/batch_lambda/sqs.h"
#include "examples/batch_lambda/submission.h"
#include "precedent/backoff.h"

namespace precedent::batch_lambda {
namespace {

using std::chrono::milliseconds;

// So many may end at one moment, and each has to find a moment of its own to write.
constexpr int kTries = 30;
constexpr milliseconds kLongestDelay{900'000};
constexpr absl::Duration kKept = absl::Hours(24 * 30);

// `[importance,shortest,longest]` of each, in one list.
std::string OrderText(const RequeueOrder& order) {
  std::string text = "[";
  order.ForEach([&text](std::int32_t importance, milliseconds shortest, milliseconds longest) {
    absl::StrAppend(&text, text.size() > 1 ? "," : "", "[", importance, ",", shortest.count(), ",",
                    longest.count(), "]");
  });
  return text + "]";
}

RequeueOrder ReadOrder(const std::string& text) {
  RequeueOrder order;
  simdjson::dom::parser parser;
  simdjson::dom::array all;
  if (text.empty() || parser.parse(text).get(all) != simdjson::SUCCESS) return order;
  for (const simdjson::dom::element each : all) {
    std::int64_t importance = 0;
    std::int64_t shortest = 0;
    std::int64_t longest = 0;
    if (each.at(0).get(importance) != simdjson::SUCCESS ||
        each.at(1).get(shortest) != simdjson::SUCCESS ||
        each.at(2).get(longest) != simdjson::SUCCESS) {
      continue;
    }
    order.Place(static_cast<std::int32_t>(importance), milliseconds(shortest));
    order.Place(static_cast<std::int32_t>(importance), milliseconds(longest));
  }
  return order;
}

// When the job may come back, in milliseconds since 1970: decided once, and stored.
absl::StatusOr<std::int64_t> Place(Work& work, const Change& change, std::int64_t ended,
                                   milliseconds wanted) {
  const std::string job_key = absl::StrCat("job/", change.job_id);
  const std::string burst_key =
      absl::StrCat("burst/", std::string(LastPart(change.job_queue)), "/", ended / 60'000);
  for (int i = 0; i < kTries && !work.aws.Late(); ++i) {
    const absl::StatusOr<std::optional<Item>> job = work.table.Get(job_key);
    if (!job.ok()) return job.status();
    if (job->has_value() && (*job)->Number("notBefore") > 0) return (*job)->Number("notBefore");
    const absl::StatusOr<std::optional<Item>> burst = work.table.Get(burst_key);
    if (!burst.ok()) return burst.status();
    const Item old = burst->value_or(Item());
    const std::int64_t number = old.Number("changeNumber");
    RequeueOrder order = ReadOrder(old.Text("placedJobs"));
    const std::int64_t not_before = ended + order.Place(change.priority, wanted).count();
    std::map<std::string, Attribute> values = {{"placed", OrderText(order)},
                                               {"next", number + 1},
                                               {"expires", absl::ToUnixSeconds(work.now + kKept)}};
    if (number > 0) values.insert_or_assign("old", Attribute(number));
    const absl::StatusOr<bool> written = work.table.PutAll(
        {{burst_key, "SET placedJobs = :placed, changeNumber = :next, expiresAt = :expires",
          number > 0 ? "changeNumber = :old" : "attribute_not_exists(changeNumber)", values},
         {job_key,
          "SET notBefore = :time",
          "attribute_not_exists(notBefore)",
          {{"time", not_before}}}});
    // Others may be writing just now: not written, once more.
    if (written.ok() && *written) return not_before;
    if (!written.ok() && !absl::IsUnavailable(written.status())) return written.status();
  }
  return absl::UnavailableError("too many jobs are placed at once");
}

}  // namespace

absl::Status Requeue(Work& work, const Change& change, std::string_view message_id) {
  const std::string job_key = absl::StrCat("job/", change.job_id);
  const absl::StatusOr<std::optional<Item>> job = work.table.Get(job_key);
  if (!job.ok()) return job.status();
  if (job->has_value() && !(*job)->Text("requeuedAs").empty()) return absl::OkStatus();

  const std::string chain = change.submission.Text("chainId");
  const std::int64_t attempt = std::max<std::int64_t>(1, change.submission.Number("attemptNumber"));
  const std::string request = change.submission.Text("requestBody");
  const Backoff backoff(work.settings.backoff);
  const auto wanted = backoff.Delay(chain, static_cast<std::int32_t>(attempt));
  std::string sent_as = "dead letter";
  if (!wanted.has_value()) {
    absl::Status status = SendDeadLetter(
        work, Envelope(chain, attempt + 1, 0, request), message_id,
        absl::StrCat("given up: job ", change.job_id, " was attempt ", attempt, " of ",
                     backoff.options().attempts, " and was preempted or lost its host"));
    if (!status.ok()) return status;
  } else {
    const std::int64_t now = absl::ToUnixMillis(work.now);
    const std::int64_t ended = change.stopped_at > 0 ? change.stopped_at : now;
    const absl::StatusOr<std::int64_t> not_before = Place(work, change, ended, *wanted);
    if (!not_before.ok()) return not_before.status();
    const milliseconds left(std::max<std::int64_t>(0, *not_before - now));
    const std::string message = Envelope(chain, attempt + 1, *not_before, request);
    const absl::Status status =
        CarrierOf(left) == DelayCarrier::kScheduler
            ? ScheduleMessage(work.aws, work.settings, absl::StrCat(chain, "/", attempt + 1),
                              absl::FromUnixMillis(*not_before), message)
            : SendMessage(work.aws, work.settings.queue_url, message,
                          std::min(left, kLongestDelay));
    if (!status.ok()) return status;
    sent_as = absl::StrCat(chain, "/", attempt + 1);
    work.Count("Requeued");
  }
  const absl::StatusOr<bool> written =
      work.table.Put({job_key,
                      "SET requeuedAs = :as, expiresAt = :expires",
                      "",
                      {{"as", sent_as}, {"expires", absl::ToUnixSeconds(work.now + kKept)}}});
  return written.status();
}

}  // namespace precedent::batch_lambda
