// Simulated days of a small cluster that does what the planner says: jobs arrive, make
// checkpoints, are evicted, stop slowly, come back and end; evictions are refused; the
// planner is lost and restored. PRECEDENT_DAYS sets how many, PRECEDENT_SEED from which.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <queue>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "precedent/backoff.h"
#include "precedent/preemption.h"

namespace precedent::preemption_model {
namespace {

constexpr std::int64_t kBegin = 1'000'000, kDay = 86'400;
constexpr std::int64_t kRestart = 60, kHold = 300, kBudgetWindow = 3'600;

TimePoint At(std::int64_t seconds) { return TimePoint(std::chrono::seconds(seconds)); }

struct SimJob {
  enum State { kNotYet, kWaits, kRuns, kStops, kAway, kDone };

  v1::ClusterJob message;
  State state = kNotYet;
  std::int64_t runtime = 0, saved = 0, began = 0, attempt = 0;
  bool names_checkpoints = false;
};

struct Event {
  enum Kind { kArrives, kEnds, kCheckpoint, kGone, kReturns, kLook };
  std::int64_t time;
  Kind kind;
  std::string job;
  std::int64_t attempt;
  bool operator>(const Event& other) const {
    return std::tie(time, kind, job) > std::tie(other.time, other.kind, other.job);
  }
};

struct Committed {
  v1::Placement placement;
  std::int64_t until;
};

class Days {
 public:
  explicit Days(std::uint64_t seed) : random_(seed), policy_(Policy()), planner_(Fresh()) {
    const int nodes = 2 + Below(4);
    for (int i = 0; i < nodes; ++i) {
      v1::Node node;
      node.set_name("n" + std::to_string(i));
      node.set_gpus(4 * (1 + Below(2)));
      free_[node.name()].assign(static_cast<std::size_t>(node.gpus()), 1000);
      nodes_.push_back(node);
      EXPECT_TRUE(planner_.PutNode(node).ok());
    }
    const int jobs = 20 + Below(60);
    for (int i = 0; i < jobs; ++i) AddJob(i);
  }

  // What went wrong; empty: nothing.
  std::string Run() {
    while (!events_.empty() && wrong_.empty()) {
      now_ = events_.top().time;
      if (now_ > kBegin + 20 * kDay) return "no end: " + Unfinished();
      while (!events_.empty() && events_.top().time == now_) {
        const Event event = events_.top();
        events_.pop();
        Happen(event);
      }
      StartThoseWhoseRoomIsFree();
      if (Below(20) == 0) LosePlanner();
      // As often as there is something to do: those who come first change what is left.
      for (int i = 0; i < 100 && wrong_.empty() && CarryOut(); ++i) {
      }
    }
    if (!wrong_.empty()) return "at " + std::to_string(now_ - kBegin) + ": " + wrong_;
    if (const std::string left = Unfinished(); !left.empty())
      return "never ran to their ends: " + left;
    return RoomLeft();
  }

  int evictions() const { return static_cast<int>(log_.size()); }
  int refused() const { return refused_; }
  int looks() const { return looks_; }
  int most_evictions() const {
    int most = 0;
    for (const auto& [id, job] : jobs_) most = std::max(most, job.message.evictions());
    return most;
  }

 private:
  using Room = std::map<std::string, std::vector<int>>;  // by node and device
  struct Evicted {
    std::int64_t time;
    std::string job, preemptor;
    std::set<std::string> nodes;
  };

  int Below(int n) { return static_cast<int>(random_() % static_cast<std::uint64_t>(n)); }
  void Wrong(const std::string& what) {
    if (wrong_.empty()) wrong_ = what;
  }
  void Must(const absl::Status& status) {
    if (!status.ok()) Wrong(std::string(status.message()));
  }

