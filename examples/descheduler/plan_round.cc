// The first half of a round, which changes nothing: what there is, and what should be done.
#include <algorithm>
#include <chrono>
#include <utility>

#include "absl/strings/str_cat.h"
#include "precedent/lineage_view.h"
#include "round.h"

namespace precedent::descheduler {
namespace {

using std::chrono::milliseconds;
using webhook::LogLevel;

constexpr int kLists = 3;  // whose continuation expired, before the round fails

}  // namespace

std::string ContentOf(State state) {
  state.owner = "-";
  state.renewed = {};
  state.lease = std::chrono::milliseconds(0);
  return WriteState(state);
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
  round->before = ContentOf(*state);
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
  Settled settled =
      Settle(*round->index, {round->policy, round->class_order}, round->now, &round->state);
  for (const OrderPod& pod : settled.left) round->history->Evicted(pod, round->now);

  absl::StatusOr<PreemptionPlanner> planner = PreemptionPlanner::Create(round->policy);
  if (!planner.ok()) return planner.status();
  round->planner.emplace(*std::move(planner));
  round->planner->SetClassOrder(round->class_order);
  if (const absl::Status restored = round->planner->Restore(round->state.planner); !restored.ok()) {
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
    const auto until =
        std::chrono::ceil<milliseconds>(ToTimePoint(round->plan.next_wake()) - api_.Earliest());
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

}  // namespace precedent::descheduler
