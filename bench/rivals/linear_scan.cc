// The loop over rules once somebody has made it fast: every text is a number before the
// loop begins, and the conditions of all rules stand in one array.
#include <map>
#include <string>
#include <utility>

#include "bench/rivals/ordered.h"
#include "bench/rivals/rival.h"

namespace precedent::bench {
namespace {

constexpr std::uint32_t kAbsentText = 0;

// Numbers for texts, from 1 on.
class Interner {
 public:
  std::uint32_t IdOf(const std::string& text) {
    return ids_.emplace(text, static_cast<std::uint32_t>(ids_.size()) + 1).first->second;
  }

 private:
  std::map<std::string, std::uint32_t> ids_;
};

constexpr std::size_t kTexts = 4 + kLabelKeys;  // of a record: four fields, then labels
constexpr std::size_t kNumbers = 4;

struct Record {
  std::uint32_t texts[kTexts] = {};
  std::int64_t numbers[kNumbers] = {};
  bool preemptible = false;
  // Of all prefixes in the rules, those that the namespace has.
  std::vector<std::uint32_t> prefixes;
};

enum class Code : std::uint8_t { kIs, kAnyOf, kNoneOf, kPrefix, kRange, kFlag };

struct Check {
  Code code;
  std::uint8_t slot;  // of the record's texts or numbers
  std::uint32_t text = 0;
  std::uint32_t list_begin = 0, list_end = 0;
  std::int64_t low = 0, high = 0;
};

struct Alternative {
  std::uint32_t end;  // of its checks; they begin where those before it end
};

struct CompiledRule {
  std::uint32_t alternatives_end;
  Effect effect;
  std::int32_t points;
};

struct CompiledStage {
  bool first_match;
  std::uint32_t rules_end;
};

std::size_t LabelSlot(const std::string& key) {
  for (unsigned i = 0; i < kLabelKeys; ++i)
    if (LabelKey(i) == key) return 4 + i;
  return kTexts;  // no rule asks for it
}

std::size_t SlotOf(const Condition& condition) {
  switch (condition.field) {
    case Field::kTeam:
      return 0;
    case Field::kNamespace:
      return 1;
    case Field::kWorkload:
      return 2;
    case Field::kEnvironment:
      return 3;
    case Field::kLabel:
      return LabelSlot(condition.key);
    case Field::kGpus:
      return 0;
    case Field::kDataset:
      return 1;
    case Field::kFailures:
      return 2;
    case Field::kWait:
      return 3;
    case Field::kPreemptible:
      return 0;
  }
  return 0;
}

class Linear : public Contender {
 public:
  Linear(const RuleSet& rules, const std::vector<Job>& jobs) {
    for (const Stage& stage : rules.stages) Compile(stage);
    records_.reserve(jobs.size());
    for (const Job& job : jobs) records_.push_back(MakeRecord(job));
  }

  void Run(std::size_t begin, std::size_t end, std::int32_t* priorities) override {
    for (std::size_t i = begin; i < end; ++i) *priorities++ = Decide(records_[i]);
  }

 private:
  void Compile(const Stage& stage) {
    for (const Rule& rule : stage.rules) {
      for (const Conditions& conditions : rule.when) {
        for (const Condition& condition : conditions) Compile(condition);
        alternatives_.push_back({static_cast<std::uint32_t>(checks_.size())});
      }
      rules_.push_back(
          {static_cast<std::uint32_t>(alternatives_.size()), rule.effect, rule.points});
    }
    stages_.push_back({stage.first_match, static_cast<std::uint32_t>(rules_.size())});
  }