  v1::PreemptionPolicy Policy() {
    v1::PreemptionPolicy policy;
    policy.set_gap(Below(2) == 0 ? 0 : 50);
    policy.set_min_runtime_seconds(300 * (1 + Below(6)));
    policy.set_restart_seconds(kRestart);
    policy.set_hold_seconds(kHold);
    if (Below(2) == 0) {
      v1::DisruptionBudget* const budget = policy.add_budgets();
      budget->set_name("research");
      budget->set_priority_class("research");
      budget->set_max_disrupted(1 + Below(4));
      budget->set_window_seconds(kBudgetWindow);
    }
    if (Below(2) == 0) {
      v1::DisruptionBudget* const budget = policy.add_budgets();
      budget->set_name("red");
      (*budget->mutable_match_labels())["team"] = "red";
      budget->set_max_disrupted_percent(25 * (1 + Below(3)));
    }
    if (Below(3) == 0) policy.set_max_evictions_per_minute(1 + Below(3));
    if (Below(3) == 0) policy.set_max_evictions_per_node_per_minute(1);
    return policy;
  }

  PreemptionPlanner Fresh() {
    auto planner = PreemptionPlanner::Create(policy_);
    EXPECT_TRUE(planner.ok()) << planner.status();
    planner->SetClassOrder({"serving", "production", "research"});
    return *std::move(planner);
  }

  void AddJob(int number) {
    static constexpr const char* kClasses[] = {"serving", "production", "research"};
    SimJob job;
    v1::ClusterJob& message = job.message;
    message.set_id("j" + std::to_string(number));
    const int which = Below(3);
    message.set_priority_class(kClasses[which]);
    message.set_preemption_priority(300 - 100 * which + Below(30));
    message.set_priority(message.preemption_priority() + Below(20));
    message.set_preemptible(Below(2) == 0);
    if (Below(4) != 0) message.set_checkpoint_interval_seconds(60 * (2 + Below(14)));
    if (Below(2) == 0) (*message.mutable_labels())["team"] = "red";
    const int pods = Below(4) == 0 ? 2 : 1;
    const int milli = Below(4) == 0 ? 250 * (1 + Below(3)) : 1000 * (1 + Below(4));
    for (int p = 0; p < pods; ++p) {
      v1::ClusterPod* const pod = message.add_pods();
      pod->set_name("p" + std::to_string(p));
      pod->set_gpu_milli(milli);
    }
    job.runtime = 60 + Below(which == 0 ? 1'800 : 20'000);
    job.names_checkpoints = Below(2) == 0;
    const std::int64_t arrives = kBegin + Below(static_cast<int>(kDay / 2));
    message.mutable_submitted()->set_seconds(arrives);
    events_.push({arrives, Event::kArrives, message.id(), 0});
    jobs_[message.id()] = std::move(job);
  }

  void Give(const v1::ClusterJob& job, int sign) {
    for (const v1::ClusterPod& pod : job.pods())
      for (const int device : pod.devices())
        free_[pod.node()][static_cast<std::size_t>(device)] +=
            sign * static_cast<int>(std::min<std::int64_t>(pod.gpu_milli(), 1000));
  }

  void LeaveRoom(SimJob* job) {
    Give(job->message, 1);
    for (v1::ClusterPod& pod : *job->message.mutable_pods()) {
      pod.clear_node();
      pod.clear_devices();
      pod.clear_stopping();
    }
    job->message.clear_started();
    job->message.clear_last_checkpoint();
    planner_.RemoveJob(job->message.id());
  }

  void Happen(const Event& event) {
    if (event.kind == Event::kLook) return;
    SimJob& job = jobs_.at(event.job);
    if (event.attempt != job.attempt) return;
    switch (event.kind) {
      case Event::kArrives:
      case Event::kReturns:
        job.state = SimJob::kWaits;
        Must(planner_.PutJob(job.message));
        break;
      case Event::kEnds:
        if (job.state != SimJob::kRuns) return;
        job.state = SimJob::kDone;
        LeaveRoom(&job);
        break;
      case Event::kCheckpoint:
        if (job.state != SimJob::kRuns) return;
        job.message.mutable_last_checkpoint()->set_seconds(now_);
        Must(planner_.PutJob(job.message));
        NextCheckpoint(job);
        break;
      case Event::kGone:
        job.state = SimJob::kAway;
        LeaveRoom(&job);
        break;
      case Event::kLook:
        break;
    }
  }

