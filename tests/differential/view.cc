#include <cstring>

#include "tests/differential/subject.h"

namespace precedent::differential {
namespace {

// Every NaN is absent: quiet or signalling, of either sign.
double AbsentNumber(std::size_t which) {
  constexpr std::uint64_t kNans[] = {0x7ff8000000000000, 0xfff8000000000000, 0x7ff0000000000001,
                                     0xffffffffffffffff};
  double number;
  std::memcpy(&number, &kNans[which % 4], sizeof number);
  return number;
}

}  // namespace

View::View(const reference::Job& job) {
  const v1::JobDescriptor& facts = job.facts;
  const v1::Lineage& lineage = facts.lineage();
  std::size_t numbers = facts.team().size();  // anything that varies
  const auto number_of = [&](bool has, double value) {
    return has ? value : AbsentNumber(numbers++);
  };
  job_.team = facts.team();
  job_.workload_type = facts.workload_type();
  job_.environment = facts.environment();
  job_.namespace_name = facts.namespace_();
  job_.queue = facts.queue();
  job_.user = facts.user();
  job_.image = facts.image();
  job_.accelerator = facts.accelerator();
  job_.requested_class = facts.requested_class();
  job_.kind = facts.kind();
  job_.gpu_count = number_of(facts.has_gpu_count(), facts.gpu_count());
  job_.pod_count = number_of(facts.has_pod_count(), facts.pod_count());
  job_.dataset_bytes = number_of(facts.has_dataset_bytes(), facts.dataset_bytes());
  job_.max_runtime_seconds =
      number_of(facts.has_max_runtime_seconds(), facts.max_runtime_seconds());
  job_.checkpoint_interval_seconds =
      number_of(facts.has_checkpoint_interval_seconds(), facts.checkpoint_interval_seconds());
  if (job.submitted_us) job_.submitted = TimePoint(std::chrono::microseconds(*job.submitted_us));
  job_.preemptible = facts.preemptible();
  job_.lineage.failure_count = lineage.failure_count();
  job_.lineage.preemption_count = lineage.preemption_count();
  job_.lineage.infrastructure_failure_count = lineage.infrastructure_failure_count();
  job_.lineage.attempt = lineage.attempt();
  job_.lineage.depth = lineage.depth();
  job_.lineage.step = lineage.step();
  job_.lineage.predecessor_runtime_seconds =
      number_of(lineage.has_predecessor_runtime_seconds(), lineage.predecessor_runtime_seconds());
  job_.lineage.progress = number_of(lineage.has_progress(), lineage.progress());
  job_.lineage.reported_priority =
      number_of(lineage.has_reported_priority(), lineage.reported_priority());
  job_.lineage.retry_of_preempted = lineage.retry_of_preempted();
  for (const auto& [key, value] : job.labels) labels_.push_back({key, value});
  for (const auto& [name, value] : job.metrics) metrics_.push_back({name, value});
  job_.labels = labels_;
  job_.metrics = metrics_;
  for (int attribute : facts.claimed()) job_.claimed |= std::uint32_t{1} << attribute;
}

}  // namespace precedent::differential
