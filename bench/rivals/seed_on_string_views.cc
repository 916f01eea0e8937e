// The seed policy by hand on the library's own JobDescriptor, with literals of known
// length, so that the compiler compares a length and some words in place: the fastest
// way to write it on strings, from the very bytes that the library gets.
#include <algorithm>
#include <string_view>

#include "bench/rivals/rival.h"

namespace precedent::bench {
namespace {

using namespace std::string_view_literals;

std::int32_t Priority(const JobDescriptor& job) {
  std::int64_t priority = job.environment == "production"sv ? 1000 : 500;
  if (job.workload_type == "inference"sv)
    priority += 200;
  else if (job.gpu_count > 4)
    priority -= 50;
  if (job.workload_type == "training"sv && job.dataset_bytes > 1024 * kBytesPerGb) priority -= 5;
  priority -= 10 * job.lineage.failure_count;
  if (job.preemptible) priority = 0;
  return static_cast<std::int32_t>(std::max<std::int64_t>(priority, 0));
}

class StringViews : public Contender {
 public:
  explicit StringViews(const std::vector<Job>& jobs) {
    for (const Job& job : jobs) descriptors_.push_back(Describe(job, Span<const Label>()));
  }
  void Run(std::size_t begin, std::size_t end, std::int32_t* priorities) override {
    for (std::size_t i = begin; i < end; ++i) *priorities++ = Priority(descriptors_[i]);
  }

 private:
  std::vector<JobDescriptor> descriptors_;
};

}  // namespace

std::unique_ptr<Contender> SeedOnStringViews(const std::vector<Job>& jobs) {
  return std::make_unique<StringViews>(jobs);
}

}  // namespace precedent::bench