  void NextCheckpoint(const SimJob& job) {
    const auto interval = static_cast<std::int64_t>(job.message.checkpoint_interval_seconds());
    if (interval > 0 && job.names_checkpoints)
      events_.push({now_ + interval, Event::kCheckpoint, job.message.id(), job.attempt});
  }

  // What is free when those who stop have gone.
  Room WhenStopped() const {
    Room free = free_;
    for (const auto& [id, other] : jobs_) {
      if (other.state != SimJob::kStops) continue;
      for (const v1::ClusterPod& pod : other.message.pods())
        for (const int device : pod.devices())
          free[pod.node()][static_cast<std::size_t>(device)] +=
              static_cast<int>(std::min<std::int64_t>(pod.gpu_milli(), 1000));
    }
    return free;
  }

  // False where it does not fit.
  static bool Fill(const v1::ClusterJob& job, const v1::Placement& placement, Room* free) {
    for (int i = 0; i < job.pods_size(); ++i) {
      const auto milli = static_cast<int>(std::min<std::int64_t>(job.pods(i).gpu_milli(), 1000));
      for (const int device : placement.pods(i).devices())
        if (((*free)[placement.pods(i).node()].at(static_cast<std::size_t>(device)) -= milli) < 0)
          return false;
    }
    return true;
  }

  static bool IsFree(const v1::ClusterJob& job, const v1::Placement& placement, Room free) {
    return Fill(job, placement, &free);
  }

  void Start(SimJob* job, const v1::Placement& placement) {
    v1::ClusterJob& message = job->message;
    for (int i = 0; i < message.pods_size(); ++i) {
      message.mutable_pods(i)->set_node(placement.pods(i).node());
      *message.mutable_pods(i)->mutable_devices() = placement.pods(i).devices();
    }
    Give(message, -1);
    message.mutable_started()->set_seconds(now_);
    job->state = SimJob::kRuns;
    job->began = now_;
    ++job->attempt;
    committed_.erase(message.id());
    Must(planner_.PutJob(message));
    NextCheckpoint(*job);
    const std::int64_t again = job->attempt > 1 ? kRestart : 0;
    events_.push(
        {now_ + again + job->runtime - job->saved, Event::kEnds, message.id(), job->attempt});
  }

  void StartThoseWhoseRoomIsFree() {
    const auto committed = committed_;
    for (const auto& [id, its] : committed) {
      SimJob& job = jobs_.at(id);
      // Victims stop within the hold, so only a more important job may have come between.
      if (now_ >= its.until) {
        Wrong(id + " did not start within its hold");
      } else if (IsFree(job.message, its.placement, free_)) {
        Start(&job, its.placement);
      }
    }
  }

  void LosePlanner() {
    const v1::PlannerState state = planner_.Snapshot();
    PreemptionPlanner other = Fresh();
    for (const v1::Node& node : nodes_) Must(other.PutNode(node));
    for (const auto& [id, job] : jobs_)
      if (job.state == SimJob::kWaits || job.state == SimJob::kRuns || job.state == SimJob::kStops)
        Must(other.PutJob(job.message));
    Must(other.Restore(state));
    const std::string before = planner_.Plan(At(now_)).DebugString();
    const std::string after = other.Plan(At(now_)).DebugString();
    if (before != after) Wrong("restored, it says\n" + after + "instead of\n" + before);
    planner_ = std::move(other);
  }

