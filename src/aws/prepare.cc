#include "src/aws/prepare.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "src/json/object_editor.h"
#include "src/json/path.h"

namespace precedent::aws {
namespace {

using json::ObjectEditor;
using json::Value;

constexpr std::int32_t kMaxPriority = 9999;
constexpr std::int32_t kMinTimeout = 60;
constexpr char kShare[] = "shareIdentifier";
constexpr char kQuotaShare[] = "quotaShareName";

absl::string_view View(std::string_view text) { return {text.data(), text.size()}; }

absl::Status Invalid(const std::string& message) { return absl::InvalidArgumentError(message); }

class Writer {
 public:
  Writer(const Request& request, const Decision& decision, const ShareTable& shares,
         std::vector<std::string>& remarks)
      : request_(request),
        decision_(decision),
        shares_(shares),
        remarks_(remarks),
        editor_(request.text),
        priority_(request.service ? "schedulingPriority" : "schedulingPriorityOverride") {}

  ObjectEditor& editor() { return editor_; }

  absl::Status SetQueueMembers() {
    const absl::StatusOr<QueuePolicy> queue = Policy();
    if (!queue.ok()) return queue.status();
    for (const char* member : {kShare, kQuotaShare}) {
      if (*queue == QueuePolicy::kNone || std::string_view(member) != ShareMember(*queue)) {
        Remove(member, "the queue has no such shares");
      }
    }
    if (*queue == QueuePolicy::kNone) {
      Remove(priority_, "the queue is first in, first out and takes none");
      if (request_.definition.Get("schedulingPriority").present()) {
        remarks_.push_back(
            "definition: schedulingPriority: a queue without fair share refuses jobs by it");
      }
      return absl::OkStatus();
    }
    const absl::StatusOr<std::string> share = Share(*queue);
    if (!share.ok()) return share.status();
    SetText(ShareMember(*queue), *share);
    SetPriority();
    return absl::OkStatus();
  }

  void SetTimeout() {
    const std::int64_t limit = std::max(decision_.limit_runtime_seconds, kMinTimeout);
    if (decision_.limit_runtime_seconds <= 0) return;
    if (request_.limit.has_value() && *request_.limit <= limit) return;
    if (decision_.limit_runtime_seconds < kMinTimeout) {
      remarks_.push_back(absl::StrCat("the policy's limit of ", decision_.limit_runtime_seconds,
                                      " s is sent as ", kMinTimeout, " s, Batch's least"));
    }
    if (!request_.limit.has_value() && !request_.service && !request_.definition.present()) {
      remarks_.push_back(
          "the job definition is not known; a shorter time-out of its own is overridden");
    }
    const char* member = request_.service ? "timeoutConfig" : "timeout";
    const bool given = request_.root.Get(member).present();
    ObjectEditor timeout(given ? *editor_.Find(member) : "{}");
    timeout.Set("attemptDurationSeconds", absl::StrCat(limit));
    editor_.Set(member, timeout.Text());
  }

 private:
  // Which is which follows from the request alone, unless the caller knows the queue.
  absl::StatusOr<QueuePolicy> Policy() const {
    const bool fair = request_.root.Get(kShare).present();
    const bool quota = request_.root.Get(kQuotaShare).present();
    QueuePolicy queue = request_.queue;
    if (queue == QueuePolicy::kOfRequest) {
      if (fair && quota) {
        return Invalid(
            "quotaShareName: a queue has quota shares or fair shares, and "
            "shareIdentifier is given as well; keep one of them");
      }
      queue = fair    ? QueuePolicy::kFairShare
              : quota ? QueuePolicy::kQuotaShare
                      : QueuePolicy::kNone;
    }
    if (queue == QueuePolicy::kQuotaShare && !request_.service) {
      return Invalid("a queue with quota shares takes service jobs only (SubmitServiceJob)");
    }
    return queue;
  }

  static std::string ShareMember(QueuePolicy queue) {
    return queue == QueuePolicy::kQuotaShare ? kQuotaShare : kShare;
  }

