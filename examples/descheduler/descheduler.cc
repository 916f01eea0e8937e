#include "descheduler.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "devices.h"
#include "evictor.h"
#include "precedent/lineage_view.h"

namespace precedent::descheduler {
namespace {

using std::chrono::milliseconds;
using webhook::LogLevel;

// Of one round's new orders: what cannot be written down is for the next.
constexpr std::size_t kMaxOrderBytes = 300 << 10;
constexpr int kConflicts = 3;  // with other writers of the state, before the round fails
constexpr int kLists = 3;      // whose continuation expired, before the round fails
constexpr milliseconds kMaxPatience{300'000};

constexpr const char* kResults[] = {"planned", "evicted", "standby", "failed"};

// Who has it is no matter here.
std::string Content(State state) {
  state.owner = "-";
  state.renewed = {};
  state.lease = milliseconds(0);
  return WriteState(state);
}

}  // namespace

struct Descheduler::Round {
  explicit Round(LiveEvaluator::Guard policy) : guard(std::move(policy)) {}

  LiveEvaluator::Guard guard;
  State state;
  std::string before;  // content of the state as it was read
  std::optional<History> history;
  ClusterLists lists;
  std::optional<ClusterIndex> index;
  TimePoint now{};
  v1::PreemptionPolicy policy;  // with the budgets of the cluster
  std::vector<std::string> class_order;
  std::optional<PreemptionPlanner> planner;
  v1::PreemptionPlan plan;
  std::vector<Order> orders;  // to be carried out
  std::size_t deferred = 0;
  std::size_t evicted = 0;
  bool standby = false;
};

Descheduler::Descheduler(Options options, Policies* policies, Metrics* metrics, webhook::Log* log)
    : options_(std::move(options)),
      policies_(policies),
      metrics_(metrics),
      log_(log),
      api_(options_.api, options_.request_timeout, &never_),
      store_(&api_, options_.namespace_name, options_.state, options_.identity, options_.lease),
      source_(&api_, options_.page_size, &stop_) {
  metrics_->evicting.Set(options_.evict ? 1 : 0);
}

bool Descheduler::Run() {
  for (;;) {
    const auto begin = std::chrono::steady_clock::now();
    wake_ = options_.interval;
    const Result result = RunRound();
    const auto took = std::chrono::steady_clock::now() - begin;
    metrics_->CountRound(kResults[static_cast<int>(result)],
                         std::chrono::duration<double>(took).count());
    metrics_->owner.Set(store_.Remaining().count() > 0 ? 1 : 0);
    if (options_.once) return result != Result::kFailed;
    std::unique_lock<std::mutex> lock(mutex_);
    woken_.wait_for(lock, std::max(wake_, options_.least_interval), [this] { return stop_.load(); });
    if (stop_.load()) break;
  }
  if (store_.Remaining().count() > 0) {
    absl::StatusOr<State> state = store_.Load();
    if (state.ok() && store_.OwnedByOther(*state).count() == 0) (void)store_.Release(&*state);
  }
  return true;
}

void Descheduler::Stop() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stop_.store(true);
  }
  woken_.notify_all();
}

Descheduler::Result Descheduler::Fail(const absl::Status& status) {
  log_->Write(LogLevel::kError, "round failed: nobody is evicted",
              {{"error", std::string_view(status.message().data(), status.message().size())}});
  return Result::kFailed;
}

Descheduler::Result Descheduler::RunRound() {
  policies_->Refresh();
  if (const absl::Status ready = policies_->Ready(); !ready.ok()) return Fail(ready);
  absl::Status status;
  for (int conflict = 0; conflict < kConflicts && !stop_.load(); ++conflict) {
    Round round(policies_->read());
    status = Prepare(&round);
    if (!status.ok()) return Fail(status);
    if (round.standby) return Result::kStandby;
    status = Plan(&round);
    if (!status.ok()) return Fail(status);
    LogPlan(round);
    if (!options_.evict) return Result::kPlanned;
    status = Execute(&round);
    if (status.ok()) return round.evicted > 0 ? Result::kEvicted : Result::kPlanned;
    if (!absl::IsAborted(status)) break;
    log_->Write(LogLevel::kWarning, "another one wrote the state: reading and planning again");
  }
  return Fail(status);
}

