// The seed policy as it is mostly written: strings compared with `==`.
#include <algorithm>

#include "bench/rivals/rival.h"

namespace precedent::bench {
namespace {

std::int32_t Priority(const Job& job) {
  std::int64_t priority = job.environment == "production" ? 1000 : 500;
  if (job.workload == "inference")
    priority += 200;
  else if (job.gpus > 4)
    priority -= 50;
  if (job.workload == "training" && job.dataset_gb > 1024) priority -= 5;
  priority -= 10 * job.failures;
  if (job.preemptible) priority = 0;
  return static_cast<std::int32_t>(std::max<std::int64_t>(priority, 0));
}

class Strings : public Contender {
 public:
  explicit Strings(const std::vector<Job>& jobs) : jobs_(jobs) {}
  void Run(std::size_t begin, std::size_t end, std::int32_t* priorities) override {
    for (std::size_t i = begin; i < end; ++i) *priorities++ = Priority(jobs_[i]);
  }

 private:
  const std::vector<Job>& jobs_;
};

}  // namespace

std::unique_ptr<Contender> SeedOnStrings(const std::vector<Job>& jobs) {
  return std::make_unique<Strings>(jobs);
}

}  // namespace precedent::bench
