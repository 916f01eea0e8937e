// Submission and JobEvent made from their protobuf messages.
//
// Header-only; needs precedent::proto.
#ifndef PRECEDENT_LINEAGE_VIEW_H_
#define PRECEDENT_LINEAGE_VIEW_H_

#include <cstdint>
#include <vector>

#include "precedent/job_view.h"
#include "precedent/lineage.h"
#include "precedent/v1/lineage.pb.h"

namespace precedent {

// Owns the lists, borrows the texts: the message must outlive it. Values are taken as
// they are: what is wrong with them, LineageGraph says. Lineage that is merely claimed
// is not carried.
class SubmissionView {
 public:
  explicit SubmissionView(const v1::Submission& message) : job_(message.job()) {
    submission_.id = message.job().id();
    submission_.owner = message.owner();
    submission_.lineage_key = message.job().lineage_key();
    const JobDescriptor job = job_.descriptor();
    submission_.submitted = job.submitted;
    if ((job.claimed & Bit(Attribute::kLineage)) == 0) submission_.carried = job.lineage;
    for (const v1::Parent& parent : message.job().parents()) {
      Relation relation = Relation::kDependsOn;
      if (parent.relation() == v1::Parent::RETRY_OF) relation = Relation::kRetryOf;
      if (parent.relation() == v1::Parent::STEP_OF) relation = Relation::kStepOf;
      parents_.push_back({parent.id(), relation});
    }
  }

  // Both valid as long as this SubmissionView, where it is, and the message.
  Submission submission() const {
    Submission submission = submission_;
    submission.parents = Span<const ParentRef>(parents_.data(), parents_.size());
    return submission;
  }
  JobDescriptor descriptor() const { return job_.descriptor(); }

 private:
  JobView job_;
  Submission submission_;
  std::vector<ParentRef> parents_;
};

// kNoTime for none, and for what is no Timestamp.
inline TimePoint ToTimePoint(const google::protobuf::Timestamp& time) {
  if (time.seconds() < -62'135'596'800 || time.seconds() > 253'402'300'799) return kNoTime;
  return TimePoint(std::chrono::microseconds(time.seconds() * 1'000'000 + time.nanos() / 1000));
}

// Borrows the id from the message.
inline JobEvent ToJobEvent(const v1::JobEvent& message) {
  JobEvent event;
  event.job = message.job();
  event.attempt = message.attempt();
  event.kind = static_cast<EventKind>(message.kind());
  if (message.has_time()) event.time = ToTimePoint(message.time());
  event.cause = static_cast<Cause>(message.cause());
  if (message.has_step()) event.step = message.step();
  if (message.has_progress()) event.progress = message.progress();
  if (message.has_reported_priority()) event.reported_priority = message.reported_priority();
  return event;
}

}  // namespace precedent

#endif  // PRECEDENT_LINEAGE_VIEW_H_
