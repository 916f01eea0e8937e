// Submissions and events in few words.
#ifndef PRECEDENT_TESTS_UNIT_LINEAGE_BUILD_H_
#define PRECEDENT_TESTS_UNIT_LINEAGE_BUILD_H_

#include <chrono>
#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <vector>

#include "precedent/lineage.h"

namespace precedent {

inline TimePoint At(std::int64_t seconds) {
  return TimePoint(std::chrono::seconds(1'700'000'000 + seconds));
}

// Owns its list of parents.
class Job {
 public:
  Job(std::string_view id, std::int64_t seconds) {
    submission_.id = id;
    submission_.owner = "ml";
    submission_.submitted = At(seconds);
  }
  Job& Owner(std::string_view owner) { return submission_.owner = owner, *this; }
  Job& Key(std::string_view key) { return submission_.lineage_key = key, *this; }
  Job& Carries(const Lineage& lineage) { return submission_.carried = lineage, *this; }
  Job& Of(Relation relation, std::string_view parent) {
    return parents_.push_back({parent, relation}), *this;
  }
  Job& RetryOf(std::string_view parent) { return Of(Relation::kRetryOf, parent); }
  Job& DependsOn(std::string_view parent) { return Of(Relation::kDependsOn, parent); }
  Job& StepOf(std::string_view parent) { return Of(Relation::kStepOf, parent); }

  // Valid as long as this.
  operator const Submission&() {  // NOLINT: it is one
    submission_.parents = Span<const ParentRef>(parents_.data(), parents_.size());
    return submission_;
  }

 private:
  Submission submission_;
  std::vector<ParentRef> parents_;
};

inline JobEvent Event(std::string_view job, EventKind kind, std::int64_t seconds,
                      std::int32_t attempt = 0, Cause cause = Cause::kUnknown) {
  JobEvent event;
  event.job = job;
  event.kind = kind;
  event.time = At(seconds);
  event.attempt = attempt;
  event.cause = cause;
  return event;
}
inline JobEvent Started(std::string_view job, std::int64_t seconds, std::int32_t attempt = 0) {
  return Event(job, EventKind::kStarted, seconds, attempt);
}
inline JobEvent Succeeded(std::string_view job, std::int64_t seconds, std::int32_t attempt = 0) {
  return Event(job, EventKind::kSucceeded, seconds, attempt);
}
inline JobEvent Failed(std::string_view job, std::int64_t seconds, Cause cause = Cause::kOwn,
                       std::int32_t attempt = 0) {
  return Event(job, EventKind::kFailed, seconds, attempt, cause);
}
inline JobEvent Preempted(std::string_view job, std::int64_t seconds, std::int32_t attempt = 0) {
  return Event(job, EventKind::kPreempted, seconds, attempt);
}
inline JobEvent Cancelled(std::string_view job, std::int64_t seconds, std::int32_t attempt = 0) {
  return Event(job, EventKind::kCancelled, seconds, attempt);
}

}  // namespace precedent

#endif  // PRECEDENT_TESTS_UNIT_LINEAGE_BUILD_H_