  absl::StatusOr<std::string> Share(QueuePolicy queue) const {
    const Value own = request_.root.Get(ShareMember(queue));
    std::string share = std::string(own.String().value_or(std::string_view()));
    const std::string_view derived = decision_.share_identifier.empty()
                                         ? std::string_view(request_.job.team())
                                         : decision_.share_identifier;
    if (!derived.empty()) {
      absl::StatusOr<std::string> name = ShareName(derived);
      if (!name.ok()) return name.status();
      share = *std::move(name);
    } else if (share.empty()) {
      share = shares_.default_share();
    }
    if (share.empty()) {
      return Invalid(absl::StrCat(ShareMember(queue),
                                  ": the queue needs a share, and neither the policy nor a team "
                                  "nor the request names one (AdapterOptions.default_share is "
                                  "taken then)"));
    }
    absl::StatusOr<std::string> known = shares_.Resolve(share);
    if (!known.ok())
      return Invalid(absl::StrCat(ShareMember(queue), ": ", std::string(known.status().message())));
    const bool legal =
        queue == QueuePolicy::kQuotaShare ? IsQuotaShareName(*known) : IsShareIdentifier(*known);
    if (!legal) {
      return Invalid(absl::StrCat(
          ShareMember(queue), ": `", json::Printable(*known), "` is no name that Batch takes (",
          queue == QueuePolicy::kQuotaShare ? "at most 128 letters, digits, `-` and `_`)"
                                            : "at most 255 letters and digits, then perhaps `*`)"));
    }
    return known;
  }

  void SetText(const std::string& member, const std::string& text) {
    const std::optional<std::string_view> before = request_.root.Get(member).String();
    if (before == text) return;
    if (before.has_value()) {
      remarks_.push_back(
          absl::StrCat(member, " `", json::Printable(*before), "` is replaced by `", text, "`"));
    }
    editor_.Set(member, json::Quote(text));
  }

  void SetPriority() {
    const std::int32_t priority = ClampPriority(decision_.priority);
    if (priority != decision_.priority) {
      remarks_.push_back(absl::StrCat("priority ", decision_.priority, " is sent as ", priority,
                                      ": Batch takes 0 to ", kMaxPriority));
    }
    const std::optional<std::int64_t> before = request_.root.Get(priority_).Integer(
        std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max());
    if (before == priority) return;
    if (before.has_value()) {
      remarks_.push_back(
          absl::StrCat(priority_, " ", *before, " is replaced by the derived ", priority));
    }
    editor_.Set(priority_, absl::StrCat(priority));
  }

  void Remove(const char* member, std::string_view why) {
    const Value before = request_.root.Get(member);
    if (before.present()) {
      remarks_.push_back(absl::StrCat(member, " `",
                                      json::Printable(before.ScalarText().value_or("")),
                                      "` is removed: ", View(why)));
    }
    editor_.Remove(member);
  }

  const Request& request_;
  const Decision& decision_;
  const ShareTable& shares_;
  std::vector<std::string>& remarks_;
  ObjectEditor editor_;
  const char* priority_;
};

}  // namespace

std::int32_t ClampPriority(std::int32_t priority) {
  return std::clamp(priority, std::int32_t{0}, kMaxPriority);
}

absl::StatusOr<std::string> WriteDecision(const Request& request, const Decision& decision,
                                          const Tags& annotations, const adapter::Options& options,
                                          const ShareTable& shares,
                                          std::vector<std::string>& remarks) {
  Writer writer(request, decision, shares, remarks);
  absl::Status status = writer.SetQueueMembers();
  if (!status.ok()) return status;
  writer.SetTimeout();
  Tags tags = DecisionTags(decision, ClampPriority(decision.priority));
  // A policy's annotation cannot pass for what the adapter says.
  for (const Tags& more :
       {LineageTags(options, request.job, request.root.Get("tags")), annotations}) {
    for (const auto& tag : more) {
      const bool taken = std::any_of(tags.begin(), tags.end(),
                                     [&](const auto& one) { return one.first == tag.first; });
      if (!taken) tags.push_back(tag);
    }
  }
  SetTags(tags, request.root, request.definition, writer.editor(), remarks);
  return writer.editor().Text();
}

}  // namespace precedent::aws