  // Whether it did anything.
  bool CarryOut() {
    const v1::PreemptionPlan plan = planner_.Plan(At(now_));
    if (plan.has_next_wake()) {
      const std::int64_t wake = plan.next_wake().seconds() + (plan.next_wake().nanos() > 0);
      if (wake <= now_) Wrong("wakes in the past");
      events_.push({wake, Event::kLook, "", 0});
    }
    bool done = false;
    RequeueOrder order;
    std::map<std::int32_t, std::int64_t> returns;
    // Budgets in per cent are of those who run when the plan is made.
    running_.clear();
    for (const auto& [id, job] : jobs_)
      if (job.state == SimJob::kRuns) running_.insert(id);
    for (const v1::Placement& placement : plan.placements()) {
      const auto found = jobs_.find(placement.job());
      if (found == jobs_.end() || found->second.state != SimJob::kWaits) {
        Wrong("places `" + placement.job() + "`, which does not wait");
        return false;
      }
      if (committed_.count(placement.job()) != 0) continue;  // its victims stop
      if (Below(25) == 0) {  // whoever carries it out has other things to do first
        events_.push({now_ + 10, Event::kLook, "", 0});
        break;
      }
      Must(planner_.Commit(placement, At(now_)));
      done = true;
      if (!placement.victims().empty() && Below(12) == 0) {
        ++refused_;
        planner_.Abandon(placement.job());
        events_.push({now_ + 10, Event::kLook, "", 0});
        break;  // else the same is tried at once
      }
      for (const v1::Victim& victim : placement.victims()) {
        Evict(victim.job(), found->second, &order, &returns);
        if (!wrong_.empty()) return false;
      }
      TakeOver(placement);
      if (IsFree(found->second.message, placement, free_)) {
        Start(&found->second, placement);
      } else if (!IsFree(found->second.message, placement, WhenStopped())) {
        Wrong(placement.job() +
              " is placed where there is no room: " + placement.ShortDebugString());
      } else {
        committed_[placement.job()] = {placement, now_ + kHold};
      }
    }
    if (done) return true;
    if (plan.unplaced_size() > 0) Look(plan);
    return false;
  }

  // Holds that do not fit beside it any more end, the less important first; only the more
  // important may do that.
  void TakeOver(const v1::Placement& placement) {
    const v1::ClusterJob& job = jobs_.at(placement.job()).message;
    Room room = WhenStopped();
    Fill(job, placement, &room);
    std::vector<std::string> held;
    for (const auto& [id, its] : committed_) held.push_back(id);
    std::stable_sort(held.begin(), held.end(), [&](const std::string& a, const std::string& b) {
      return jobs_.at(a).message.preemption_priority() > jobs_.at(b).message.preemption_priority();
    });
    for (const std::string& id : held) {
      const v1::ClusterJob& other = jobs_.at(id).message;
      Room beside = room;
      if (Fill(other, committed_.at(id).placement, &beside)) {
        room = beside;
        continue;
      }
      const int gap = std::max(1, policy_.gap());
      if (other.preemption_priority() > job.preemption_priority() - gap)
        Wrong(job.id() + " takes room that is held for " + other.id());
      overtaken_[id] = now_;
      committed_.erase(id);
    }
  }

