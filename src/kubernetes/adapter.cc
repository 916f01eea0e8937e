// kubernetes::Adapter: objects and reviews, one call each.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "precedent/kubernetes.h"
#include "src/adapter/options.h"
#include "src/json/document.h"
#include "src/json/limits.h"
#include "src/json/workspace.h"
#include "src/kubernetes/answer.h"
#include "src/kubernetes/claims.h"
#include "src/kubernetes/describe.h"
#include "src/kubernetes/events.h"
#include "src/kubernetes/review.h"

namespace precedent::kubernetes {

class Adapter::Impl {
 public:
  explicit Impl(adapter::Options options) : options_(std::move(options)) {}

  absl::StatusOr<DescribedJob> Describe(std::string_view json, const DeviceClaims& claims) const {
    const json::WorkspacePool::Lease workspace = workspaces_.Take();
    const absl::StatusOr<std::unique_ptr<json::Document>> parsed =
        json::Document::Parse(json, {}, workspace.get());
    if (!parsed.ok()) return parsed.status();
    json::Document& document = **parsed;
    Request request;
    request.object = document.root();
    const bool review = IsReview(document.root());
    if (review) request = ReadRequest(document.root());
    request.context.claims = claims.table();
    const absl::StatusOr<const Kind*> kind = review
                                                 ? KindOfRequest(document.root(), request, document)
                                                 : KindOf(request.object, document);
    if (!kind.ok()) return kind.status();
    Reading reading = ReadObject(options_, **kind, request.object, document, request.context);
    if (!document.status().ok()) return document.status();
    return std::move(reading.draft).Finish();
  }

  absl::StatusOr<std::vector<v1::LineageEvent>> Events(std::string_view json,
                                                       const DeviceClaims& claims) const {
    const json::WorkspacePool::Lease workspace = workspaces_.Take();
    const absl::StatusOr<std::unique_ptr<json::Document>> parsed =
        json::Document::Parse(json, {}, workspace.get());
    if (!parsed.ok()) return parsed.status();
    json::Document& document = **parsed;
    const WatchEvent watched = ReadWatchEvent(document.root());
    if (!document.status().ok()) return document.status();
    if (watched.is_bookmark) return std::vector<v1::LineageEvent>();
    const absl::StatusOr<const Kind*> kind = KindOf(watched.object, document);
    if (!kind.ok()) return kind.status();
    Context context;
    context.claims = claims.table();
    Reading reading = ReadObject(options_, **kind, watched.object, document, context);
    std::vector<v1::LineageEvent> events = EventsOf(watched, reading);
    if (!document.status().ok()) return document.status();
    return events;
  }

  std::string Review(std::string_view body, const Evaluator* evaluator, TimePoint now,
                     ReviewRecord* record) const {
    Answer answer;
    if (record != nullptr) *record = ReviewRecord();
    const json::WorkspacePool::Lease workspace = workspaces_.Take();
    absl::Status status = Fill(options_, body, evaluator, now, workspace.get(), answer, record);
    if (!status.ok()) {
      const std::string message(status.message());
      if (options_.deny_undecodable) {
        answer.allowed = false;
        answer.code = body.size() > json::kMaxBytes ? 413 : 400;
        answer.reason = body.size() > json::kMaxBytes ? "RequestEntityTooLarge" : "BadRequest";
        answer.message = absl::StrCat("precedent cannot read the object: ", message);
      } else {
        answer.warnings.insert(answer.warnings.begin(),
                               absl::StrCat("admitted with the fallback priority: ", message));
      }
      answer.audit.emplace_back("error", message);
    }
    if (record != nullptr) {
      record->status = std::move(status);
      record->uid = answer.uid;
      record->allowed = answer.allowed;
      record->patched = answer.allowed && !answer.patch.empty();
    }
    return answer.ToJson();
  }

 private:
  const adapter::Options options_;
  mutable json::WorkspacePool workspaces_;
};

absl::StatusOr<Adapter> Adapter::Create(const v1::AdapterOptions& options) {
  absl::StatusOr<adapter::Options> read = adapter::Options::Create(options);
  if (!read.ok()) return read.status();
  return Adapter(std::make_shared<const Impl>(*std::move(read)));
}

absl::StatusOr<DescribedJob> Adapter::Describe(std::string_view json,
                                               const DeviceClaims& claims) const {
  return impl_->Describe(json, claims);
}

absl::StatusOr<std::vector<v1::LineageEvent>> Adapter::Events(std::string_view json,
                                                              const DeviceClaims& claims) const {
  return impl_->Events(json, claims);
}

std::string Adapter::Review(std::string_view body, const Evaluator* evaluator, TimePoint now,
                            ReviewRecord* record) const {
  return impl_->Review(body, evaluator, now, record);
}

}  // namespace precedent::kubernetes