absl::Status Descheduler::Prepare(Round* round) {
  absl::StatusOr<State> state = store_.Load();
  metrics_->state_failing.Set(state.ok() ? 0 : 1);
  metrics_->state_bytes.Set(static_cast<double>(store_.bytes()));
  if (!state.ok()) return state.status();
  if (const milliseconds left = store_.OwnedByOther(*state); left.count() > 0 && options_.evict) {
    log_->Write(LogLevel::kInfo, "another one has the state: nothing is done here",
                {{"owner", std::string_view(state->owner)},
                 {"milliseconds", static_cast<std::int64_t>(left.count())}});
    WakeWithin(left);
    round->standby = true;
    return absl::OkStatus();
  }
  round->before = Content(*state);
  round->state = *std::move(state);

  const kubernetes::ClusterOptions options{policies_->options(), options_.gang_keys};
  const Evaluator& evaluator = *round->guard.evaluator();
  for (int i = 0; i < kLists; ++i) {
    round->history.emplace(round->state.history);
    absl::StatusOr<ClusterLists> lists =
        source_.List(options, policies_->adapter(), evaluator, &*round->history);
    if (lists.ok()) {
      round->lists = *std::move(lists);
      break;
    }
    if (!absl::IsAborted(lists.status()) || i + 1 == kLists) return lists.status();
  }
  round->history->Connect();
  round->now = api_.Earliest();
  for (v1::ClusterJob& job : *round->lists.reading.cluster.mutable_jobs()) {
    for (const kubernetes::PodIdentity& pod : round->lists.reading.pods[job.id()]) {
      job.set_evictions(std::max(job.evictions(), round->history->Evictions(pod.uid)));
    }
  }
  for (std::uint32_t i = evaluator.class_count(); i-- > 0;) {
    round->class_order.emplace_back(evaluator.class_name(i));
  }
  metrics_->unreadable_objects.Set(static_cast<double>(round->lists.problems.size()));
  metrics_->clock_skew_seconds.Set(
      std::chrono::duration<double>(api_.Latest() - std::chrono::system_clock::now()).count());
  constexpr const char* kEndings[] = {"preempted", "infrastructure", "own", "other"};
  for (std::size_t i = 0; i < 4; ++i) {
    metrics_->SetEndings(kEndings[i], round->history->endings()[i]);
  }
  return absl::OkStatus();
}

absl::Status Descheduler::Plan(Round* round) {
  v1::Cluster& cluster = round->lists.reading.cluster;
  round->policy = policies_->preemption();
  for (const v1::DisruptionBudget& budget : round->lists.reading.budgets) {
    *round->policy.add_budgets() = budget;
  }
  round->index.emplace(round->lists.reading);
  Settled settled = Settle(*round->index, {round->policy, round->class_order}, round->now,
                           &round->state);
  for (const OrderPod& pod : settled.left) round->history->Evicted(pod, round->now);
  AssignDevices(round->state.planner, round->now, &cluster);

  absl::StatusOr<PreemptionPlanner> planner = PreemptionPlanner::Create(round->policy);
  if (!planner.ok()) return planner.status();
  round->planner.emplace(*std::move(planner));
  round->planner->SetClassOrder(round->class_order);
  if (const absl::Status restored = round->planner->Restore(round->state.planner);
      !restored.ok()) {
    metrics_->state_failing.Set(1);
    return absl::InvalidArgumentError(
        absl::StrCat("the state holds what no planner wrote: ", restored.message(),
                     "; where it is of no use, delete the ConfigMap"));
  }
  std::vector<std::string> closed;
  for (v1::ClusterJob& job : *cluster.mutable_jobs()) {
    if (std::find(settled.waiting.begin(), settled.waiting.end(), job.id()) !=
        settled.waiting.end()) {
      job.set_never_preempt_others(true);
    }
    const absl::Status put = round->planner->PutJob(job);
    if (put.ok()) continue;
    round->lists.problems.emplace_back(put.message());
    for (const v1::ClusterPod& pod : job.pods()) closed.push_back(pod.node());
  }
  for (v1::Node& node : *cluster.mutable_nodes()) {
    if (std::find(closed.begin(), closed.end(), node.name()) != closed.end()) {
      node.set_unschedulable(true);
    }
    if (const absl::Status put = round->planner->PutNode(node); !put.ok()) {
      round->lists.problems.emplace_back(put.message());
    }
  }
  for (const v1::PlannerState::Hold& hold : round->state.planner.holds()) {
    if (round->index->Job(hold.job()) == nullptr) round->planner->RemoveJob(hold.job());
  }
  round->plan = round->planner->Plan(round->now);
  round->orders = std::move(settled.complete);
  if (round->plan.has_next_wake()) {
    const auto until = std::chrono::ceil<milliseconds>(ToTimePoint(round->plan.next_wake()) -
                                                       api_.Earliest());
    WakeWithin(std::max(until, milliseconds(0)));
  }
  metrics_->SetPlan(round->plan, static_cast<std::size_t>(std::count_if(
                                     cluster.jobs().begin(), cluster.jobs().end(), [](auto& job) {
                                       return job.pods_size() > 0 && !job.pods(0).node().empty();
                                     })));
  return absl::OkStatus();
}

