// aws::Adapter: a SubmitJob body and its definition, on their way to a descriptor.
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "precedent/aws_batch.h"
#include "src/adapter/draft.h"
#include "src/adapter/metadata.h"
#include "src/adapter/options.h"
#include "src/adapter/rules.h"
#include "src/aws/node.h"
#include "src/aws/node_ranges.h"
#include "src/json/document.h"
#include "src/json/path.h"

namespace precedent::aws {
namespace {

using adapter::Draft;
using adapter::Metadata;
using json::Document;
using json::Value;

constexpr std::int64_t kMaxInt32 = std::numeric_limits<std::int32_t>::max();

// Labels for what a request says that has no attribute of its own. AWS keeps tags
// that begin with `aws:` to itself, so no tag of a user has these names.
constexpr char kShareLabel[] = "aws:batch:share-identifier";
constexpr char kPriorityLabel[] = "aws:batch:scheduling-priority";
constexpr char kAttemptsLabel[] = "aws:batch:attempts";
constexpr char kArrayLabel[] = "aws:batch:array-size";

absl::string_view View(std::string_view text) { return {text.data(), text.size()}; }

std::string_view Required(Value value) {
  const std::optional<std::string_view> text = value.String();
  if (!text.has_value() || text->empty()) value.Fail("is missing");
  return text.value_or(std::string_view());
}

// `gpu-fair` of `arn:aws:batch:us-east-1:123456789012:job-queue/gpu-fair`.
std::string_view LastPart(std::string_view name_or_arn) {
  return name_or_arn.substr(name_or_arn.rfind('/') + 1);
}

// `train` of `train:3` and of its ARN.
std::string_view DefinitionName(std::string_view name_or_arn) {
  const std::string_view last = LastPart(name_or_arn);
  return last.substr(0, last.find(':'));
}

// The two bodies. Without a definition, `definition` is absent throughout.
struct Bodies {
  Value request;
  Value definition;

  // The request's value where it gives one, else the definition's.
  Value Either(std::string_view path) const {
    const Value own = request.Find(path);
    return own.present() ? own : definition.Find(path);
  }
};

void ReadIdentity(const Bodies& bodies, Draft& draft) {
  v1::JobDescriptor& job = draft.out.job;
  const std::string_view name = Required(bodies.request.Get("jobName"));
  const std::string_view queue = Required(bodies.request.Get("jobQueue"));
  const std::string_view definition = DefinitionName(Required(bodies.request.Get("jobDefinition")));
  job.set_kind("BatchJob");
  job.set_name(std::string(name));
  job.set_queue(std::string(LastPart(queue)));
  job.set_lineage_key(absl::StrCat("BatchJob/", View(definition), "/", View(name)));

  const std::string_view defined =
      bodies.definition.Get("jobDefinitionName").String().value_or(definition);
  if (defined != definition) {
    draft.Remark(absl::StrCat("the job names definition `", json::Printable(definition),
                              "` and was described with `", json::Printable(defined), "`"));
  }
}

// One node of a job that is not multi-node, or the main node of one that is.
void ReadMetadata(const Bodies& bodies, const Node& node, const adapter::Options& options,
                  Draft& draft) {
  Metadata metadata;
  const std::pair<Value, const Layer*> own_and_template[] = {{bodies.request, &node.override},
                                                             {bodies.definition, &node.definition}};
  for (const auto& [body, layer] : own_and_template) {
    metadata.AddMap(body.Get("tags"), Metadata::InLabels::kYes);
    AddPodMetadata(*layer, metadata);
    AddEnvironment(*layer, metadata);
    metadata.AddMap(body.Get("parameters"), Metadata::InLabels::kNo);
  }
  metadata.Read(options, draft);
  ApplyBindings(options, draft);
}

// What becomes a label for want of an attribute.
void ReadOwnLabels(const Bodies& bodies, Draft& draft) {
  auto& labels = *draft.out.job.mutable_labels();
  const auto number = [&](Value value, std::int64_t min, std::int64_t max, const char* label) {
    const std::optional<std::int64_t> read = value.Integer(min, max);
    if (read.has_value()) labels[label] = absl::StrCat(*read);
  };
  const std::optional<std::string_view> share = bodies.request.Get("shareIdentifier").String();
  if (share.has_value()) labels[kShareLabel] = std::string(*share);
  const Value priority = bodies.request.Get("schedulingPriorityOverride");
  number(priority.present() ? priority : bodies.definition.Get("schedulingPriority"),
         std::numeric_limits<std::int32_t>::min(), kMaxInt32, kPriorityLabel);
  number(bodies.Either("retryStrategy.attempts"), 1, 10, kAttemptsLabel);
  number(bodies.request.Find("arrayProperties.size"), 0, kMaxInt32, kArrayLabel);
  // All labels together are claimed or not, and nobody verified these either.
  if (!labels.empty()) draft.Claim(v1::LABELS);
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

}  // namespace

class Adapter::Impl {
 public:
  explicit Impl(adapter::Options options) : options_(std::move(options)) {}

