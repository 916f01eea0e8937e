// The seed policy as one would write it for a job record that has been made for it.
#include <algorithm>

#include "bench/rivals/rival.h"

namespace precedent::bench {
namespace {

enum class Workload : std::uint8_t { kTraining, kInference, kOther };
enum class Environment : std::uint8_t { kProduction, kOther };

struct Record {
  std::int64_t gpus;
  std::int64_t dataset_gb;
  std::int64_t failures;
  Workload workload;
  Environment environment;
  bool preemptible;
};

Record MakeRecord(const Job& job) {
  return {job.gpus,
          job.dataset_gb,
          job.failures,
          job.workload == "training"    ? Workload::kTraining
          : job.workload == "inference" ? Workload::kInference
                                        : Workload::kOther,
          job.environment == "production" ? Environment::kProduction : Environment::kOther,
          job.preemptible};
}

std::int32_t Priority(const Record& job) {
  std::int64_t priority = job.environment == Environment::kProduction ? 1000 : 500;
  if (job.workload == Workload::kInference)
    priority += 200;
  else if (job.gpus > 4)
    priority -= 50;
  if (job.workload == Workload::kTraining && job.dataset_gb > 1024) priority -= 5;
  priority -= 10 * job.failures;
  if (job.preemptible) priority = 0;
  return static_cast<std::int32_t>(std::max<std::int64_t>(priority, 0));
}

class Enums : public Contender {
 public:
  explicit Enums(const std::vector<Job>& jobs) {
    for (const Job& job : jobs) records_.push_back(MakeRecord(job));
  }
  void Run(std::size_t begin, std::size_t end, std::int32_t* priorities) override {
    for (std::size_t i = begin; i < end; ++i) *priorities++ = Priority(records_[i]);
  }

 private:
  std::vector<Record> records_;
};

}  // namespace

std::unique_ptr<Contender> SeedOnEnums(const std::vector<Job>& jobs) {
  return std::make_unique<Enums>(jobs);
}

}  // namespace precedent::bench
