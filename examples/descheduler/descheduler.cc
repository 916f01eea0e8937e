#include "descheduler.h"

#include <algorithm>
#include <utility>

#include "evictor.h"
#include "precedent/lineage_view.h"
#include "round.h"

namespace precedent::descheduler {
namespace {

using std::chrono::milliseconds;
using webhook::LogLevel;

// Of one round's new orders: what cannot be written down is for the next.
constexpr std::size_t kMaxOrderBytes = 300 << 10;
constexpr int kConflicts = 3;  // with other writers of the state, before the round fails
constexpr milliseconds kMaxPatience{300'000};

constexpr const char* kResults[] = {"planned", "evicted", "standby", "failed"};

}  // namespace

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
    woken_.wait_for(lock, std::max(wake_, options_.least_interval),
                    [this] { return stop_.load(); });
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
  absl::StatusOr<kubernetes::ClusterReader> reader = kubernetes::ClusterReader::Create(
      {policies_->options(), options_.gang_keys}, *round.guard.evaluator(), api_.Earliest());
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
    if (ContentOf(std::move(next)) == round->before) return absl::OkStatus();
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