  absl::StatusOr<DescribedJob> Describe(std::string_view request_json,
                                        std::string_view definition_json) const {
    const absl::StatusOr<std::unique_ptr<Document>> request = Document::Parse(request_json);
    if (!request.ok()) return request.status();
    std::unique_ptr<Document> definition;
    if (!definition_json.empty()) {
      absl::StatusOr<std::unique_ptr<Document>> parsed =
          Document::Parse(definition_json, "definition");
      if (!parsed.ok()) return parsed.status();
      definition = *std::move(parsed);
    }
    Bodies bodies;
    bodies.request = (*request)->root();
    if (definition != nullptr) bodies.definition = definition->root();
    for (const Value body : {bodies.request, bodies.definition}) {
      if (body.present() && !body.is_object()) body.Fail("must be a JSON object");
    }
    if (definition != nullptr && !bodies.definition.present()) {
      bodies.definition.Fail("must be a JSON object and is null");
    }

    Draft draft;
    Read(bodies, draft);
    if (!(*request)->status().ok()) return (*request)->status();
    if (definition != nullptr && !definition->status().ok()) return definition->status();
    return std::move(draft).Finish();
  }

 private:
  void Read(const Bodies& bodies, Draft& draft) const {
    ReadIdentity(bodies, draft);
    const Value nodes = bodies.definition.Get("nodeProperties");
    Node first;
    if (nodes.present()) {
      first = ReadNodes(bodies, nodes, draft);
    } else {
      first = ReadSingle(bodies, draft);
    }
    draft.out.job.set_image(std::string(first.Image()));
    for (const Layer* layer : {&first.definition, &first.override}) {
      const std::string_view name =
          layer->eks.Get("metadata").Get("namespace").String().value_or(std::string_view());
      if (!name.empty()) draft.out.job.set_namespace_(std::string(name));
    }
    ReadMetadata(bodies, first, options_, draft);
    ReadOwnLabels(bodies, draft);
    ReadDependencies(bodies.request, draft);
    const std::optional<std::int64_t> timeout =
        bodies.Either("timeout.attemptDurationSeconds").Integer(0, kMaxInt32);
    if (timeout.has_value()) ShortenRuntime(*timeout, draft);
    ApplyPreemptibleClasses(options_, draft);
  }

  void SetDevices(const adapter::DeviceCounts& devices, Draft& draft) const {
    v1::JobDescriptor& job = draft.out.job;
    for (const auto& [name, count] : devices) (*job.mutable_devices())[name] = count;
    job.set_gpu_count(options_.devices.GpuCount(devices));
  }

  // A job of one node, or one whose definition nobody gave.
  Node ReadSingle(const Bodies& bodies, Draft& draft) const {
    const Node node{Layer::OfDefinition(bodies.definition), Layer::OfOverride(bodies.request)};
    v1::JobDescriptor& job = draft.out.job;
    const Value node_overrides = bodies.request.Get("nodeOverrides");
    const bool has_definition = bodies.definition.present();
    if (has_definition && !node.definition.present()) {
      bodies.definition.Fail(
          "gives none of containerProperties, ecsProperties, eksProperties and nodeProperties");
    }
    if (has_definition && node_overrides.present()) {
      node_overrides.Fail("the definition is of no multi-node job");
    }
    if (has_definition || (!node_overrides.present() && GivesGpu(node.override))) {
      adapter::DeviceCounts devices;
      node.Devices(options_.devices).AddTo(devices, 1, bodies.request);
      SetDevices(devices, draft);
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
  Node ReadNodes(const Bodies& bodies, Value nodes, Draft& draft) const {
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
      node.Devices(options_.devices).AddTo(devices, end - starts[i], nodes);
    }
    SetDevices(devices, draft);
    draft.out.job.set_pod_count(static_cast<double>(*count));
    return node_at(nodes.Get("mainNode").Integer(0, *count - 1).value_or(0));
  }

  const adapter::Options options_;
};

absl::StatusOr<Adapter> Adapter::Create(const v1::AdapterOptions& options) {
  absl::StatusOr<adapter::Options> read = adapter::Options::Create(options);
  if (!read.ok()) return read.status();
  return Adapter(std::make_shared<const Impl>(*std::move(read)));
}

absl::StatusOr<DescribedJob> Adapter::Describe(std::string_view request_json,
                                               std::string_view definition_json) const {
  return impl_->Describe(request_json, definition_json);
}

}  // namespace precedent::aws
