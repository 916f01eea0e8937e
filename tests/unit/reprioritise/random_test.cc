// Random histories against a model that derives everything from scratch after every
// step and shares no code with the Reprioritiser: the changes applied to a copy are the
// whole state, inheritance is the fixed point over all jobs, and limits hold.
//
// PRECEDENT_ROUNDS sets how many histories; PRECEDENT_SEED the first one's seed.
#include <algorithm>
#include <cstdlib>
#include <deque>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/unit/reprioritise/fleet.h"

namespace precedent {
namespace {

int FromEnvironment(const char* name, int otherwise) {
  const char* text = std::getenv(name);
  return text != nullptr ? std::atoi(text) : otherwise;
}

std::string PolicyText(int which, bool stable) {
  std::string text = R"(stages { mode: FIRST_MATCH
      rules { id: "prod" when { environment { in: "production" } } set: 1000 }
      rules { id: "rest" set: )" + std::to_string(100 + 40 * which) + R"( } }
    stages { rules { id: "own" add_scaled { of: FAILURE_COUNT points: -7 } }
      rules { id: "report" add_scaled { of: REPORTED_PRIORITY points: 1 min: -90 max: 90 } }
      rules { id: "wait" order_only: true add_scaled { of: WAIT_SECONDS points: 3 per: 100 max: 60 } } }
    stages { rules { id: "late" when { wait_seconds { above: 500 } } add: 11 } }
    priority_classes { name: "high" at_least: 900 } priority_classes { name: "mid" at_least: 300 }
    priority_classes { name: "low" at_least: 0 } )";
  constexpr const char* kPropagation[] = {
      "", "propagation { from: DEPENDENTS decay_per_hop: 10 max_hops: 2 }",
      "propagation { from: DEPENDENTS decay_per_hop: 0 max_hops: 1 }",
      "propagation { from: DEPENDENTS decay_per_hop: 37 max_hops: 5 }",
      "propagation { from: DEPENDENTS decay_per_hop: 10 max_hops: 60 }"};
  constexpr const char* kStability[] = {
      "stability { min_change: 20 }", "stability { min_interval_seconds: 150 }",
      "stability { max_changes_per_hour: 2 }",
      "stability { min_change: 5 min_interval_seconds: 50 max_changes_per_hour: 3 }", ""};
  text += kPropagation[which % 5];
  if (stable) text += kStability[which % 5];
  return text;
}

struct ModelJob {
  std::string environment;
  std::int64_t submitted;
  std::vector<std::string> waits_for;
};

struct Derived {
  std::int64_t own;
  std::int64_t priority;
  std::string klass;
};

class History {
 public:
  History(int seed, bool stable) : random_(static_cast<unsigned>(seed)), stable_(stable) {
    for (int i = 0; i < 10; ++i) policies_.push_back(testing::Compile(PolicyText(i, stable)));
    Swap();
  }

  void Step() {
    switch (Below(20)) {
      case 0:
      case 1:
      case 2:
      case 3:
      case 4:
      case 5: Submit(); break;
      case 6:
      case 7:
      case 8: Pass(); break;
      case 9:
        if (Below(4) == 0) Swap();
        break;
      default: Happen(); break;
    }
  }

  void End() {
    // Everything that a limit held back comes, one by one.
    for (int i = 0; i < 30; ++i) {
      fleet_.Advance(fleet_.now + 4000);
      Publish();
      Compare();
    }
    const auto all = Derive();
    const Stability limits = policy_->evaluator().stability();
    for (const auto& [id, d] : all) {
      EXPECT_EQ(fleet_.Class(id), d.klass) << id;
      EXPECT_LT(std::abs(fleet_.Priority(id) - d.priority), std::max(1, limits.min_change)) << id;
    }
  }

  int compared() const { return compared_; }
  int inherited() const { return inherited_; }
  int held() const { return static_cast<int>(fleet_.reprioritiser.counts().held_back); }

 private:
  std::uint32_t Below(std::uint32_t n) { return static_cast<std::uint32_t>(random_() % n); }

  std::string Some() { return "j" + std::to_string(Below(static_cast<std::uint32_t>(count_))); }

