// JobView: a JobDescriptor made from its protobuf message.
//
// Header-only; needs precedent::proto.
#ifndef PRECEDENT_JOB_VIEW_H_
#define PRECEDENT_JOB_VIEW_H_

#include <string_view>
#include <vector>

#include "precedent/job_descriptor.h"
#include "precedent/v1/job.pb.h"

namespace precedent {

// Owns the lists, borrows the texts: the message must outlive it. Values are taken
// as they are; an invalid one (infinite, negative) gives a fallback decision, and
// a number that is not set is absent. Costs one allocation for each of labels and
// metrics that are not empty.
class JobView {
 public:
  explicit JobView(const v1::JobDescriptor& message) {
    job_.team = message.team();
    job_.workload_type = message.workload_type();
    job_.environment = message.environment();
    job_.namespace_name = message.namespace_();
    job_.queue = message.queue();
    job_.user = message.user();
    job_.image = message.image();
    job_.accelerator = message.accelerator();
    job_.requested_class = message.requested_class();
    job_.kind = message.kind();
    if (message.has_gpu_count()) job_.gpu_count = message.gpu_count();
    if (message.has_pod_count()) job_.pod_count = message.pod_count();
    if (message.has_dataset_bytes()) job_.dataset_bytes = message.dataset_bytes();
    if (message.has_max_runtime_seconds()) job_.max_runtime_seconds = message.max_runtime_seconds();
    if (message.has_checkpoint_interval_seconds())
      job_.checkpoint_interval_seconds = message.checkpoint_interval_seconds();
    // The range of a valid Timestamp, years 1 to 9999; nothing outside it is a time.
    if (message.has_submitted() && message.submitted().seconds() >= -62'135'596'800 &&
        message.submitted().seconds() <= 253'402'300'799)
      job_.submitted = TimePoint(std::chrono::microseconds(
          message.submitted().seconds() * 1'000'000 + message.submitted().nanos() / 1000));
    job_.preemptible = message.preemptible();
    const v1::Lineage& lineage = message.lineage();
    job_.lineage.failure_count = lineage.failure_count();
    job_.lineage.preemption_count = lineage.preemption_count();
    job_.lineage.infrastructure_failure_count = lineage.infrastructure_failure_count();
    job_.lineage.attempt = lineage.attempt();
    job_.lineage.depth = lineage.depth();
    job_.lineage.step = lineage.step();
    if (lineage.has_predecessor_runtime_seconds())
      job_.lineage.predecessor_runtime_seconds = lineage.predecessor_runtime_seconds();
    if (lineage.has_progress()) job_.lineage.progress = lineage.progress();
    if (lineage.has_reported_priority())
      job_.lineage.reported_priority = lineage.reported_priority();
    job_.lineage.retry_of_preempted = lineage.retry_of_preempted();
    labels_.reserve(message.labels().size());
    for (const auto& [key, value] : message.labels()) labels_.push_back({key, value});
    metrics_.reserve(message.metrics().size());
    for (const auto& [name, value] : message.metrics()) metrics_.push_back({name, value});
    for (int attribute : message.claimed())
      if (attribute > 0 && attribute < 32) job_.claimed |= std::uint32_t{1} << attribute;
  }

  // Valid as long as this JobView and the message, also after a move.
  JobDescriptor descriptor() const {
    JobDescriptor job = job_;
    job.labels = labels_;
    job.metrics = metrics_;
    return job;
  }

 private:
  JobDescriptor job_;
  std::vector<Label> labels_;
  std::vector<Metric> metrics_;
};

}  // namespace precedent

#endif  // PRECEDENT_JOB_VIEW_H_