  void Compile(const Condition& condition) {
    Check check{};
    check.slot = static_cast<std::uint8_t>(SlotOf(condition));
    check.low = condition.low;
    check.high = condition.high;
    switch (condition.relation) {
      case Relation::kRange:
        check.code = Code::kRange;
        break;
      case Relation::kFlag:
        check.code = Code::kFlag;
        check.low = condition.flag;
        break;
      case Relation::kPrefix:
      case Relation::kRegex:  // not among what this rival is measured with
        check.code = Code::kPrefix;
        check.text =
            prefixes_.emplace(condition.texts[0], static_cast<std::uint32_t>(prefixes_.size()))
                .first->second;
        break;
      case Relation::kAnyOf:
      case Relation::kNoneOf:
        check.code = condition.relation == Relation::kNoneOf ? Code::kNoneOf
                     : condition.texts.size() == 1           ? Code::kIs
                                                             : Code::kAnyOf;
        check.list_begin = static_cast<std::uint32_t>(lists_.size());
        for (const std::string& text : condition.texts) lists_.push_back(texts_.IdOf(text));
        check.list_end = static_cast<std::uint32_t>(lists_.size());
        check.text = lists_[check.list_begin];
        break;
    }
    checks_.push_back(check);
  }

  Record MakeRecord(const Job& job) {
    Record record;
    record.texts[0] = texts_.IdOf(job.team);
    record.texts[1] = texts_.IdOf(job.name_space);
    record.texts[2] = texts_.IdOf(job.workload);
    record.texts[3] = texts_.IdOf(job.environment);
    for (const auto& [key, value] : job.labels)
      if (const std::size_t slot = LabelSlot(key); slot < kTexts)
        record.texts[slot] = texts_.IdOf(value);
    record.numbers[0] = job.gpus;
    record.numbers[1] = job.dataset_gb;
    record.numbers[2] = job.failures;
    record.numbers[3] = job.waited_seconds;
    record.preemptible = job.preemptible;
    for (std::size_t size = 1; size <= job.name_space.size(); ++size)
      if (const auto found = prefixes_.find(job.name_space.substr(0, size));
          found != prefixes_.end())
        record.prefixes.push_back(found->second);
    return record;
  }

  bool IsListed(const Check& check, std::uint32_t text) const {
    for (std::uint32_t i = check.list_begin; i < check.list_end; ++i)
      if (lists_[i] == text) return true;
    return false;
  }

  bool Holds(const Check& check, const Record& job) const {
    switch (check.code) {
      case Code::kIs:
        return job.texts[check.slot] == check.text;
      case Code::kAnyOf:
        return IsListed(check, job.texts[check.slot]);
      case Code::kNoneOf:
        return job.texts[check.slot] == kAbsentText || !IsListed(check, job.texts[check.slot]);
      case Code::kPrefix:
        for (const std::uint32_t prefix : job.prefixes)
          if (prefix == check.text) return true;
        return false;
      case Code::kRange:
        return job.numbers[check.slot] >= check.low && job.numbers[check.slot] <= check.high;
      case Code::kFlag:
        return job.preemptible == (check.low != 0);
    }
    return false;
  }

  std::int32_t Decide(const Record& job) const {
    std::int64_t score = 0;
    std::uint32_t rule = 0;
    for (const CompiledStage& stage : stages_) {
      for (; rule < stage.rules_end; ++rule) {
        const CompiledRule& compiled = rules_[rule];
        if (!Matches(rule, compiled, job)) continue;
        score = Apply(compiled.effect, compiled.points, score);
        if (stage.first_match) break;
      }
      rule = stage.rules_end;
    }
    return Bounded(score);
  }

  bool Matches(std::uint32_t rule, const CompiledRule& compiled, const Record& job) const {
    std::uint32_t alternative = rule == 0 ? 0 : rules_[rule - 1].alternatives_end;
    for (; alternative < compiled.alternatives_end; ++alternative) {
      std::uint32_t check = alternative == 0 ? 0 : alternatives_[alternative - 1].end;
      const std::uint32_t end = alternatives_[alternative].end;
      while (check < end && Holds(checks_[check], job)) ++check;
      if (check == end) return true;
    }
    return false;
  }

  Interner texts_;
  std::map<std::string, std::uint32_t> prefixes_;
  std::vector<CompiledStage> stages_;
  std::vector<CompiledRule> rules_;
  std::vector<Alternative> alternatives_;
  std::vector<Check> checks_;
  std::vector<std::uint32_t> lists_;
  std::vector<Record> records_;
};

}  // namespace

std::unique_ptr<Contender> LinearScan(const RuleSet& rules, const std::vector<Job>& jobs) {
  return std::make_unique<Linear>(rules, jobs);
}

}  // namespace precedent::bench