  void Submit() {
    const std::string id = "j" + std::to_string(count_++);
    ModelJob model;
    model.environment = Below(5) == 0 ? "production" : "test";
    model.submitted = fleet_.now;
    Job job(id, fleet_.now);
    std::set<std::string> parents;
    for (int i = 0; count_ > 1 && i < static_cast<int>(Below(4)); ++i) {
      // Mostly recent ones: long chains.
      const int back = Below(3) == 0 ? static_cast<int>(Below(30)) : static_cast<int>(Below(4));
      const std::string parent = "j" + std::to_string(std::max(0, count_ - 2 - back));
      if (parents.insert(parent).second) names_.push_back(parent);
    }
    for (const std::string& parent : parents) {
      const std::uint32_t kind = Below(8);
      job.Of(kind == 0   ? Relation::kRetryOf
             : kind == 1 ? Relation::kStepOf
                         : Relation::kDependsOn,
             *std::find(names_.begin(), names_.end(), parent));
      if (kind > 1) model.waits_for.push_back(parent);
    }
    JobDescriptor descriptor;
    descriptor.environment = model.environment;
    descriptor.submitted = At(fleet_.now);
    fleet_.changes.clear();
    const auto applied =
        fleet_.reprioritiser.Submit(job, descriptor, At(fleet_.now), &fleet_.changes);
    if (!applied.ok()) {
      // Too deep: nothing may have changed.
      ASSERT_EQ(applied.status().code(), absl::StatusCode::kResourceExhausted);
      ASSERT_TRUE(fleet_.changes.empty());
      --count_;
      return;
    }
    fleet_.Retell();
    jobs_[id] = model;
    Publish();
    Compare();
  }

  void Happen() {
    if (count_ == 0) return;
    const std::string id = Some();
    const std::int64_t time = fleet_.now - static_cast<int>(Below(5));
    JobEvent event = Event(id, EventKind::kProgress, time, static_cast<int>(Below(3)));
    const std::uint32_t kind = Below(12);
    event.kind = kind < 4   ? EventKind::kProgress
                 : kind < 7 ? EventKind::kStarted
                 : kind < 8 ? EventKind::kFailed
                 : kind < 9 ? EventKind::kPreempted
                 : kind < 10 ? EventKind::kSucceeded
                 : kind < 11 ? EventKind::kCancelled
                             : EventKind::kCheckpointed;
    if (event.kind == EventKind::kProgress) event.reported_priority = static_cast<int>(Below(300)) - 150;
    event.cause = static_cast<Cause>(Below(3));
    fleet_.Apply(event);
    Publish();
    Compare();
  }

  void Pass() {
    fleet_.Advance(fleet_.now + static_cast<int>(Below(120)));
    Publish();
    Compare();
  }

  void Swap() {
    std::size_t which = Below(10);
    policy_ = &policies_[which];
    ASSERT_EQ(fleet_.live.Publish(policy_->evaluator()), PublishStatus::kPublished);
    if (stable_) {
      ASSERT_EQ(fleet_.Advance(fleet_.now), 0u);
    } else {
      // In slices, with other things in between.
      while (fleet_.Advance(fleet_.now, 1 + Below(20)) > 0) {
        busy_ = true;
        if (Below(2) == 0) Happen();
        if (Below(4) == 0) Submit();
        busy_ = false;
        // Another one before the first is everywhere, often with the same propagation.
        if (Below(4) == 0) {
          which = Below(2) == 0 ? (which + 5) % 10 : Below(10);
          policy_ = &policies_[which];
          ASSERT_EQ(fleet_.live.Publish(policy_->evaluator()), PublishStatus::kPublished);
        }
      }
    }
    Publish();
    Compare();
  }

