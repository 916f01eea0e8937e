// Service jobs: requests, and jobs that Batch describes.
//
// The service's own request is JSON in a string. SageMaker's CreateTrainingJob says
// how many instances of which type; their GPUs are in a table.
#include <algorithm>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "src/adapter/metadata.h"
#include "src/adapter/rules.h"
#include "src/aws/attempts.h"
#include "src/aws/job_reader.h"
#include "src/json/path.h"

namespace precedent::aws {
namespace {

using adapter::Draft;
using adapter::Metadata;
using json::Document;
using json::Value;

constexpr std::int64_t kMaxInt32 = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t kMinInt32 = std::numeric_limits<std::int32_t>::min();

std::string_view Text(Value value) { return value.String().value_or(std::string_view()); }

// The instances of a job, as they are read.
struct Fleet {
  adapter::DeviceCounts devices;
  std::int64_t instances = 0;
  std::vector<std::string> unknown_types;

  // `count` is at most 2^31, and so are the devices of one instance.
  void Add(const Tables& tables, Value type, std::int64_t count) {
    instances += count;
    const std::optional<InstanceDevices> found = tables.instances.Find(Text(type));
    if (!found.has_value()) {
      unknown_types.push_back(json::Printable(Text(type)));
    } else if (found->count > 0) {
      std::int64_t& sum = devices[std::string(found->resource)];
      if (__builtin_add_overflow(sum, found->count * count, &sum)) {
        type.Fail("has more devices than can be counted");
      }
    }
  }
};

// One type of instance, or groups of several (heterogeneous clusters).
void ReadResources(const Tables& tables, Value config, Fleet& fleet) {
  std::vector<Value> groups = config.Get("InstanceGroups").Items().ToVector();
  if (groups.empty()) groups.push_back(config);
  for (const Value group : groups) {
    const Value type = group.Get("InstanceType");
    const std::optional<std::int64_t> count = group.Get("InstanceCount").Integer(0, kMaxInt32);
    if (!Text(type).empty()) fleet.Add(tables, type, count.value_or(1));
  }
}

// For a description without the request, as events are: instances in use by type.
void ReadUsage(const Tables& tables, Value usage, Fleet& fleet) {
  for (const Value item : usage.Items()) {
    const std::optional<double> count = item.Get("quantity").Number();
    if (!count.has_value() || !(*count >= 0 && *count <= kMaxInt32)) continue;
    fleet.Add(tables, item.Get("capacityUnit"), static_cast<std::int64_t>(*count));
  }
}

void SetFleet(const Tables& tables, const Fleet& fleet, Draft& draft) {
  v1::JobDescriptor& job = draft.out.job;
  if (fleet.instances == 0) {
    draft.Remark("the payload does not tell the instances; gpu_count is absent");
    return;
  }
  job.set_pod_count(static_cast<double>(fleet.instances));
  for (const auto& [name, count] : fleet.devices) (*job.mutable_devices())[name] = count;
  if (fleet.unknown_types.empty()) {
    job.set_gpu_count(tables.options.devices.GpuCount(fleet.devices));
  } else {
    draft.Remark(absl::StrCat("the GPUs of instance type `", fleet.unknown_types[0],
                              "` are not known (AdapterOptions.instance_gpus tells them); "
                              "gpu_count is absent"));
  }
}

// What the service's own request says: returns its limit of runtime.
std::optional<std::int64_t> ReadPayload(const Tables& tables, Value payload, Metadata& metadata,
                                        Fleet& fleet, Draft& draft) {
  draft.out.job.set_image(std::string(Text(payload.Find("AlgorithmSpecification.TrainingImage"))));
  ReadResources(tables, payload.Get("ResourceConfig"), fleet);
  metadata.AddVariables(payload.Get("Environment"));
  return payload.Find("StoppingCondition.MaxRuntimeInSeconds").Integer(0, kMaxInt32);
}

void ReadOwnLabels(Value job, Draft& draft) {
  constexpr OwnLabel kLabels[] = {
      {"shareIdentifier", "aws:batch:share-identifier", 0, 0},
      {"quotaShareName", "aws:batch:quota-share-name", 0, 0},
      {"schedulingPriority", "aws:batch:scheduling-priority", kMinInt32, kMaxInt32},
      {"retryStrategy.attempts", "aws:batch:attempts", 1, 10},
      {"preemptionConfiguration.preemptionRetriesBeforeTermination", "aws:batch:preemption-retries",
       0, kMaxInt32},
      {"status", "aws:batch:status", 0, 0},
  };
  for (const OwnLabel& label : kLabels) ReadOwnLabel(job, label, draft);
}

}  // namespace

std::optional<std::int64_t> ReadServiceJob(const Tables& tables, Value job, Draft& draft) {
  v1::JobDescriptor& out = draft.out.job;
  const bool described = job.Get("jobId").present();
  out.set_kind("BatchServiceJob");
  const std::string_view name = Required(job.Get("jobName"));
  const Value text = job.Get("serviceRequestPayload");
  if (!described) {
    Required(job.Get("jobQueue"));
    Required(text);
  }
  ReadIdentity(job, draft);
  out.set_lineage_key(absl::StrCat("BatchServiceJob/", std::string(name)));

  Metadata metadata;
  metadata.AddMap(job.Get("tags"), Metadata::InLabels::kYes);
  Fleet fleet;
  std::optional<std::int64_t> limit =
      job.Find("timeoutConfig.attemptDurationSeconds").Integer(0, kMaxInt32);
  // Lives until the metadata were read, which borrow it.
  std::unique_ptr<Document> payload;
  if (!Text(text).empty()) {
    absl::StatusOr<std::unique_ptr<Document>> parsed = Document::Parse(Text(text));
    if (parsed.ok()) {
      payload = *std::move(parsed);
      const Value root = payload->root();
      if (!root.is_object()) root.Fail("must be a JSON object");
      const auto own = ReadPayload(tables, root, metadata, fleet, draft);
      if (own.has_value()) limit = std::min(*own, limit.value_or(*own));
    } else {
      text.Fail(std::string(parsed.status().message()));
    }
  }
  if (fleet.instances == 0) ReadUsage(tables, job.Get("capacityUsage"), fleet);
  SetFleet(tables, fleet, draft);
  metadata.Read(tables.options, draft);
  if (payload != nullptr && !payload->status().ok()) {
    text.Fail(std::string(payload->status().message()));
  }
  // The kind of service is the platform's word.
  if (out.workload_type().empty() && Text(job.Get("serviceJobType")) == "SAGEMAKER_TRAINING") {
    out.set_workload_type("training");
  }
  ApplyBindings(tables.options, draft);
  ReadOwnLabels(job, draft);
  if (limit.has_value()) ShortenRuntime(*limit, draft);
  ApplyPreemptibleClasses(tables.options, draft);
  if (described) ReadAttempts(job, draft);
  return limit;
}

}  // namespace precedent::aws
