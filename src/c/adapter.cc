#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include "precedent/adapter_options.h"
#include "precedent/aws_batch.h"
#include "precedent/issue.h"
#include "precedent/job_view.h"
#include "precedent/kubernetes.h"
#include "src/c/evaluate.h"
#include "src/c/handle.h"
#include "src/c/job.h"
#include "src/c/layout.h"
#include "src/c/status.h"
#include "src/c/text.h"
#include "src/json/document.h"

struct precedent_adapter {
  static constexpr precedent::c::Kind kKind = precedent::c::kAdapterKind;

  precedent_adapter(precedent::kubernetes::Adapter of_kubernetes, precedent::aws::Adapter of_aws)
      : kubernetes(std::move(of_kubernetes)), aws(std::move(of_aws)) {}

  precedent::c::Kind kind = kKind;
  precedent::kubernetes::Adapter kubernetes;
  precedent::aws::Adapter aws;
};

// Stays where it is made: the view borrows from the message, the job from both.
struct precedent_description {
  static constexpr precedent::c::Kind kKind = precedent::c::kDescriptionKind;

  explicit precedent_description(precedent::DescribedJob described_job)
      : described(std::move(described_job)), view(described.job), job(precedent::c::UnknownJob()) {
    const precedent::JobDescriptor descriptor = view.descriptor();
    std::memcpy(reinterpret_cast<unsigned char*>(&job) + precedent::c::kHead, &descriptor,
                sizeof descriptor);
    for (const std::string& remark : described.remarks) remarks += remark + "\n";
  }
  precedent_description(const precedent_description&) = delete;
  precedent_description& operator=(const precedent_description&) = delete;

  precedent::c::Kind kind = kKind;
  const precedent::DescribedJob described;
  const precedent::JobView view;
  precedent_job job;
  std::string remarks;
};

namespace precedent::c {
namespace {

bool IsKubernetes(const json::Value& root) {
  for (const char* member : {"apiVersion", "metadata", "spec"})
    if (root.HasKey(member)) return true;
  return root.HasKey("request") && root.HasKey("kind");
}

// Bytes that a caller hands over with their length.
precedent_status CheckBytes(const char* bytes, std::size_t size, const char* name, char** error) {
  if (bytes == nullptr && size != 0)
    return Fail(PRECEDENT_NULL_ARGUMENT, error, std::string(name) + ": is NULL");
  if (size > kMaxTextBytes)
    return Fail(PRECEDENT_WRONG_SIZE, error, "size: is no length of a document: was it set?");
  return PRECEDENT_OK;
}

absl::StatusOr<DescribedJob> Describe(const precedent_adapter& adapter, std::string_view json) {
  absl::StatusOr<std::unique_ptr<json::Document>> document = json::Document::Parse(json);
  if (!document.ok()) return document.status();
  return IsKubernetes((*document)->root()) ? adapter.kubernetes.Describe(json)
                                           : adapter.aws.Describe(json);
}

}  // namespace
}  // namespace precedent::c

using namespace precedent;
using namespace precedent::c;

precedent_status precedent_adapter_open(const char* options, size_t size,
                                        precedent_adapter** adapter, char** error) {
  return Guarded(error, [&] {
    if (adapter == nullptr) return Fail(PRECEDENT_NULL_ARGUMENT, error, "adapter: is NULL");
    *adapter = nullptr;
    if (const precedent_status status = CheckBytes(options, size, "options", error)) return status;
    v1::AdapterOptions wanted;
    if (size != 0) {
      AdapterOptionsResult result = ReadAdapterOptions({options, size});
      if (!result.options) {
        std::string text;
        for (const Issue& issue : result.issues) text += FormatIssue(issue, "options") + "\n";
        return Fail(PRECEDENT_INVALID_INPUT, error, text);
      }
      wanted = *std::move(result.options);
    }
    absl::StatusOr<kubernetes::Adapter> of_kubernetes = kubernetes::Adapter::Create(wanted);
    if (!of_kubernetes.ok()) return FailWith(of_kubernetes.status(), error);
    absl::StatusOr<aws::Adapter> of_aws = aws::Adapter::Create(wanted);
    if (!of_aws.ok()) return FailWith(of_aws.status(), error);
    *adapter = new precedent_adapter(*std::move(of_kubernetes), *std::move(of_aws));
    return PRECEDENT_OK;
  });
}

precedent_status precedent_adapter_close(precedent_adapter* adapter) {
  return CloseHandle(adapter);
}

precedent_status precedent_review(const precedent_adapter* adapter, const precedent_policy* policy,
                                  const char* body, size_t size, int64_t now, char** answer) {
  if (answer == nullptr) return PRECEDENT_NULL_ARGUMENT;
  *answer = nullptr;
  return Guarded(nullptr, [&] {
    if (const precedent_status status = CheckHandle(adapter)) return status;
    if (policy != nullptr)
      if (const precedent_status status = CheckHandle(policy)) return status;
    if (const precedent_status status = CheckBytes(body, size, "body", nullptr)) return status;
    const Evaluator* evaluator = policy == nullptr ? nullptr : &policy->evaluator();
    *answer = NewText(adapter->kubernetes.Review({body, size}, evaluator, ToTime(now)));
    return *answer == nullptr ? PRECEDENT_NO_MEMORY : PRECEDENT_OK;
  });
}

precedent_status precedent_describe_json(const precedent_adapter* adapter, const char* json,
                                         size_t size, precedent_description** description,
                                         char** error) {
  return Guarded(error, [&] {
    if (description == nullptr) return Fail(PRECEDENT_NULL_ARGUMENT, error, "description: is NULL");
    *description = nullptr;
    precedent_status status = CheckHandle(adapter);
    if (status != PRECEDENT_OK) return Fail(status, error);
    if ((status = CheckBytes(json, size, "json", error))) return status;
    absl::StatusOr<DescribedJob> described = Describe(*adapter, {json, size});
    if (!described.ok()) return FailWith(described.status(), error);
    *description = new precedent_description(*std::move(described));
    return PRECEDENT_OK;
  });
}

precedent_status precedent_description_close(precedent_description* description) {
  return CloseHandle(description);
}

const precedent_job* precedent_description_job(const precedent_description* description) {
  return CheckHandle(description) == PRECEDENT_OK ? &description->job : nullptr;
}

precedent_status precedent_description_describe(const precedent_description* description,
                                                precedent_description_info* info) {
  if (info == nullptr) return PRECEDENT_NULL_ARGUMENT;
  precedent_description_info known = {};
  const precedent_status status = CheckHandle(description);
  if (status == PRECEDENT_OK) {
    const v1::JobDescriptor& job = description->described.job;
    known.name = ToText(job.name());
    known.id = ToText(job.id());
    known.lineage_key = ToText(job.lineage_key());
    known.remarks = ToText(description->remarks);
    known.gang_pods = description->described.gang_pods;
  }
  return GiveStruct(known, info) ? status : PRECEDENT_WRONG_SIZE;
}
