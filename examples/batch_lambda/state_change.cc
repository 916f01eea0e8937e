#include "examples/batch_lambda/state_change.h"

#include <simdjson.h>

#include <algorithm>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "examples/batch_lambda/dead_letter.h"
#include "examples/batch_lambda/requeue.h"
#include "examples/batch_lambda/service_priority.h"
#include "src/json/document.h"
#include "src/json/object_editor.h"

namespace precedent::batch_lambda {
namespace {

using json::ObjectEditor;

constexpr int kTries = 8;
constexpr absl::Duration kKept = absl::Hours(24 * 30);

// What a job went through by itself.
struct Own {
  std::int64_t attempts = 0;
  std::int64_t failures = 0;
  std::int64_t preemptions = 0;
  std::int64_t losses = 0;
};

// What of an event's detail tells how attempts ended. Without its metadata, which tell
// what came before the job.
constexpr const char* kOfAttempts[] = {"jobId",       "jobName",        "jobQueue",
                                       "status",      "statusReason",   "isTerminated",
                                       "isCancelled", "serviceJobType", "jobDefinition"};

absl::StatusOr<Own> Count(const aws::Adapter& adapter, std::string_view event,
                          const std::string& attempts, const char* list, bool summary) {
  ObjectEditor editor(event);
  const std::string detail_text(*editor.Find("detail"));
  const ObjectEditor detail(detail_text);
  ObjectEditor reduced("{}");
  for (const char* member : kOfAttempts) {
    if (const auto value = detail.Find(member)) reduced.Set(member, std::string(*value));
  }
  if (summary) {
    if (const auto value = detail.Find("preemptionSummary")) {
      reduced.Set("preemptionSummary", std::string(*value));
    }
  }
  reduced.Set(list, attempts);
  editor.Set("detail", reduced.Text());
  const absl::StatusOr<DescribedJob> described = adapter.Describe(editor.Text());
  if (!described.ok()) return described.status();
  const v1::Lineage& lineage = described->job.lineage();
  return Own{lineage.attempt(), lineage.failure_count(), lineage.preemption_count(),
             lineage.infrastructure_failure_count()};
}

class StateChange {
 public:
  StateChange(Work& work, std::string_view event, std::string_view message_id)
      : work_(work), event_(event), message_id_(message_id) {}

  Verdict Run() {
    absl::Status status = Read();
    if (status.ok() && ours_) status = Apply();
    if (status.ok()) return Verdict::kDone;
    if (absl::IsInvalidArgument(status) || absl::IsUnimplemented(status)) {
      status = SendDeadLetter(work_, event_, message_id_, std::string(status.message()));
      if (status.ok()) return Verdict::kDone;
    }
    work_.Log(absl::StrCat(change_.job_name, ": event again later: ", status.message()));
    work_.Count("Retries");
    return Verdict::kRetry;
  }

 private:
  absl::Status Read() {
    const auto document = json::Document::Parse(event_);
    if (!document.ok()) return document.status();
    const json::Value root = (*document)->root();
    const json::Value detail = root.Get("detail");
    const auto text = [](json::Value value) {
      return std::string(value.String().value_or(std::string_view()));
    };
    constexpr std::int64_t kMax = std::int64_t{1} << 53;
    change_.service = text(root.Get("detail-type")) == "Batch Service Job State Change";
    change_.job_name = text(detail.Get("jobName"));
    change_.job_id = text(detail.Get("jobId"));
    change_.job_queue = text(detail.Get("jobQueue"));
    change_.status = text(detail.Get("status"));
    change_.stopped_at = detail.Get("stoppedAt").Integer(0, kMax).value_or(0);
    const auto priority = detail.Get("schedulingPriority").Integer(0, 9999);
    list_ = detail.Get("eksAttempts").is_array() ? "eksAttempts" : "attempts";
    array_ = absl::StrContains(change_.job_id, ":") || detail.Get("arrayProperties").present();
    if (!(*document)->status().ok()) return (*document)->status();
    if (change_.job_name.empty() || change_.job_id.empty()) {
      return absl::InvalidArgumentError("detail: has no jobName or no jobId");
    }
    const absl::StatusOr<std::optional<Item>> item =
        work_.table.Get(absl::StrCat("submission/", change_.job_name));
    if (!item.ok()) return item.status();
    ours_ = item->has_value();
    if (!ours_) {
      work_.Count("ForeignEvents");
      return absl::OkStatus();
    }
    change_.submission = **item;
    change_.priority =
        static_cast<std::int32_t>(priority.value_or(change_.submission.Number("lastPriority")));
    return ReadAttempts();
  }

