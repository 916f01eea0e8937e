// Container jobs: requests, definitions, and jobs that Batch describes.
#include "src/aws/job_reader.h"

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "src/adapter/metadata.h"
#include "src/adapter/rules.h"
#include "src/aws/attempts.h"
#include "src/aws/node.h"
#include "src/aws/node_ranges.h"
#include "src/json/path.h"

namespace precedent::aws {
namespace {

using adapter::Draft;
using adapter::Metadata;
using json::Value;

constexpr std::int64_t kMaxInt32 = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t kMinInt32 = std::numeric_limits<std::int32_t>::min();

absl::string_view View(std::string_view text) { return {text.data(), text.size()}; }

// `train` of `train:3` and of its ARN.
std::string_view DefinitionName(std::string_view name_or_arn) {
  const std::string_view last = LastPart(name_or_arn);
  return last.substr(0, last.find(':'));
}

// The definition that this job names, and under which it meets its like.
void ReadDefinitionName(const Bodies& bodies, Draft& draft) {
  v1::JobDescriptor& job = draft.out.job;
  const std::optional<std::string_view> defined =
      bodies.definition.Get("jobDefinitionName").String();
  const Value names = bodies.Own().Get("jobDefinition");
  // A definition is of many jobs and names none.
  if (!bodies.request.present() && !names.present()) {
    if (job.name().empty()) job.set_name(std::string(defined.value_or(std::string_view())));
    return;
  }
  const std::string_view definition = DefinitionName(Required(names));
  job.set_lineage_key(absl::StrCat("BatchJob/", View(definition), "/", job.name()));
  if (defined.value_or(definition) != definition) {
    draft.Remark(absl::StrCat("the job names definition `", json::Printable(definition),
                              "` and was described with `", json::Printable(*defined), "`"));
  }
}

// One node of a job that is not multi-node, or the main node of one that is.
void ReadMetadata(const Tables& tables, const Bodies& bodies, const Node& node, Draft& draft) {
  Metadata metadata;
  const std::pair<Value, const Layer*> own_and_template[] = {{bodies.request, &node.override},
                                                             {bodies.definition, &node.definition}};
  for (const auto& [body, layer] : own_and_template) {
    metadata.AddMap(body.Get("tags"), Metadata::InLabels::kYes);
    AddPodMetadata(*layer, metadata);
    AddEnvironment(*layer, metadata);
    metadata.AddMap(body.Get("parameters"), Metadata::InLabels::kNo);
    if (bodies.message && layer == &node.override) metadata.AddVariables(body);
  }
  metadata.Read(tables.options, draft);
  ApplyBindings(tables.options, draft);
}

void ReadOwnLabels(const Bodies& bodies, Draft& draft) {
  const Value own = bodies.Own();
  ReadOwnLabel(own, {"shareIdentifier", "aws:batch:share-identifier", 0, 0}, draft);
  const bool overridden = own.Get("schedulingPriorityOverride").present();
  ReadOwnLabel(overridden ? own : bodies.definition,
               {overridden ? "schedulingPriorityOverride" : "schedulingPriority",
                "aws:batch:scheduling-priority", kMinInt32, kMaxInt32},
               draft);
  ReadOwnLabel(
      bodies.request.Find("retryStrategy.attempts").present() ? bodies.request : bodies.definition,
      {"retryStrategy.attempts", "aws:batch:attempts", 1, 10}, draft);
  ReadOwnLabel(own, {"arrayProperties.size", "aws:batch:array-size", 0, kMaxInt32}, draft);
  ReadOwnLabel(own, {"status", "aws:batch:status", 0, 0}, draft);
}

// Jobs that this one waits for. The parent that metadata name may be one of them.
void ReadDependencies(Value request, Draft& draft) {
  v1::JobDescriptor& job = draft.out.job;
  const std::string claimed = job.parents().empty() ? std::string() : job.parents(0).id();
  for (const Value item : request.Get("dependsOn").Items()) {
    // A SEQUENTIAL array job waits for its own children and names no job.
    const std::optional<std::string_view> id = item.Get("jobId").String();
    if (!id.has_value() || id->empty()) continue;
    v1::Parent* parent =
        !claimed.empty() && *id == claimed ? job.mutable_parents(0) : job.add_parents();
    parent->set_id(std::string(*id));
    parent->set_relation(v1::Parent::DEPENDS_ON);
  }
}

void SetDevices(const Tables& tables, const adapter::DeviceCounts& devices, Draft& draft) {
  v1::JobDescriptor& job = draft.out.job;
  for (const auto& [name, count] : devices) (*job.mutable_devices())[name] = count;
  job.set_gpu_count(tables.options.devices.GpuCount(devices));
}

// A job of one node, or one whose definition nobody gave.
Node ReadSingle(const Tables& tables, const Bodies& bodies, Draft& draft) {
  const Node node{Layer::OfDefinition(bodies.definition), Layer::OfOverride(bodies.request)};
  v1::JobDescriptor& job = draft.out.job;
  const Value node_overrides = bodies.request.Get("nodeOverrides");
  // A description may be of a job that runs nothing itself.
  const bool described = bodies.definition.Get("jobId").present();
  const bool has_definition =
      bodies.definition.present() && (node.definition.present() || !described);
  if (has_definition && !node.definition.present()) {
    bodies.definition.Fail(
        "gives none of containerProperties, ecsProperties, eksProperties and nodeProperties");
  }
  if (has_definition && node_overrides.present()) {
    node_overrides.Fail("the definition is of no multi-node job");
  }
  if (has_definition || (!node_overrides.present() && GivesGpu(node.override))) {
    adapter::DeviceCounts devices;
    node.Devices(tables.options.devices).AddTo(devices, 1, bodies.Own());
    SetDevices(tables, devices, draft);
    job.set_pod_count(1);
    return node;
  }
  draft.Remark("the job definition is not known; gpu_count is absent");
  const std::optional<std::int64_t> count = node_overrides.Get("numNodes").Integer(1, kMaxInt32);
  if (count.has_value()) {
    job.set_pod_count(static_cast<double>(*count));
  } else if (!node_overrides.present() && node.override.present()) {
    job.set_pod_count(1);
  }
  return node;
}

// All nodes of a multi-node job; returns the main one.
Node ReadNodes(const Tables& tables, const Bodies& bodies, Value nodes, Draft& draft) {
  const std::vector<NodeRange> ranges = ReadNodeRanges(nodes.Get("nodeRangeProperties"));
  const std::vector<NodeRange> overrides =
      ReadNodeRanges(bodies.request.Find("nodeOverrides.nodePropertyOverrides"));
  const Value defined_count = nodes.Get("numNodes");
  const Value changed_count = bodies.request.Find("nodeOverrides.numNodes");
  std::optional<std::int64_t> count = defined_count.Integer(1, kMaxInt32);
  const std::optional<std::int64_t> changed = changed_count.Integer(1, kMaxInt32);
  if (!count.has_value()) {
    defined_count.Fail("is missing");
    return Node();
  }
  if (changed.has_value()) {
    bool open = false;
    for (const NodeRange& range : ranges) open = open || range.last == NodeRange::kOpen;
    if (!open) {
      changed_count.Fail(
          "the number of nodes can be overridden only where a range of the definition is open "
          "(`1:`)");
    }
    count = changed;
  }
  const auto node_at = [&](std::int64_t index) {
    Node node;
    if (const NodeRange* range = RangeOf(ranges, index))
      node.definition = Layer::OfRange(range->value);
    if (const NodeRange* range = RangeOf(overrides, index)) {
      node.override = Layer::OfOverride(range->value);
    }
    return node;
  };

  adapter::DeviceCounts devices;
  const std::vector<std::int64_t> starts = StretchStarts(ranges, overrides, *count);
  for (std::size_t i = 0; i < starts.size(); ++i) {
    const std::int64_t end = i + 1 < starts.size() ? starts[i + 1] : *count;
    const Node node = node_at(starts[i]);
    if (!node.definition.present()) {
      nodes.Get("nodeRangeProperties").Fail(absl::StrCat("no range describes node ", starts[i]));
    }
    node.Devices(tables.options.devices).AddTo(devices, end - starts[i], nodes);
  }
  SetDevices(tables, devices, draft);
  draft.out.job.set_pod_count(static_cast<double>(*count));
  return node_at(nodes.Get("mainNode").Integer(0, *count - 1).value_or(0));
}

}  // namespace

std::string_view Required(Value value) {
  const std::optional<std::string_view> text = value.String();
  if (!text.has_value() || text->empty()) value.Fail("is missing");
  return text.value_or(std::string_view());
}

std::string_view LastPart(std::string_view name_or_arn) {
  return name_or_arn.substr(name_or_arn.rfind('/') + 1);
}

void ReadOwnLabel(Value from, const OwnLabel& label, Draft& draft) {
  const Value value = from.Find(label.path);
  std::string text;
  if (label.min == 0 && label.max == 0) {
    text = std::string(value.String().value_or(std::string_view()));
    if (text.empty()) return;
  } else {
    const std::optional<std::int64_t> number = value.Integer(label.min, label.max);
    if (!number.has_value()) return;
    text = absl::StrCat(*number);
  }
  (*draft.out.job.mutable_labels())[label.label] = text;
  // All labels together are claimed or not, and nobody verified these either.
  draft.Claim(v1::LABELS);
}

void ReadIdentity(Value own, Draft& draft) {
  v1::JobDescriptor& job = draft.out.job;
  const auto text = [&](const char* member) {
    return own.Get(member).String().value_or(std::string_view());
  };
  job.set_name(std::string(text("jobName")));
  job.set_id(std::string(text("jobId")));
  job.set_queue(std::string(LastPart(text("jobQueue"))));
  // The last millisecond of the year 9999, beyond which there is no Timestamp.
  constexpr std::int64_t kLast = 253'402'300'799'999;
  if (const auto created = own.Get("createdAt").Integer(0, kLast); created.has_value()) {
    job.mutable_submitted()->set_seconds(*created / 1000);
    job.mutable_submitted()->set_nanos(static_cast<std::int32_t>(*created % 1000) * 1'000'000);
  }
}

std::optional<std::int64_t> ReadJob(const Tables& tables, const Bodies& bodies, Draft& draft) {
  const Value own = bodies.Own();
  draft.out.job.set_kind("BatchJob");
  if (bodies.request.present()) {
    Required(own.Get("jobName"));
    if (!bodies.message) Required(own.Get("jobQueue"));
  }
  ReadIdentity(own, draft);
  ReadDefinitionName(bodies, draft);

  // One node of a multi-node job, as Batch describes it, is described as one node.
  const Value nodes = bodies.definition.Get("nodeDetails").present()
                          ? Value()
                          : bodies.definition.Get("nodeProperties");
  const Node first =
      nodes.present() ? ReadNodes(tables, bodies, nodes, draft) : ReadSingle(tables, bodies, draft);
  draft.out.job.set_image(std::string(first.Image()));
  for (const Layer* layer : {&first.definition, &first.override}) {
    const std::string_view name =
        layer->eks.Get("metadata").Get("namespace").String().value_or(std::string_view());
    if (!name.empty()) draft.out.job.set_namespace_(std::string(name));
  }
  ReadMetadata(tables, bodies, first, draft);
  ReadOwnLabels(bodies, draft);
  ReadDependencies(own, draft);
  const std::optional<std::int64_t> timeout =
      bodies.Either("timeout.attemptDurationSeconds").Integer(0, kMaxInt32);
  if (timeout.has_value()) ShortenRuntime(*timeout, draft);
  ApplyPreemptibleClasses(tables.options, draft);
  if (!bodies.request.present()) ReadAttempts(own, draft);
  return timeout;
}

}  // namespace precedent::aws
