// The loop that everybody writes first: each rule's conditions against the job's strings.
#include <algorithm>
#include <string_view>

#include "bench/rivals/ordered.h"
#include "bench/rivals/rival.h"

namespace precedent::bench {
namespace {

// Null: the job has no such text.
const std::string* TextOf(const Job& job, const Condition& condition) {
  switch (condition.field) {
    case Field::kTeam:
      return &job.team;
    case Field::kNamespace:
      return &job.name_space;
    case Field::kWorkload:
      return &job.workload;
    case Field::kEnvironment:
      return &job.environment;
    case Field::kLabel:
      for (const auto& [key, value] : job.labels)
        if (key == condition.key) return &value;
      return nullptr;
    default:
      return nullptr;
  }
}

std::int64_t NumberOf(const Job& job, Field field) {
  switch (field) {
    case Field::kGpus:
      return job.gpus;
    case Field::kDataset:
      return job.dataset_gb;
    case Field::kFailures:
      return job.failures;
    case Field::kWait:
      return job.waited_seconds;
    default:
      return 0;
  }
}

bool IsOneOf(const std::string& text, const std::vector<std::string>& texts) {
  return std::find(texts.begin(), texts.end(), text) != texts.end();
}

bool Holds(const Condition& condition, const Job& job) {
  switch (condition.relation) {
    case Relation::kAnyOf: {
      const std::string* text = TextOf(job, condition);
      return text != nullptr && IsOneOf(*text, condition.texts);
    }
    case Relation::kNoneOf: {
      const std::string* text = TextOf(job, condition);
      return text == nullptr || !IsOneOf(*text, condition.texts);
    }
    case Relation::kPrefix: {
      const std::string* text = TextOf(job, condition);
      return text != nullptr &&
             text->compare(0, condition.texts[0].size(), condition.texts[0]) == 0;
    }
    case Relation::kRange: {
      const std::int64_t number = NumberOf(job, condition.field);
      return number >= condition.low && number <= condition.high;
    }
    case Relation::kFlag:
      return job.preemptible == condition.flag;
    case Relation::kRegex:
      return false;  // not among what this rival is measured with
  }
  return false;
}

bool Matches(const Rule& rule, const Job& job) {
  for (const Conditions& conditions : rule.when) {
    bool all = true;
    for (const Condition& condition : conditions) {
      if (Holds(condition, job)) continue;
      all = false;
      break;
    }
    if (all) return true;
  }
  return false;
}

class Naive : public Contender {
 public:
  Naive(const RuleSet& rules, const std::vector<Job>& jobs) : rules_(rules), jobs_(jobs) {}

  void Run(std::size_t begin, std::size_t end, std::int32_t* priorities) override {
    for (std::size_t i = begin; i < end; ++i) *priorities++ = Decide(jobs_[i]);
  }

 private:
  std::int32_t Decide(const Job& job) const {
    std::int64_t score = 0;
    for (const Stage& stage : rules_.stages)
      for (const Rule& rule : stage.rules) {
        if (!Matches(rule, job)) continue;
        score = Apply(rule.effect, rule.points, score);
        if (stage.first_match) break;
      }
    return Bounded(score);
  }

  const RuleSet& rules_;
  const std::vector<Job>& jobs_;
};

}  // namespace

std::unique_ptr<Contender> NaiveLoop(const RuleSet& rules, const std::vector<Job>& jobs) {
  return std::make_unique<Naive>(rules, jobs);
}

}  // namespace precedent::bench