  void Evict(const std::string& id, const SimJob& preemptor, RequeueOrder* order,
             std::map<std::int32_t, std::int64_t>* returns) {
    SimJob& job = jobs_.at(id);
    v1::ClusterJob& message = job.message;
    const std::string who = preemptor.message.id() + " evicts " + id;
    if (job.state != SimJob::kRuns) return Wrong(who + ", which does not run");
    const auto interval = static_cast<std::int64_t>(message.checkpoint_interval_seconds());
    const std::int64_t ran = now_ - job.began;
    if (ran < std::max(policy_.min_runtime_seconds(), interval + kRestart))
      Wrong(who + " after " + std::to_string(ran) + " s");
    if (message.preemption_priority() >
            preemptor.message.preemption_priority() - std::max(1, policy_.gap()) ||
        message.priority_class() == preemptor.message.priority_class()) {
      Wrong(who + ", which is no less important");
    }
    if (!message.preemptible() && interval == 0) Wrong(who + " without consent");
    // Preempted by the same again: that one must have run in between, or have lost the room
    // to a more important one.
    for (auto past = log_.rbegin(); past != log_.rend(); ++past) {
      if (past->job != id || past->preemptor != preemptor.message.id()) continue;
      if (preemptor.began < past->time && overtaken_[past->preemptor] < past->time)
        Wrong(who + " again without having run");
      break;
    }
    Evicted evicted{now_, id, preemptor.message.id(), {}};
    for (v1::ClusterPod& pod : *message.mutable_pods()) {
      evicted.nodes.insert(pod.node());
      pod.set_stopping(true);
    }
    log_.push_back(evicted);
    CheckBudgets(who);
    Must(planner_.PutJob(message));
    if (interval > 0) {
      const std::int64_t worked = ran - (job.attempt > 1 ? kRestart : 0);
      job.saved += std::max<std::int64_t>(0, worked) / interval * interval;
    }
    message.set_evictions(message.evictions() + 1);
    job.state = SimJob::kStops;
    const std::int64_t gone = now_ + 1 + Below(90);
    events_.push({gone, Event::kGone, id, job.attempt});
    BackoffOptions options;
    options.attempts = 1000;
    options.max = std::chrono::minutes(10);
    const auto wanted = Backoff(options).Delay(id, static_cast<std::int32_t>(job.attempt));
    const auto delay = order->Place(message.priority(), std::chrono::minutes(2) + *wanted);
    const std::int64_t back = now_ + delay.count() / 1000;
    for (const auto& [importance, time] : *returns)
      if (importance != message.priority() && (importance > message.priority()) != (time <= back) &&
          time != back) {
        Wrong(id + " does not come back in the order of importance");
      }
    (*returns)[message.priority()] = back;
    events_.push({back, Event::kReturns, id, job.attempt});
  }

  void CheckBudgets(const std::string& who) {
    for (const v1::DisruptionBudget& budget : policy_.budgets()) {
      const auto selects = [&](const v1::ClusterJob& job) {
        return (budget.priority_class().empty() ||
                budget.priority_class() == job.priority_class()) &&
               (budget.match_labels().empty() || !job.labels().empty());
      };
      int away = 0, running = 0;
      for (const Evicted& e : log_)
        away += now_ < e.time + kBudgetWindow && selects(jobs_.at(e.job).message);
      for (const std::string& id : running_) running += selects(jobs_.at(id).message);
      const int limit = budget.limit_case() == v1::DisruptionBudget::kMaxDisrupted
                            ? budget.max_disrupted()
                            : static_cast<int>(budget.max_disrupted_percent() * running / 100);
      if (selects(jobs_.at(log_.back().job).message) && away > limit)
        Wrong(who + " over budget " + budget.name() + ": " + std::to_string(away) + " of " +
              std::to_string(limit));
    }
    int minute = 0;
    std::map<std::string, int> nodes;
    for (const Evicted& e : log_) {
      if (now_ >= e.time + 60) continue;
      ++minute;
      for (const std::string& node : e.nodes) ++nodes[node];
    }
    if (policy_.max_evictions_per_minute() > 0 && minute > policy_.max_evictions_per_minute())
      Wrong(who + " too soon after others");
    if (policy_.max_evictions_per_node_per_minute() == 0) return;
    for (const std::string& node : log_.back().nodes)
      if (nodes[node] > policy_.max_evictions_per_node_per_minute())
        Wrong(who + " too soon after others of " + node);
  }