  absl::Status ReadAttempts() {
    simdjson::dom::parser parser;
    simdjson::dom::array attempts;
    std::string all = "[]";
    std::string but_last = "[]";
    simdjson::dom::element root;
    if (parser.parse(event_.data(), event_.size()).get(root) == simdjson::SUCCESS &&
        root["detail"][list_].get(attempts) == simdjson::SUCCESS) {
      all = simdjson::minify(attempts);
      but_last = "[";
      std::size_t left = attempts.size();
      for (const simdjson::dom::element attempt : attempts) {
        if (--left == 0) break;
        absl::StrAppend(&but_last, but_last.size() > 1 ? "," : "",
                        std::string(simdjson::minify(attempt)));
      }
      but_last += ']';
    }
    const absl::StatusOr<Own> own = Count(work_.adapter, event_, all, list_, true);
    if (!own.ok()) return own.status();
    own_ = *own;
    // The end of the last attempt is what it adds to those before it.
    const absl::StatusOr<Own> plain = Count(work_.adapter, event_, all, list_, false);
    const absl::StatusOr<Own> before = Count(work_.adapter, event_, but_last, list_, false);
    if (!plain.ok()) return plain.status();
    if (!before.ok()) return before.status();
    taken_away_ = plain->preemptions > before->preemptions || plain->losses > before->losses;
    return absl::OkStatus();
  }

  absl::Status Apply() {
    if (absl::Status status = FinishSubmission(); !status.ok()) return status;
    if (absl::Status status = AddToLineage(); !status.ok()) return status;
    if (change_.status == "FAILED" && taken_away_) {
      if (array_) {
        // A child cannot be submitted alone; Batch's own retries serve it.
        work_.Log(absl::StrCat(change_.job_id, ": is of an array job, and not requeued"));
        return absl::OkStatus();
      }
      return Requeue(work_, change_, message_id_);
    }
    if (change_.service && change_.status != "FAILED" && change_.status != "SUCCEEDED") {
      return RefreshPriority(work_, change_.job_id, change_.job_name, change_.submission);
    }
    return absl::OkStatus();
  }

  // Who submitted the job may have died before writing its id: now we know it.
  absl::Status FinishSubmission() {
    if (change_.submission.Text("jobState") != "claimed") return absl::OkStatus();
    const absl::StatusOr<bool> written =
        work_.table.Put({absl::StrCat("submission/", change_.job_name),
                         "SET jobState = :state, jobId = :id, lastPriority = :priority",
                         "jobState = :claimed",
                         {{"state", "submitted"},
                          {"id", change_.job_id.substr(0, change_.job_id.find(':'))},
                          {"priority", change_.priority},
                          {"claimed", "claimed"}}});
    if (written.ok() && *written) work_.Count("Recovered");
    return written.status();
  }

  absl::Status AddToLineage() {
    const std::string key = absl::StrCat("job/", change_.job_id);
    for (int i = 0; i < kTries; ++i) {
      const absl::StatusOr<std::optional<Item>> item = work_.table.Get(key);
      if (!item.ok()) return item.status();
      const Item old = item->value_or(Item());
      const auto more = [&old](std::int64_t now, const char* name) {
        return std::max<std::int64_t>(0, now - old.Number(name));
      };
      const std::int64_t failures = more(own_.failures, "failureCount");
      const std::int64_t preemptions = more(own_.preemptions, "preemptionCount");
      const std::int64_t losses = more(own_.losses, "lossCount");
      if (failures + preemptions + losses == 0) return absl::OkStatus();
      const std::int64_t expires = absl::ToUnixSeconds(work_.now + kKept);
      const absl::StatusOr<bool> written = work_.table.PutAll(
          {{key,
            "SET failureCount = :failures, preemptionCount = :preemptions, lossCount = :losses, "
            "changeNumber = :next, expiresAt = :expires",
            item->has_value() && old.Number("changeNumber") > 0
                ? "changeNumber = :old"
                : "attribute_not_exists(changeNumber)",
            WithOld(old, {{"failures", old.Number("failureCount") + failures},
                          {"preemptions", old.Number("preemptionCount") + preemptions},
                          {"losses", old.Number("lossCount") + losses},
                          {"next", old.Number("changeNumber") + 1},
                          {"expires", expires}})},
           {absl::StrCat("chain/", change_.submission.Text("chainId")),
            "SET lastJobId = :job, expiresAt = :expires "
            "ADD failureCount :failures, preemptionCount :preemptions, lossCount :losses",
            "",
            {{"job", change_.job_id},
             {"expires", expires},
             {"failures", failures},
             {"preemptions", preemptions},
             {"losses", losses}}}});
      if (!written.ok()) return written.status();
      if (*written) {
        work_.Count("LineageChanges");
        return absl::OkStatus();
      }
    }
    return absl::UnavailableError("others keep changing the lineage of this job");
  }

  // DynamoDB takes no value that no expression uses.
  static std::map<std::string, Attribute> WithOld(const Item& old,
                                                  std::map<std::string, Attribute> values) {
    const std::int64_t number = old.Number("changeNumber");
    if (number > 0) values.insert_or_assign("old", Attribute(number));
    return values;
  }

  Work& work_;
  const std::string_view event_;
  const std::string_view message_id_;
  Change change_;
  const char* list_ = "attempts";
  bool ours_ = false;
  bool array_ = false;
  bool taken_away_ = false;
  Own own_;
};

}  // namespace

Verdict HandleStateChange(Work& work, std::string_view event, std::string_view message_id) {
  return StateChange(work, event, message_id).Run();
}

}  // namespace precedent::batch_lambda
