#include "examples/batch_lambda/submit.h"

#include <algorithm>
#include <optional>
#include <random>
#include <string>

#include "absl/strings/str_cat.h"
#include "examples/batch_lambda/dead_letter.h"
#include "examples/batch_lambda/derive.h"
#include "examples/batch_lambda/sqs.h"
#include "examples/batch_lambda/submission.h"

namespace precedent::batch_lambda {
namespace {

// Longer than any message can be in a queue, and than Batch keeps a job.
constexpr absl::Duration kKept = absl::Hours(24 * 30);
constexpr std::int64_t kLongestVisibility = 43'200;

std::string Random() {
  std::random_device device;
  std::string text;
  for (int i = 0; i < 4; ++i) absl::StrAppend(&text, absl::Hex(device(), absl::kZeroPad8));
  return text;
}

class Submitter {
 public:
  Submitter(Work& work, const Message& message, Submission submission)
      : work_(work),
        message_(message),
        submission_(std::move(submission)),
        key_(absl::StrCat("submission/", submission_.job_name)),
        token_(Random()) {}

  Verdict Run() {
    const std::int64_t early = submission_.not_before - absl::ToUnixMillis(work_.now);
    if (early > 0) return Wait((early + 999) / 1000);
    const absl::StatusOr<bool> fresh = Claim();
    if (!fresh.ok()) return Retry(fresh.status());
    return *fresh ? SubmitJob() : TakeOver();
  }

 private:
  Verdict Retry(const absl::Status& status) {
    work_.Log(absl::StrCat(submission_.job_name, ": again later: ", status.message()));
    work_.Count("Retries");
    return Verdict::kRetry;
  }

  // Its time has not come: it becomes visible then, and until then is one that failed.
  Verdict Wait(std::int64_t seconds) {
    const absl::Status status =
        ChangeVisibility(work_.aws, work_.settings.queue_url, message_.receipt,
                         std::chrono::seconds(std::min(seconds, kLongestVisibility)));
    if (!status.ok()) work_.Log(std::string(status.message()));
    work_.Count("Waiting");
    return Verdict::kRetry;
  }

  // Whether nobody had it before; or, with `old_state`, whether it was in that state.
  absl::StatusOr<bool> Claim(const char* old_state = nullptr) {
    Write claim{
        key_,
        "SET jobState = :state, claimToken = :token, claimedAt = :at, submissionId = :id, "
        "chainId = :chain, attemptNumber = :attempt, requestBody = :request, jobQueue = :queue, "
        "jobKind = :kind, expiresAt = :expires",
        old_state == nullptr ? "attribute_not_exists(jobState)" : "jobState = :old",
        {{"state", "claimed"},
         {"token", token_},
         {"at", absl::ToUnixMillis(work_.now)},
         {"id", submission_.id},
         {"chain", submission_.chain},
         {"attempt", submission_.attempt},
         {"request", submission_.request},
         {"queue", submission_.job_queue},
         {"kind", submission_.service ? "service" : "job"},
         {"expires", absl::ToUnixSeconds(work_.now + kKept)}}};
    if (old_state != nullptr) claim.values.insert_or_assign("old", Attribute(old_state));
    return work_.table.Put(claim);
  }

  Verdict TakeOver() {
    const absl::StatusOr<std::optional<Item>> item = work_.table.Get(key_);
    if (!item.ok()) return Retry(item.status());
    if (!item->has_value()) return Retry(absl::UnavailableError("the item has gone"));
    const Item& old = **item;
    if (old.Text("jobState") == "dead") {
      // Somebody has put right what was wrong and sent the dead letter again; or it is a
      // duplicate, and becomes a second dead letter.
      const absl::StatusOr<bool> again = Claim("dead");
      if (!again.ok()) return Retry(again.status());
      return *again ? SubmitJob() : Retry(absl::UnavailableError("somebody else is at it"));
    }
    if (old.Text("jobState") != "claimed") {
      work_.Count("Duplicates");
      return Verdict::kDone;
    }
    // Our own write, which was sent again because nobody had answered.
    if (old.Text("claimToken") == token_) return SubmitJob();
    const std::int64_t until = old.Number("claimedAt") + work_.settings.claim.count();
    if (absl::ToUnixMillis(work_.now) < until) {
      return Retry(absl::UnavailableError("somebody else is at it"));
    }
    const absl::StatusOr<bool> taken = work_.table.Put({key_,
                                                        "SET claimToken = :token, claimedAt = :at",
                                                        "jobState = :state AND claimToken = :old",
                                                        {{"token", token_},
                                                         {"at", absl::ToUnixMillis(work_.now)},
                                                         {"state", "claimed"},
                                                         {"old", old.Text("claimToken")}}});
    if (!taken.ok()) return Retry(taken.status());
    if (!*taken) return Retry(absl::UnavailableError("somebody else has taken it over"));
    work_.Count("Recovered");
    const absl::StatusOr<std::optional<std::string>> job =
        FindJob(work_.aws, submission_.service, submission_.job_queue, submission_.job_name);
    if (!job.ok()) return Release(job.status());
    // With which priority, its events will tell.
    return job->has_value() ? Finish("submitted", **job, std::nullopt) : SubmitJob();
  }