  // All living jobs from scratch.
  std::map<std::string, Derived> Derive() const {
    std::map<std::string, Derived> all;
    for (const auto& [id, job] : jobs_) {
      const auto slot = fleet_.graph.Find(id);
      if (!slot.has_value() || !fleet_.graph.living(*slot)) continue;
      JobDescriptor descriptor;
      descriptor.environment = job.environment;
      descriptor.submitted = At(job.submitted);
      descriptor.lineage = *fleet_.graph.Facts(id);
      const Decision d = policy_->evaluator().Evaluate(descriptor, At(fleet_.now));
      all[id] = {d.priority, d.priority, std::string(d.priority_class)};
    }
    const Propagation rules = policy_->evaluator().propagation();
    if (!rules.enabled()) return all;
    // By hops: what chains of at most h edges give.
    std::map<std::string, std::int64_t> reach;
    for (const auto& [id, d] : all) reach[id] = d.own;
    for (int h = 0; h < rules.max_hops; ++h) {
      std::map<std::string, std::int64_t> next;
      for (const auto& [id, d] : all) next[id] = d.own;
      for (const auto& [id, d] : all) {
        for (const std::string& parent : jobs_.at(id).waits_for) {
          const auto it = next.find(parent);
          if (it != next.end())
            it->second = std::max(it->second, reach.at(id) - rules.decay_per_hop);
        }
      }
      if (next == reach) break;
      reach.swap(next);
    }
    for (auto& [id, d] : all) d.priority = reach.at(id);
    return all;
  }

  // What should have been told by now, by the rules of Policy.stability.
  void Publish() {
    if (busy_) return;
    const Stability rules = policy_->evaluator().stability();
    for (const auto& [id, d] : Derive()) {
      inherited_ += d.priority != d.own;
      const auto it = told_.find(id);
      if (it == told_.end()) {
        told_[id] = {d.priority, d.klass};
        continue;
      }
      if (it->second.first == d.priority && it->second.second == d.klass) continue;
      if (it->second.second == d.klass &&
          std::abs(it->second.first - d.priority) < rules.min_change)
        continue;
      std::vector<std::int64_t>& times = times_[id];
      if (!times.empty() && fleet_.now - times.back() < rules.min_interval_seconds) continue;
      int within = 0;
      for (const std::int64_t t : counted_[id]) within += fleet_.now - t < 3600;
      if (rules.max_changes_per_hour > 0 && within >= rules.max_changes_per_hour) continue;
      times.push_back(fleet_.now);
      if (rules.max_changes_per_hour > 0) counted_[id].push_back(fleet_.now);
      it->second = {d.priority, d.klass};
    }
  }

  void Compare() {
    if (busy_) return;
    ASSERT_EQ(fleet_.reprioritiser.pending(), 0u);
    for (const auto& [id, d] : Derive()) {
      const auto it = fleet_.copy.find(id);
      ASSERT_NE(it, fleet_.copy.end()) << id;
      ASSERT_EQ(it->second.first, told_.at(id).first)
          << id << " derived " << d.priority << ", own " << d.own << ", at " << fleet_.now;
      ASSERT_EQ(it->second.second, told_.at(id).second) << id;
      ++compared_;
    }
  }

  std::mt19937 random_;
  const bool stable_;
  std::vector<CompiledPolicy> policies_;
  const CompiledPolicy* policy_ = nullptr;
  Fleet fleet_;
  std::map<std::string, ModelJob> jobs_;
  std::deque<std::string> names_;
  std::map<std::string, std::pair<std::int64_t, std::string>> told_;
  std::map<std::string, std::vector<std::int64_t>> times_, counted_;
  int count_ = 0;
  bool busy_ = false;
  int compared_ = 0;
  int inherited_ = 0;
};

void RunHistories(bool stable) {
  const int rounds = FromEnvironment("PRECEDENT_ROUNDS", 100);
  const int seed = FromEnvironment("PRECEDENT_SEED", 1);
  int compared = 0, inherited = 0, held = 0;
  for (int round = 0; round < rounds; ++round) {
    SCOPED_TRACE("PRECEDENT_ROUNDS=1 PRECEDENT_SEED=" + std::to_string(seed + round));
    History history(seed + round, stable);
    for (int step = 0; step < 250 && !::testing::Test::HasFatalFailure(); ++step) history.Step();
    if (::testing::Test::HasFatalFailure()) return;
    history.End();
    compared += history.compared();
    inherited += history.inherited();
    held += history.held();
  }
  EXPECT_GT(compared, 1000 * rounds);
  EXPECT_GT(inherited, 100 * rounds);
  if (stable) {
    EXPECT_GT(held, 50 * rounds);
  } else {
    EXPECT_EQ(held, 0);
  }
}

TEST(ReprioritiserRandom, ChangesAreTheWholeState) { RunHistories(false); }
TEST(ReprioritiserRandom, LimitsHoldAndEverythingComesInTheEnd) { RunHistories(true); }

}  // namespace
}  // namespace precedent
