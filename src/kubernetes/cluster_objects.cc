#include "src/kubernetes/cluster_objects.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <string_view>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "src/adapter/decide.h"
#include "src/adapter/pod_devices.h"
#include "src/json/path.h"
#include "src/json/time.h"
#include "src/kubernetes/fields.h"
#include "src/kubernetes/kinds.h"

namespace precedent::kubernetes {
namespace {

using json::Value;

constexpr std::string_view kLastCheckpoint = "precedent.dev/last-checkpoint";
constexpr std::int64_t kMaxCount = std::numeric_limits<std::int32_t>::max();
constexpr int kMilli = 1000;

std::string Text(Value value) { return std::string(TextOf(value)); }

// When the attempt began: the container that restarted most tells.
absl::Time StartOf(Value pod, absl::Time created) {
  const Value status = pod.Get("status");
  std::optional<absl::Time> started;
  std::int64_t most = -1;
  for (const Value container : status.Get("containerStatuses").Items()) {
    const std::int64_t restarts = container.Get("restartCount").Integer(0, kMaxCount).value_or(0);
    const std::optional<absl::Time> at =
        TimeOf(container.Get("state").Get("running").Get("startedAt"));
    if (!at.has_value() || restarts <= most) continue;
    most = restarts;
    started = at;
  }
  if (!started.has_value()) started = TimeOf(status.Get("startTime"));
  if (!started.has_value()) {
    started = TimeOf(ConditionOf(pod, "PodScheduled").Get("lastTransitionTime"));
  }
  return started.value_or(created);
}

// What says of itself that nobody should evict it.
bool IsGuarded(Value metadata, bool preemptible) {
  const Value annotations = metadata.Get("annotations");
  if (annotations.HasKey("kubernetes.io/config.mirror")) return true;
  if (TextOf(annotations.Get("karpenter.sh/do-not-disrupt")) == "true") return true;
  if (TextOf(annotations.Get("cluster-autoscaler.kubernetes.io/safe-to-evict")) == "false") {
    return true;
  }
  const Value owner = ControllerOf(metadata);
  if (!owner.present()) return !preemptible;
  const std::string_view kind = TextOf(owner.Get("kind"));
  return kind == "DaemonSet" || kind == "Node";
}

std::string GroupIn(Value metadata, const std::vector<std::string>& keys) {
  for (const std::string& key : keys) {
    for (const char* place : {"labels", "annotations"}) {
      const Value value = metadata.Get(place).Get(key);
      if (value.present() && !TextOf(value).empty()) return Text(value);
    }
  }
  return "";
}

// A share of one device is rounded down, so that seven sevenths fit; more than one device
// is whole devices.
void SetMilli(double gpus, PodRecord& pod) {
  const double milli = gpus * kMilli;
  if (milli >= static_cast<double>(kMaxCount) * kMilli) return;
  if (milli < kMilli) {
    pod.gpu_milli = std::max<std::int64_t>(static_cast<std::int64_t>(milli + 1e-6), 1);
    return;
  }
  pod.gpu_milli = static_cast<std::int64_t>(std::ceil(gpus - 1e-9)) * kMilli;
  pod.rounded = static_cast<double>(*pod.gpu_milli) > milli + 1e-3;
}

}  // namespace

std::optional<PodRecord> ReadPod(const adapter::Options& options,
                                 const std::vector<std::string>& gang_keys,
                                 const DeviceClaims& claims, const Evaluator& evaluator,
                                 TimePoint now, Value object, const json::Document& document) {
  const Value metadata = object.Get("metadata");
  const Value spec = object.Get("spec");
  const std::string_view phase = TextOf(object.Get("status").Get("phase"));
  if (phase == "Succeeded" || phase == "Failed") return std::nullopt;
  PodRecord pod;
  pod.identity = {Text(metadata.Get("namespace")), Text(metadata.Get("name")),
                  Text(metadata.Get("uid"))};
  if (pod.identity.namespace_name.empty()) pod.identity.namespace_name = "default";
  pod.node = Text(spec.Get("nodeName"));
  pod.stopping = TimeOf(metadata.Get("deletionTimestamp")).has_value() ||
                 IsTrue(ConditionOf(object, "DisruptionTarget"));
  if (pod.stopping && pod.node.empty()) return std::nullopt;

  Context context;
  context.namespace_name = pod.identity.namespace_name;
  context.claims = claims.table();
  Reading reading = ReadObject(options, *FindKind("", "Pod"), object, document, context);
  if (!document.status().ok() || !reading.holds_devices) return std::nullopt;
  if (pod.identity.name.empty()) metadata.Get("name").Fail("is missing");
  if (pod.identity.uid.empty()) metadata.Get("uid").Fail("is missing");

  const absl::Time latest = absl::FromUnixMicros(now.time_since_epoch().count());
  const absl::Time created =
      std::min(TimeOf(metadata.Get("creationTimestamp")).value_or(latest), latest);
  pod.group = GroupIn(metadata, gang_keys);
  pod.labels = ReadLabels(metadata.Get("labels"));
  for (const Value gate : spec.Get("schedulingGates").Items()) pod.gated = gate.present();
  pod.scheduler_preempts = TextOf(spec.Get("preemptionPolicy")) != "Never";
  pod.own_class = Text(spec.Get("priorityClassName"));
  pod.submitted = created;
  pod.started = std::min(StartOf(object, created), latest);
  pod.last_checkpoint = TimeOf(metadata.Get("annotations").Get(kLastCheckpoint));

  const DescribedJob job = std::move(reading.draft).Finish();
  if (job.job.has_gpu_count()) SetMilli(job.job.gpu_count(), pod);
  pod.checkpoint_interval = job.job.checkpoint_interval_seconds();
  pod.evictions =
      static_cast<std::int32_t>(std::min(job.job.lineage().preemption_count(), kMaxCount));
  if (pod.last_checkpoint.has_value()) {
    pod.last_checkpoint = std::min(*pod.last_checkpoint, latest);
    // Whoever names a checkpoint makes some, about as often as that.
    if (pod.checkpoint_interval <= 0) {
      pod.checkpoint_interval = std::max(absl::ToDoubleSeconds(latest - *pod.last_checkpoint), 1.0);
    }
    if (*pod.last_checkpoint < pod.started) pod.last_checkpoint.reset();
  }
  if (pod.node.empty()) {
    pod.constraint = ReadConstraint(spec);
    for (const auto& [name, count] : job.job.devices()) {
      if (count > 0) pod.constraint.devices.push_back(name);
    }
    std::sort(pod.constraint.devices.begin(), pod.constraint.devices.end());
  }
  const v1::Decision decision = adapter::Decide(evaluator, job, now);
  pod.priority = decision.priority();
  pod.preemption_priority = decision.preemption_priority();
  pod.priority_class =
      absl::StartsWith(pod.own_class, "system-") ? pod.own_class : decision.priority_class();
  pod.preemptible = decision.preemptible();
  pod.never_preempt_others = decision.never_preempt_others();
  pod.guarded = IsGuarded(metadata, pod.preemptible);
  return pod;
}

NodeRecord ReadNode(const adapter::Options& options, Value object) {
  NodeRecord node;
  const Value metadata = object.Get("metadata");
  const Value spec = object.Get("spec");
  const Value status = object.Get("status");
  node.name = Text(metadata.Get("name"));
  if (node.name.empty()) metadata.Get("name").Fail("is missing");
  node.labels = ReadLabels(metadata.Get("labels"));
  node.labels[std::string(kNodeNameKey)] = node.name;
  const Value allocatable = status.Get("allocatable");
  const Value ready = ConditionOf(object, "Ready");
  node.unschedulable =
      spec.Get("unschedulable").Bool().value_or(false) || (ready.present() && !IsTrue(ready));
  for (const Value taint : spec.Get("taints").Items()) {
    const std::string effect = Text(taint.Get("effect"));
    if (effect != "NoSchedule" && effect != "NoExecute") continue;
    node.taints.push_back({Text(taint.Get("key")), Text(taint.Get("value")), effect});
  }
  adapter::DeviceCounts devices;
  for (const adapter::DeviceRequest& device : adapter::ReadResourceMap(
           options.devices, allocatable.present() ? allocatable : status.Get("capacity"))) {
    if (device.count <= 0) continue;
    devices[std::string(device.name)] = device.count;
    node.devices.emplace_back(device.name);
  }
  const double gpus = std::ceil(options.devices.GpuCount(devices) - 1e-9);
  node.gpus = static_cast<std::int64_t>(std::min(gpus, static_cast<double>(kMaxCount)));
  return node;
}

BudgetRecord ReadBudget(Value object) {
  BudgetRecord budget;
  const Value metadata = object.Get("metadata");
  budget.namespace_name = Text(metadata.Get("namespace"));
  if (budget.namespace_name.empty()) budget.namespace_name = "default";
  budget.name = Text(metadata.Get("name"));
  if (budget.name.empty()) metadata.Get("name").Fail("is missing");
  const Value selector = object.Get("spec").Get("selector");
  budget.selects = selector.present();
  budget.selector = ReadLabelSelector(selector);
  const Value status = object.Get("status");
  budget.allowed = status.Get("disruptionsAllowed").Integer(0, kMaxCount).value_or(0);
  // The API server refuses while the controller has not seen the newest spec.
  const auto seen = status.Get("observedGeneration").Integer(0, INT64_MAX);
  const auto newest = metadata.Get("generation").Integer(0, INT64_MAX);
  if (seen.has_value() && newest.has_value() && *seen < *newest) budget.allowed = 0;
  return budget;
}

}  // namespace precedent::kubernetes