void Descheduler::LogPlan(const Round& round) {
  std::int64_t victims = 0, by_eviction = 0;
  for (const v1::Placement& placement : round.plan.placements()) {
    victims += placement.victims_size();
    by_eviction += placement.victims_size() > 0 ? 1 : 0;
    for (const v1::Victim& victim : placement.victims()) {
      log_->Write(options_.evict ? LogLevel::kDebug : LogLevel::kInfo, "would evict",
                  {{"job", std::string_view(victim.job())},
                   {"for", std::string_view(placement.job())},
                   {"reason", std::string_view(victim.reason())}});
    }
  }
  for (const v1::Unplaced& one : round.plan.unplaced()) {
    log_->Write(LogLevel::kDebug, "no room",
                {{"job", std::string_view(one.job())}, {"why", std::string_view(one.text())}});
  }
  // What was said in the last round is not said again.
  std::vector<std::string> remarks = round.lists.reading.remarks;
  remarks.insert(remarks.end(), round.plan.remarks().begin(), round.plan.remarks().end());
  remarks.insert(remarks.end(), round.lists.problems.begin(), round.lists.problems.end());
  std::sort(remarks.begin(), remarks.end());
  for (const std::string& remark : remarks) {
    if (std::binary_search(remarks_.begin(), remarks_.end(), remark)) continue;
    log_->Write(LogLevel::kWarning, remark);
  }
  remarks_ = std::move(remarks);
  log_->Write(LogLevel::kInfo, "round",
              {{"dry_run", options_.evict ? "no" : "yes"},
               {"objects", static_cast<std::int64_t>(round.lists.objects)},
               {"nodes", round.lists.reading.cluster.nodes_size()},
               {"jobs", round.lists.reading.cluster.jobs_size()},
               {"placements", round.plan.placements_size()},
               {"by_eviction", by_eviction},
               {"victims", victims},
               {"unplaced", round.plan.unplaced_size()},
               {"orders_before", static_cast<std::int64_t>(round.orders.size())},
               {"problems", static_cast<std::int64_t>(round.lists.problems.size())},
               {"wake_milliseconds", static_cast<std::int64_t>(wake_.count())}});
}

void Descheduler::Command(Round* round) {
  if (std::chrono::steady_clock::now() < patience_) {
    WakeWithin(std::chrono::ceil<milliseconds>(patience_ - std::chrono::steady_clock::now()));
    round->orders.clear();
    return;
  }
  std::size_t bytes = 0;
  for (const v1::Placement& placement : round->plan.placements()) {
    if (placement.victims().empty()) continue;
    if (bytes > kMaxOrderBytes) {
      ++round->deferred;
      continue;
    }
    if (const absl::Status status = round->planner->Commit(placement, round->now); !status.ok()) {
      log_->Write(LogLevel::kWarning, std::string(status.message()));
      continue;
    }
    round->orders.push_back(
        MakeOrder(placement, round->lists.reading, *round->index, *round->history, round->now));
    State one;
    one.orders.push_back(round->orders.back());
    bytes += WriteState(one).size();
    round->state.orders.push_back(round->orders.back());
  }
  if (round->deferred > 0) WakeWithin(options_.least_interval);
}

absl::Status Descheduler::Save(Round* round, bool last) {
  round->state.planner = round->planner->Snapshot();
  TrimLabels(round->policy, &round->state.planner);
  round->state.history = round->history->Records(round->now);
  const bool release = last && (options_.once || stop_.load());
  const absl::Status status = release ? store_.Release(&round->state) : store_.Save(&round->state);
  metrics_->state_failing.Set(status.ok() || absl::IsAborted(status) ? 0 : 1);
  metrics_->state_bytes.Set(static_cast<double>(store_.bytes()));
  metrics_->orders_open.Set(static_cast<double>(round->state.orders.size()));
  metrics_->holds.Set(round->state.planner.holds_size());
  metrics_->history_records.Set(static_cast<double>(round->state.history.size()));
  return status;
}

milliseconds Descheduler::MayGoOn(Round* round) {
  const milliseconds enough = options_.lease / 2;
  if (store_.Remaining() < enough) {
    if (const absl::Status status = Save(round, false); !status.ok()) {
      log_->Write(LogLevel::kWarning, "the state cannot be renewed",
                  {{"error", std::string_view(status.message().data(), status.message().size())}});
    }
  }
  return store_.Remaining();
}

