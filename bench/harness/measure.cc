#include "bench/harness/measure.h"

#include <time.h>

#include <algorithm>
#include <limits>

namespace precedent::bench {
namespace {

constexpr double kSliceNanoseconds = 1e5;
constexpr int kTurns = 5;

// What asking for the time twice takes by itself.
std::int64_t ClockNanoseconds() {
  static const std::int64_t least = [] {
    std::int64_t best = std::numeric_limits<std::int64_t>::max();
    for (int i = 0; i < 1000; ++i) {
      const std::int64_t start = ThreadNanoseconds();
      best = std::min(best, ThreadNanoseconds() - start);
    }
    return best;
  }();
  return least;
}

class Timed {
 public:
  Timed(Contender& contender, std::size_t jobs) : contender_(contender), jobs_(jobs) {
    priorities_.resize(jobs);
    slice_ = SliceSize();
    least_.assign((jobs + slice_ - 1) / slice_, std::numeric_limits<double>::infinity());
  }

  // Passes over all jobs until `seconds` are over; at least one.
  void Turn(double seconds) {
    const std::int64_t end = ThreadNanoseconds() + static_cast<std::int64_t>(seconds * 1e9);
    do {
      for (std::size_t i = 0; i < least_.size(); ++i)
        least_[i] = std::min(least_[i], Time(i * slice_, std::min(jobs_, (i + 1) * slice_)));
    } while (ThreadNanoseconds() < end);
  }

  double PerJob() const {
    double sum = 0;
    for (const double least : least_) sum += least;
    return sum / static_cast<double>(jobs_);
  }

 private:
  double Time(std::size_t begin, std::size_t end) {
    const std::int64_t start = ThreadNanoseconds();
    contender_.Run(begin, end, priorities_.data());
    return static_cast<double>(
        std::max<std::int64_t>(ThreadNanoseconds() - start - ClockNanoseconds(), 0));
  }

  std::size_t SliceSize() {
    if (contender_.all_at_once()) return jobs_;
    for (std::size_t size = 1; size < jobs_; size *= 2)
      if (Time(0, size) >= kSliceNanoseconds) return size;
    return jobs_;
  }

  Contender& contender_;
  std::size_t jobs_;
  std::size_t slice_ = 0;
  std::vector<double> least_;  // of each slice
  std::vector<std::int32_t> priorities_;
};

}  // namespace

std::int64_t ThreadNanoseconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

std::vector<double> Measure(const std::vector<Contender*>& contenders, std::size_t jobs,
                            const Budget& budget) {
  std::vector<Timed> all;
  for (Contender* contender : contenders) all.emplace_back(*contender, jobs);
  for (int turn = 0; turn < kTurns; ++turn)
    for (Timed& timed : all) timed.Turn(budget.seconds / kTurns);
  std::vector<double> results;
  for (const Timed& timed : all) results.push_back(timed.PerJob());
  return results;
}

}  // namespace precedent::bench
