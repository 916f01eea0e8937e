#include "src/kubernetes/review.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "src/adapter/decide.h"
#include "src/json/limits.h"
#include "src/kubernetes/fields.h"
#include "src/kubernetes/targets.h"

namespace precedent::kubernetes {
namespace {

using json::Document;
using json::Value;

constexpr std::string_view kGroup = "admission.k8s.io";
constexpr std::string_view kSystemNamespace = "kube-system";

// Takes what the answer repeats out of a body that Document refuses: such as one whose
// object has a key twice, or nests too deep.
void Salvage(std::string_view body, Answer& answer) {
  simdjson::dom::parser parser;
  simdjson::dom::element root;
  if (body.size() > json::kMaxBytes || parser.parse(body.data(), body.size()).get(root)) return;
  std::string_view text;
  if (!root["apiVersion"].get(text) && GroupOf(text) == kGroup) answer.api_version = text;
  if (!root["request"]["uid"].get(text)) answer.uid = text;
}

void SetSubmitted(TimePoint now, v1::JobDescriptor& job) {
  const std::int64_t micros = now.time_since_epoch().count();
  std::int64_t seconds = micros / 1'000'000;
  if (micros % 1'000'000 < 0) --seconds;
  job.mutable_submitted()->set_seconds(seconds);
  job.mutable_submitted()->set_nanos(
      static_cast<std::int32_t>((micros - seconds * 1'000'000) * 1000));
}

void AddAudit(const v1::Decision& decision, Answer& answer) {
  answer.audit.emplace_back(
      "decision", absl::StrCat("priority=", decision.priority(), " preemption-priority=",
                               decision.preemption_priority(), " class=", decision.priority_class(),
                               " reason=", v1::Reason_Name(decision.reason()),
                               " verdict=", v1::Verdict_Name(decision.verdict())));
  answer.audit.emplace_back("rules", absl::StrJoin(decision.rules(), ","));
  answer.audit.emplace_back("policy", decision.policy_fingerprint());
}

}  // namespace

bool IsReview(Value root) {
  if (!root.is_object() || TextOf(root.Get("kind")) != "AdmissionReview") return false;
  const std::optional<std::string_view> version = root.Get("apiVersion").String();
  return !version.has_value() || GroupOf(*version) == kGroup;
}

Request ReadRequest(Value root) {
  const Value from = root.Get("request");
  Request request;
  request.operation = TextOf(from.Get("operation"));
  request.sub_resource = TextOf(from.Get("subResource"));
  request.object = from.Get("object");
  if (!request.object.present() && from.HasKey("oldObject")) request.object = from.Get("oldObject");
  request.context.namespace_name = TextOf(from.Get("namespace"));
  request.context.name = TextOf(from.Get("name"));
  const Value user = from.Get("userInfo");
  request.context.user = TextOf(user.Get("username"));
  for (const Value group : user.Get("groups").Items()) {
    request.context.groups.push_back(TextOf(group));
  }
  return request;
}

absl::StatusOr<const Kind*> KindOfRequest(Value root, const Request& request,
                                          const Document& document) {
  const Value kind = root.Get("request").Get("kind");
  if (request.object.HasKey("kind") || !kind.present()) return KindOf(request.object, document);
  if (!request.object.is_object()) {
    return absl::InvalidArgumentError(absl::StrCat(request.object.Path(), ": must be an object"));
  }
  const Kind* row = FindKind(TextOf(kind.Get("group")), TextOf(kind.Get("kind")));
  if (!document.status().ok()) return document.status();
  if (row == nullptr) return absl::UnimplementedError("request.kind: is not known");
  return row;
}

absl::Status Fill(const adapter::Options& options, std::string_view body,
                  const Evaluator* evaluator, TimePoint now, json::Workspace* workspace,
                  Answer& answer, ReviewRecord* record) {
  const absl::StatusOr<std::unique_ptr<Document>> parsed = Document::Parse(body, {}, workspace);
  if (!parsed.ok()) {
    Salvage(body, answer);
    return parsed.status();
  }
  Document& document = **parsed;
  const Value root = document.root();
  if (!root.is_object()) return absl::InvalidArgumentError("a review must be a JSON object");
  const std::string_view version = TextOf(root.Get("apiVersion"));
  if (GroupOf(version) == kGroup) answer.api_version = std::string(version);
  answer.uid = std::string(TextOf(root.Get("request").Get("uid")));
  if (!IsReview(root)) return absl::InvalidArgumentError("kind: must be AdmissionReview");
  if (!root.Get("request").present()) return absl::InvalidArgumentError("request: is missing");

  const Request request = ReadRequest(root);
  if (!document.status().ok()) return document.status();
  if (record != nullptr) {
    record->operation = std::string(request.operation);
    record->user = std::string(request.context.user);
  }
  if (request.operation.empty()) return absl::InvalidArgumentError("request.operation: is missing");
  if (request.operation != "CREATE" || !request.sub_resource.empty() ||
      request.context.namespace_name == kSystemNamespace) {
    return absl::OkStatus();
  }
  if (!root.Get("request").Get("object").present()) {
    return absl::InvalidArgumentError("request.object: is missing");
  }
  const absl::StatusOr<const Kind*> kind = KindOfRequest(root, request, document);
  if (kind.status().code() == absl::StatusCode::kUnimplemented) return absl::OkStatus();
  if (!kind.ok()) return kind.status();

  Reading reading = ReadObject(options, **kind, request.object, document, request.context);
  if (HasSystemClass(reading) || (options.devices_only && !reading.holds_devices)) {
    return absl::OkStatus();
  }
  const absl::Status status = document.status();
  if (status.ok() && IsDecided(options, reading, request.context.user)) return absl::OkStatus();
  SetSubmitted(now, reading.draft.out.job);
  reading.draft.WriteClaimed();
  const DescribedJob& described = reading.draft.out;
  const v1::Decision decision = evaluator == nullptr
                                    ? adapter::DecideWithoutPolicy(options.fallback, described)
                                : status.ok() ? adapter::Decide(*evaluator, described, now)
                                              : adapter::DecideUnreadable(*evaluator, described);
  AddAudit(decision, answer);
  if (record != nullptr) record->decision = decision;
  answer.warnings.assign(decision.warnings().begin(), decision.warnings().end());
  if (decision.verdict() == v1::DENY) {
    answer.allowed = false;
    answer.message = decision.denial();
    return absl::OkStatus();
  }
  answer.warnings.insert(answer.warnings.end(), decision.remarks().begin(),
                         decision.remarks().end());
  answer.patch = MakePatch(options, reading, decision, &answer.warnings);
  return status;
}

}  // namespace precedent::kubernetes
