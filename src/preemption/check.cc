// What is refused before it can do harm.
#include "src/preemption/check.h"

#include <set>
#include <string>

#include "absl/strings/str_cat.h"

namespace precedent::internal {
namespace {

constexpr std::int64_t kMostSeconds = 253402300799, kLeastSeconds = -62135596800;
constexpr std::int64_t kLongest = 1'000'000'000;  // seconds: 31 years

absl::Status Bad(const std::string& text) { return absl::InvalidArgumentError(text); }

bool TimeIsSound(const google::protobuf::Timestamp& time) {
  return time.seconds() >= kLeastSeconds && time.seconds() <= kMostSeconds && time.nanos() >= 0 &&
         time.nanos() < 1'000'000'000;
}
bool LengthIsSound(std::int64_t seconds) { return seconds >= 0 && seconds <= kLongest; }

}  // namespace

std::int64_t Micros(const google::protobuf::Timestamp& time) {
  return time.seconds() * 1'000'000 + time.nanos() / 1000;
}

google::protobuf::Timestamp ToTimestamp(std::int64_t micros) {
  google::protobuf::Timestamp time;
  std::int64_t seconds = micros / 1'000'000, rest = micros % 1'000'000;
  if (rest < 0) {
    rest += 1'000'000;
    --seconds;
  }
  time.set_seconds(seconds);
  time.set_nanos(static_cast<std::int32_t>(rest * 1000));
  return time;
}

absl::Status CheckPolicy(const v1::PreemptionPolicy& policy) {
  if (policy.gap() < 0) return Bad("gap is negative: use 1 or more");
  if (!LengthIsSound(policy.min_runtime_seconds()))
    return Bad("min_runtime_seconds is not within 0 to 1000000000");
  if (!LengthIsSound(policy.restart_seconds()))
    return Bad("restart_seconds is not within 0 to 1000000000");
  if (!LengthIsSound(policy.hold_seconds()))
    return Bad("hold_seconds is not within 0 to 1000000000");
  if (policy.max_evictions_per_minute() < 0) return Bad("max_evictions_per_minute is negative");
  if (policy.max_evictions_per_node_per_minute() < 0)
    return Bad("max_evictions_per_node_per_minute is negative");
  std::set<std::string> names;
  for (const v1::DisruptionBudget& budget : policy.budgets()) {
    if (budget.name().empty()) return Bad("budgets: a budget has no name");
    const std::string where = absl::StrCat("budget `", budget.name(), "`: ");
    if (!names.insert(budget.name()).second) return Bad(where + "its name is used twice");
    if (!LengthIsSound(budget.window_seconds()))
      return Bad(where + "window_seconds is not within 0 to 1000000000");
    if (budget.limit_case() == v1::DisruptionBudget::LIMIT_NOT_SET)
      return Bad(where + "has no limit: set max_disrupted or max_disrupted_percent");
    if (budget.max_disrupted() < 0) return Bad(where + "max_disrupted is negative");
    if (!(budget.max_disrupted_percent() >= 0 && budget.max_disrupted_percent() <= 100))
      return Bad(where + "max_disrupted_percent is not within 0 to 100");
  }
  return absl::OkStatus();
}

absl::Status CheckNode(const v1::Node& node) {
  if (node.name().empty()) return Bad("a node has no name");
  if (node.gpus() < 0 || node.gpus() > 1024)
    return Bad(
        absl::StrCat("node `", node.name(), "`: gpus is ", node.gpus(), ", not within 0 to 1024"));
  return absl::OkStatus();
}

absl::Status CheckJob(const v1::ClusterJob& job) {
  if (job.id().empty()) return Bad("a job has no id");
  const std::string where = absl::StrCat("job `", job.id(), "`: ");
  if (job.pods().empty()) return Bad(where + "has no pods");
  const double interval = job.checkpoint_interval_seconds();
  if (!(interval >= 0 && interval <= static_cast<double>(kLongest)))
    return Bad(where + "checkpoint_interval_seconds is not within 0 to 1000000000");
  if (job.evictions() < 0) return Bad(where + "evictions is negative");
  if (!TimeIsSound(job.submitted()) || !TimeIsSound(job.started()) ||
      !TimeIsSound(job.last_checkpoint()))
    return Bad(where + "a time is not within the years 1 to 9999");
  std::set<std::string> names;
  bool all = true;
  for (const v1::ClusterPod& pod : job.pods()) {
    if (pod.name().empty()) return Bad(where + "a pod has no name");
    const std::string which = absl::StrCat(where, "pod `", pod.name(), "`: ");
    if (!names.insert(pod.name()).second) return Bad(which + "its name is used twice");
    const std::int64_t milli = pod.gpu_milli();
    if (milli < 0 || milli > 1'024'000 || (milli >= 1000 && milli % 1000 != 0))
      return Bad(absl::StrCat(which, "gpu_milli is ", milli,
                              ", not 0 to 999 or a multiple of 1000 up to 1024000"));
    all = all && !pod.node().empty();
    if (pod.devices().empty()) continue;
    if (pod.devices_size() != (milli >= 1000 ? milli / 1000 : milli > 0 ? 1 : 0))
      return Bad(which + "has not as many devices as gpu_milli says");
    std::set<int> devices;
    for (const int device : pod.devices())
      if (device < 0 || device >= 1024 || !devices.insert(device).second)
        return Bad(
            absl::StrCat(which, "device ", device, " is there twice or not within 0 to 1023"));
  }
  if (all && !job.has_started()) return Bad(where + "runs, and has no time of start");
  return absl::OkStatus();
}

absl::Status CheckState(const v1::PlannerState& state) {
  std::set<std::string> holders;
  for (const auto& hold : state.holds()) {
    const std::string where = absl::StrCat("hold of `", hold.job(), "`: ");
    if (hold.job().empty()) return Bad("a hold has no job");
    if (!holders.insert(hold.job()).second) return Bad(where + "is there twice");
    if (!hold.has_until() || !TimeIsSound(hold.until()))
      return Bad(where + "until is missing or not a time");
    std::set<std::string> pods;
    for (const auto& pod : hold.pods()) {
      if (!pods.insert(pod.pod()).second)
        return Bad(absl::StrCat(where, "pod `", pod.pod(), "` is there twice"));
      std::set<int> devices;
      for (const int device : pod.devices())
        if (device < 0 || device >= 1024 || !devices.insert(device).second)
          return Bad(
              absl::StrCat(where, "device ", device, " is there twice or not within 0 to 1023"));
    }
  }
  for (const auto& eviction : state.evictions()) {
    if (eviction.job().empty()) return Bad("an eviction has no job");
    if (!eviction.has_time() || !TimeIsSound(eviction.time()))
      return Bad(absl::StrCat("eviction of `", eviction.job(), "`: time is missing or not a time"));
  }
  return absl::OkStatus();
}

}  // namespace precedent::internal
