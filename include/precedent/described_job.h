// DescribedJob: what an adapter read out of one object or request.
#ifndef PRECEDENT_DESCRIBED_JOB_H_
#define PRECEDENT_DESCRIBED_JOB_H_

#include <cstdint>
#include <string>
#include <vector>

#include "precedent/v1/job.pb.h"

namespace precedent {

// Owns everything; make a JobView of `job` to evaluate it.
struct DescribedJob {
  v1::JobDescriptor job;
  // What the adapter noticed and a person should know, such as a device claim
  // that cannot be counted; becomes Decision.remarks. Lower case, one line each.
  std::vector<std::string> remarks;
  // Pods that are of use only together, so that a scheduler starts and evicts them
  // together; 1: each for itself.
  std::int64_t gang_pods = 1;
};

}  // namespace precedent

#endif  // PRECEDENT_DESCRIBED_JOB_H_