// What was true when it was listed is looked at once more.
bool Descheduler::MayLeave(const Round& round, const Order& order, const OrderVictim& victim,
                           const std::string& pod) {
  const v1::ClusterJob* const preemptor = round.index->Job(order.job);
  const v1::ClusterJob* const listed = round.index->Job(victim.job);
  absl::StatusOr<kubernetes::ClusterReader> reader =
      kubernetes::ClusterReader::Create({policies_->options(), options_.gang_keys},
                                        *round.guard.evaluator(), api_.Earliest());
  if (preemptor == nullptr || listed == nullptr || !reader.ok()) return false;
  if (!reader->Add(pod).ok()) return false;
  kubernetes::ClusterReading reading = std::move(*reader).Finish();
  if (reading.cluster.jobs_size() != 1) return false;
  v1::ClusterJob& job = *reading.cluster.mutable_jobs(0);
  // One with devices by claim: the claim is not looked at again.
  if (job.pods_size() == 0) return true;
  // A gang's checkpoints are those of any of its pods.
  job.set_checkpoint_interval_seconds(
      std::max(job.checkpoint_interval_seconds(), listed->checkpoint_interval_seconds()));
  return Rules{round.policy, round.class_order}.MayLeave(job, *preemptor) &&
         ToTimePoint(job.started()) <= order.given;
}

absl::Status Descheduler::Execute(Round* round) {
  Command(round);
  if (round->orders.empty()) {
    State next = round->state;
    next.planner = round->planner->Snapshot();
    TrimLabels(round->policy, &next.planner);
    next.history = round->history->Records(round->now);
    if (Content(std::move(next)) == round->before) return absl::OkStatus();
    return Save(round, true);
  }
  if (const absl::Status status = Save(round, false); !status.ok()) return status;
  Conclude(round, round->orders);
  const absl::Status status = Save(round, true);
  if (!status.ok()) {
    // What was done is seen in the pods: the next round settles it.
    log_->Write(LogLevel::kWarning, "what was done could not be written down",
                {{"error", std::string_view(status.message().data(), status.message().size())}});
    WakeWithin(options_.least_interval);
  }
  return absl::OkStatus();
}

// Carries out, and keeps of the orders what is left to do.
void Descheduler::Conclude(Round* round, const std::vector<Order>& orders) {
  Evictor::Hooks hooks;
  hooks.may_go_on = [&] { return MayGoOn(round); };
  hooks.may_leave = [&](const Order& order, const OrderVictim& victim, const std::string& pod) {
    return MayLeave(*round, order, victim, pod);
  };
  hooks.left = [&](const Order&, const OrderVictim& victim, const OrderPod& pod) {
    ++round->evicted;
    round->history->Evicted(pod, api_.Earliest());
    const v1::ClusterJob* const job = round->index->Job(victim.job);
    if (job == nullptr) return;
    v1::ClusterJob stops = *job;
    for (v1::ClusterPod& one : *stops.mutable_pods()) one.set_stopping(true);
    (void)round->planner->PutJob(stops);
    if (&pod != &victim.pods.front()) return;
    for (const v1::Placement& placement : round->plan.placements()) {
      for (const v1::Victim& planned : placement.victims()) {
        if (planned.job() == victim.job) {
          metrics_->lost_gpu_seconds.Increment(planned.lost_gpu_seconds());
        }
      }
    }
  };
  Evictor evictor(&api_, std::move(hooks), options_.identity, metrics_, log_, &stop_);
  const std::vector<Carried> carried = evictor.CarryOut(orders);
  for (std::size_t i = 0; i < orders.size(); ++i) {
    auto& kept = round->state.orders;
    const auto its = std::find_if(kept.begin(), kept.end(),
                                  [&](const Order& one) { return one.job == orders[i].job; });
    if (its == kept.end()) continue;
    if (carried[i] == Carried::kDone) kept.erase(its);
    if (carried[i] == Carried::kStopped) {
      round->planner->Abandon(orders[i].job);
      its->stopped = true;
    }
    if (carried[i] != Carried::kDone) WakeWithin(options_.least_interval);
  }
  if (evictor.retry_after().count() > 0) {
    const milliseconds wait = std::min<milliseconds>(evictor.retry_after(), kMaxPatience);
    patience_ = std::chrono::steady_clock::now() + wait;
    WakeWithin(wait);
  }
}

}  // namespace precedent::descheduler