  Verdict SubmitJob() {
    const absl::StatusOr<Derived> derived = Derive(work_, submission_);
    if (!derived.ok()) {
      const bool never =
          absl::IsPermissionDenied(derived.status()) || absl::IsInvalidArgument(derived.status());
      if (!never) return Release(derived.status());
      return Bury(std::string(derived.status().message()));
    }
    const Submitted submitted = Submit(work_.aws, submission_.service, derived->body);
    switch (submitted.result) {
      case Submitted::Result::kRefused:
        return Bury(submitted.reason);
      case Submitted::Result::kNot:
        return Release(absl::UnavailableError(submitted.reason));
      case Submitted::Result::kUncertain:
        // The claim stays: who takes it over asks Batch first, and not at once, since
        // Batch may list a new job a moment late.
        return Retry(absl::UnavailableError(submitted.reason));
      case Submitted::Result::kDone:
        break;
    }
    work_.Count("Submitted");
    if (!derived->fallback.empty()) {
      work_.Count("Fallbacks");
      work_.Log(absl::StrCat(submission_.job_name, ": fallback: ", derived->fallback));
    }
    return Finish("submitted", submitted.job_id, derived->priority);
  }

  Verdict Bury(const std::string& reason) {
    if (absl::Status status = SendDeadLetter(work_, message_.body, message_.id, reason);
        !status.ok()) {
      return Release(status);
    }
    return Finish("dead", "", std::nullopt);
  }

  Verdict Finish(const char* state, const std::string& job_id,
                 std::optional<std::int32_t> priority) {
    Write finish{key_,
                 "SET jobState = :state, jobId = :id",
                 "jobState = :claimed AND claimToken = :token",
                 {{"state", state}, {"id", job_id}, {"claimed", "claimed"}, {"token", token_}}};
    if (priority.has_value()) {
      finish.update += ", lastPriority = :priority";
      finish.values.insert_or_assign("priority", Attribute(std::int64_t{*priority}));
    }
    const absl::StatusOr<bool> written = work_.table.Put(finish);
    // Unwritten, the next one to come finds the job by its name.
    if (!written.ok()) return Retry(written.status());
    // Else an event about the job came first and has written it.
    return Verdict::kDone;
  }

  // Nothing was submitted, so the next one need not wait until the claim is old.
  Verdict Release(const absl::Status& status) {
    const absl::StatusOr<bool> written =
        work_.table.Put({key_,
                         "SET claimedAt = :at",
                         "jobState = :claimed AND claimToken = :token",
                         {{"at", std::int64_t{0}}, {"claimed", "claimed"}, {"token", token_}}});
    if (!written.ok()) work_.Log(std::string(written.status().message()));
    return Retry(status);
  }

  Work& work_;
  const Message& message_;
  const Submission submission_;
  const std::string key_;
  const std::string token_;
};

}  // namespace

Verdict HandleSubmission(Work& work, const Message& message) {
  absl::StatusOr<Submission> submission =
      ReadSubmission(message.body, message.id, work.settings.job_queue);
  if (submission.ok()) return Submitter(work, message, *std::move(submission)).Run();
  const absl::Status status =
      SendDeadLetter(work, message.body, message.id, std::string(submission.status().message()));
  if (status.ok()) return Verdict::kDone;
  work.Log(absl::StrCat("again later: ", status.message()));
  work.Count("Retries");
  return Verdict::kRetry;
}

}  // namespace precedent::batch_lambda
