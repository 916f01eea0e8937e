#include "bench/harness/library.h"

namespace precedent::bench {
namespace {

Span<std::byte> Bytes(std::uint64_t* words, std::size_t size) {
  return {reinterpret_cast<std::byte*>(words), size};
}

class Bound : public Contender {
 public:
  Bound(const Evaluator& evaluator, const std::vector<BoundJob>& jobs, TimePoint now)
      : evaluator_(evaluator), jobs_(jobs), now_(now) {}
  void Run(std::size_t begin, std::size_t end, std::int32_t* priorities) override {
    for (std::size_t i = begin; i < end; ++i) {
      const Decision decision = evaluator_.Evaluate(jobs_[i], now_);
      Keep(decision);
      *priorities++ = decision.priority;
    }
  }

 private:
  const Evaluator& evaluator_;
  const std::vector<BoundJob>& jobs_;
  TimePoint now_;
};

class Queue : public Contender {
 public:
  Queue(const Evaluator& evaluator, const std::vector<BoundJob>& jobs, TimePoint now)
      : evaluator_(evaluator), jobs_(jobs), now_(now), decisions_(jobs.size()) {}
  bool all_at_once() const override { return true; }
  void Run(std::size_t begin, std::size_t end, std::int32_t* priorities) override {
    const std::size_t count = end - begin;
    evaluator_.Evaluate(Span<const BoundJob>(jobs_.data() + begin, count), now_,
                        Span<Decision>(decisions_.data(), count));
    for (std::size_t i = 0; i < count; ++i) priorities[i] = decisions_[i].priority;
  }

 private:
  const Evaluator& evaluator_;
  const std::vector<BoundJob>& jobs_;
  TimePoint now_;
  std::vector<Decision> decisions_;
};

class Texts : public Contender {
 public:
  Texts(const Evaluator& evaluator, const std::vector<JobDescriptor>& jobs, TimePoint now)
      : evaluator_(evaluator), jobs_(jobs), now_(now) {}
  void Run(std::size_t begin, std::size_t end, std::int32_t* priorities) override {
    for (std::size_t i = begin; i < end; ++i) {
      const Decision decision = evaluator_.Evaluate(jobs_[i], now_);
      Keep(decision);
      *priorities++ = decision.priority;
    }
  }

 private:
  const Evaluator& evaluator_;
  const std::vector<JobDescriptor>& jobs_;
  TimePoint now_;
};

class Binds : public Contender {
 public:
  Binds(const Evaluator& evaluator, const std::vector<JobDescriptor>& jobs)
      : evaluator_(evaluator), jobs_(jobs), storage_(evaluator.bound_size() / 8) {}
  void Run(std::size_t begin, std::size_t end, std::int32_t*) override {
    for (std::size_t i = begin; i < end; ++i) {
      evaluator_.Bind(jobs_[i], Bytes(storage_.data(), storage_.size() * 8));
      benchmark::DoNotOptimize(storage_.data());
      benchmark::ClobberMemory();
    }
  }

 private:
  const Evaluator& evaluator_;
  const std::vector<JobDescriptor>& jobs_;
  std::vector<std::uint64_t> storage_;
};

}  // namespace

BoundJobs::BoundJobs(const Evaluator& evaluator, const std::vector<JobDescriptor>& jobs) {
  const std::size_t size = evaluator.bound_size();
  storage_.resize(jobs.size() * size / 8);
  jobs_.reserve(jobs.size());
  for (std::size_t i = 0; i < jobs.size(); ++i)
    jobs_.push_back(evaluator.Bind(jobs[i], Bytes(storage_.data() + i * size / 8, size)));
}

std::unique_ptr<Contender> EvaluateBound(const Evaluator& evaluator, const BoundJobs& jobs,
                                         TimePoint now) {
  return std::make_unique<Bound>(evaluator, jobs.jobs(), now);
}
std::unique_ptr<Contender> EvaluateQueue(const Evaluator& evaluator, const BoundJobs& jobs,
                                         TimePoint now) {
  return std::make_unique<Queue>(evaluator, jobs.jobs(), now);
}
std::unique_ptr<Contender> EvaluateTexts(const Evaluator& evaluator,
                                         const std::vector<JobDescriptor>& jobs, TimePoint now) {
  return std::make_unique<Texts>(evaluator, jobs, now);
}
std::unique_ptr<Contender> BindTexts(const Evaluator& evaluator,
                                     const std::vector<JobDescriptor>& jobs) {
  return std::make_unique<Binds>(evaluator, jobs);
}

}  // namespace precedent::bench