  // Those who wait and got nothing get nothing at any second before next_wake either. Of
  // gangs the planner does not promise it: what it finds for a large one hangs on costs.
  void Look(const v1::PreemptionPlan& plan) {
    const std::int64_t wake = plan.has_next_wake()
                                  ? plan.next_wake().seconds() + (plan.next_wake().nanos() > 0)
                                  : now_ + 20'000;
    std::set<std::string> placed;
    for (const v1::Placement& placement : plan.placements()) {
      if (committed_.count(placement.job()) == 0) return;  // it was left for later
      placed.insert(placement.job());
    }
    ++looks_;
    for (int i = 0; i < 3 && wake > now_ + 1; ++i) {
      // The last second too, and those at the beginning.
      const std::int64_t span = wake - now_ - 1;
      const std::int64_t later =
          i == 0 ? wake - 1
                 : now_ + 1 +
                       Below(static_cast<int>(std::min<std::int64_t>(span, i == 1 ? 60 : 20'000)));
      const v1::PreemptionPlan then = planner_.Plan(At(later));
      for (const v1::Placement& placement : then.placements())
        if (placed.count(placement.job()) == 0 && placement.pods_size() == 1)
          return Wrong("next_wake is in " + std::to_string(wake - now_) + " s, but " +
                       placement.job() + " can be placed in " + std::to_string(later - now_));
    }
  }

  std::string Unfinished() const {
    // Larger than the cluster, or its nodes: it waits for ever, and rightly.
    v1::Cluster empty;
    for (const v1::Node& node : nodes_) *empty.add_nodes() = node;
    std::string wrong;
    for (const auto& [id, job] : jobs_) {
      if (job.state == SimJob::kDone) continue;
      v1::Cluster alone = empty;
      *alone.add_jobs() = job.message;
      const auto plan = PlanPreemption(alone, policy_, At(now_));
      if (!plan.ok() || job.state != SimJob::kWaits || plan->placements_size() != 0)
        wrong += id + " ";
    }
    return wrong;
  }

  // All have gone: every device is there to be used, and nothing is held.
  std::string RoomLeft() {
    for (const auto& [node, devices] : free_)
      if (std::count(devices.begin(), devices.end(), 1000) != static_cast<int>(devices.size()))
        return "room of " + node + " leaked";
    v1::ClusterJob all;
    all.set_id("all");
    for (const v1::Node& node : nodes_) {
      v1::ClusterPod* const pod = all.add_pods();
      pod->set_name(node.name());
      pod->set_gpu_milli(1000 * node.gpus());
    }
    Must(planner_.PutJob(all));
    for (const auto& [id, job] : jobs_) planner_.RemoveJob(id);
    const v1::PreemptionPlan plan = planner_.Plan(At(now_));
    if (plan.placements_size() != 1) return "room leaked: " + plan.ShortDebugString();
    if (planner_.Snapshot().holds_size() != 0) return "a hold is left of a job that is gone";
    return wrong_;
  }

  std::mt19937_64 random_;
  const v1::PreemptionPolicy policy_;
  PreemptionPlanner planner_;
  std::vector<v1::Node> nodes_;
  Room free_;
  std::map<std::string, SimJob> jobs_;
  std::map<std::string, Committed> committed_;
  std::map<std::string, std::int64_t> overtaken_;  // when each last lost its held room
  std::set<std::string> running_;
  std::priority_queue<Event, std::vector<Event>, std::greater<Event>> events_;
  std::vector<Evicted> log_;
  std::int64_t now_ = kBegin;
  int refused_ = 0, looks_ = 0;
  std::string wrong_;
};

std::uint64_t Setting(const char* name, std::uint64_t otherwise) {
  const char* const text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

TEST(PreemptionDays, RulesHoldAndAllComeToTheirEnds) {
  const std::uint64_t days = Setting("PRECEDENT_DAYS", 20), seed = Setting("PRECEDENT_SEED", 1);
  int evictions = 0, refused = 0, looks = 0, most = 0;
  for (std::uint64_t i = 0; i < days; ++i) {
    Days one(seed * 1'000'003 + i);
    ASSERT_EQ(one.Run(), "") << "day " << i << " of seed " << seed;
    evictions += one.evictions();
    refused += one.refused();
    looks += one.looks();
    most = std::max(most, one.most_evictions());
  }
  std::printf(
      "%d evictions, %d placements abandoned, %d plans asked between wake-ups; at most %d "
      "evictions of one job\n",
      evictions, refused, looks, most);
  EXPECT_GT(evictions, static_cast<int>(days));
  EXPECT_GT(refused, 0);
}

}  // namespace
}  // namespace precedent::preemption_model
