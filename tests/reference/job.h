// The reference interpreter's own view of a job.
//
// It is the message, but for what a message cannot hold: lists with duplicate keys
// and the time of submission in microseconds.
#ifndef PRECEDENT_TESTS_REFERENCE_JOB_H_
#define PRECEDENT_TESTS_REFERENCE_JOB_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "precedent/v1/job.pb.h"

namespace precedent::reference {

struct Job {
  // Everything but submitted, labels and metrics, which here stay empty. A number
  // that is NaN counts as absent.
  v1::JobDescriptor facts;
  std::optional<std::int64_t> submitted_us;
  std::vector<std::pair<std::string, std::string>> labels;
  std::vector<std::pair<std::string, double>> metrics;
};

Job FromMessage(const v1::JobDescriptor& message);

// For failure messages: everything the job holds, exactly.
std::string ToText(const Job& job);

}  // namespace precedent::reference

#endif  // PRECEDENT_TESTS_REFERENCE_JOB_H_
