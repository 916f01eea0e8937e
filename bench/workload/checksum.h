// One number that names a stream of jobs or rules, to tell whether two are the same.
#ifndef PRECEDENT_BENCH_WORKLOAD_CHECKSUM_H_
#define PRECEDENT_BENCH_WORKLOAD_CHECKSUM_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "bench/workload/job.h"
#include "bench/workload/rule.h"

namespace precedent::bench {

// FNV-1a, 64 bits.
class Checksum {
 public:
  // Texts carry their length, so that `ab` `c` differs from `a` `bc`.
  void Add(std::string_view text);
  void Add(std::int64_t number);
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325u;
};

// Every drawn value of every job, in order.
std::uint64_t ChecksumOf(const std::vector<Job>& jobs);
// Every condition and amount of every rule, in order.
std::uint64_t ChecksumOf(const std::vector<Rule>& rules);

}  // namespace precedent::bench

#endif  // PRECEDENT_BENCH_WORKLOAD_CHECKSUM_H_
