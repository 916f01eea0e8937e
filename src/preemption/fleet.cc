#include "src/preemption/fleet.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "src/preemption/check.h"

namespace precedent::internal {
namespace {

constexpr std::size_t kManyRestrictions = 1000;  // beyond, those of no job are dropped

absl::string_view View(std::string_view text) {
  return absl::string_view(text.data(), text.size());
}

int Find(const absl::flat_hash_map<std::string, int>& slots, std::string_view name) {
  const auto found = slots.find(View(name));
  return found == slots.end() ? -1 : found->second;
}

template <typename T>
int Slot(std::vector<T>* all, std::vector<int>* spare) {
  if (spare->empty()) {
    all->emplace_back();
    return static_cast<int>(all->size()) - 1;
  }
  const int slot = spare->back();
  spare->pop_back();
  return slot;
}

}  // namespace

Fleet::Fleet(const v1::PreemptionPolicy& policy)
    : policy_(policy),
      budget_index_(policy),
      running_(static_cast<std::size_t>(policy.budgets_size()), 0) {}

int Fleet::FindNode(std::string_view name) const { return Find(node_slots_, name); }
int Fleet::FindJob(std::string_view id) const { return Find(job_slots_, id); }

int Fleet::NodeSlot(const std::string& name) {
  if (const int slot = FindNode(name); slot >= 0) return slot;
  const int slot = Slot(&nodes_, &spare_nodes_);
  nodes_[slot] = FleetNode();
  nodes_[slot].message.set_name(name);
  node_slots_[name] = slot;
  for (auto& [key, weak] : restrictions_)
    if (const auto restriction = weak.lock()) Admit(restriction.get(), slot);
  changed_.push_back(slot);
  return slot;
}

void Fleet::ForgetNode(int slot) {
  node_slots_.erase(nodes_[slot].message.name());
  nodes_[slot] = FleetNode();
  spare_nodes_.push_back(slot);
}

void Fleet::PutNode(const v1::Node& message) {
  const int slot = NodeSlot(message.name());
  FleetNode& node = nodes_[slot];
  if (!node.known || node.gpus() != message.gpus()) {
    laid_out_ = false;
    node.changed = true;
    changed_.push_back(slot);
  }
  node.known = true;
  node.message = message;
  for (auto it = restrictions_.begin(); it != restrictions_.end();) {
    const auto restriction = it->second.lock();
    if (restriction != nullptr) Admit(restriction.get(), slot);
    it = restriction == nullptr ? restrictions_.erase(it) : std::next(it);
  }
}

void Fleet::RemoveNode(std::string_view name) {
  const int slot = FindNode(name);
  if (slot < 0 || !nodes_[slot].known) return;
  laid_out_ = false;
  if (nodes_[slot].pods.empty()) return ForgetNode(slot);
  FleetNode unknown;
  unknown.message.set_name(nodes_[slot].message.name());
  unknown.pods = std::move(nodes_[slot].pods);
  nodes_[slot] = std::move(unknown);
  changed_.push_back(slot);
}

void Fleet::PutJob(const v1::ClusterJob& message) {
  int slot = FindJob(message.id());
  if (slot >= 0) {
    Detach(slot);
  } else {
    slot = Slot(&jobs_, &spare_jobs_);
    numbers_.resize(jobs_.size());
    job_slots_[message.id()] = slot;
  }
  jobs_[slot].message = message;
  Attach(slot);
}

void Fleet::RemoveJob(std::string_view id) {
  const int slot = FindJob(id);
  if (slot < 0) return;
  Detach(slot);
  job_slots_.erase(jobs_[slot].message.id());
  jobs_[slot] = FleetJob();
  numbers_[slot] = JobNumbers();
  spare_jobs_.push_back(slot);
}

void Fleet::Attach(int slot) {
  FleetJob& job = jobs_[slot];
  const v1::ClusterJob& message = job.message;
  int placed = 0, stopping = 0;
  double gpus = 0;
  job.nodes.clear();
  for (int p = 0; p < message.pods_size(); ++p) {
    const v1::ClusterPod& pod = message.pods(p);
    stopping += pod.stopping();
    gpus += static_cast<double>(pod.gpu_milli()) / 1000;
    if (pod.node().empty()) continue;
    ++placed;
    const int node = NodeSlot(pod.node());
    nodes_[node].pods.emplace_back(slot, p);
    if (std::find(job.nodes.begin(), job.nodes.end(), node) == job.nodes.end()) {
      job.nodes.push_back(node);
      nodes_[node].changed = true;
      changed_.push_back(node);
    }
  }
  job.waits = placed == 0;
  job.half = placed != 0 && placed != message.pods_size();
  job.stops = stopping > 0;
  job.runs = placed == message.pods_size() && !job.stops;
  const auto& never = policy_.never_evict_classes();
  job.may_leave = job.runs && !absl::StartsWith(message.priority_class(), "system-") &&
                  std::find(never.begin(), never.end(), message.priority_class()) == never.end();
  job.submitted = Micros(message.submitted());
  job.started = Micros(message.started());
  job.budgets = budget_index_.Select(message.priority_class(), message.labels());
  if (job.runs)
    for (const int b : job.budgets) ++running_[b];
  job.where = job.waits ? RestrictionOf(message) : nullptr;

  JobNumbers& numbers = numbers_[slot];
  numbers = JobNumbers();
  numbers.used = true;
  numbers.waits = job.waits;
  numbers.may_leave = job.may_leave;
  numbers.rank = RankOf(message);
  numbers.preemption_priority = message.preemption_priority();
  numbers.evictions = message.evictions();
  numbers.gpus = gpus;
  numbers.interval = message.checkpoint_interval_seconds();
  numbers.consents =
      message.preemptible() || !(policy_.only_preemptible() || numbers.interval == 0);
  numbers.started = job.started;
  if (message.has_last_checkpoint()) numbers.checkpoint = Micros(message.last_checkpoint());
  const std::int64_t restart = policy_.has_restart_seconds() ? policy_.restart_seconds() : 60;
  const std::int64_t least =
      policy_.has_min_runtime_seconds() ? policy_.min_runtime_seconds() : 1800;
  numbers.least_run = std::max(
      least * kSecond, static_cast<std::int64_t>(std::llround(
                           (numbers.interval + static_cast<double>(restart)) * kSecond)));
}

void Fleet::Detach(int slot) {
  FleetJob& job = jobs_[slot];
  if (job.runs)
    for (const int b : job.budgets) --running_[b];
  for (const int n : job.nodes) {
    FleetNode& node = nodes_[n];
    node.pods.erase(std::remove_if(node.pods.begin(), node.pods.end(),
                                   [slot](const auto& pod) { return pod.first == slot; }),
                    node.pods.end());
    node.changed = true;
    changed_.push_back(n);
    if (node.pods.empty() && !node.known) ForgetNode(n);
  }
  job.nodes.clear();
}

int Fleet::RankOf(const v1::ClusterJob& job) const {
  const auto found = class_rank_.find(job.priority_class());
  return found == class_rank_.end() ? -1 : found->second;
}

void Fleet::SetClassOrder(const std::vector<std::string>& most_important_first) {
  class_rank_.clear();
  for (std::size_t i = 0; i < most_important_first.size(); ++i)
    class_rank_.emplace(most_important_first[i], static_cast<int>(i));
  for (std::size_t j = 0; j < jobs_.size(); ++j) numbers_[j].rank = RankOf(jobs_[j].message);
}

std::vector<int> Fleet::JobsOn(int node) const {
  std::vector<int> all;
  for (const auto& [job, pod] : nodes_[node].pods) all.push_back(job);
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

void Fleet::Admit(Restriction* restriction, int slot) const {
  if (restriction->nodes.size() <= static_cast<std::size_t>(slot))
    restriction->nodes.resize(nodes_.size(), 0);
  const v1::Node& node = nodes_[slot].message;
  bool admits = restriction->accelerator.empty() || restriction->accelerator == node.accelerator();
  for (const auto& [key, value] : restriction->selector) {
    if (!admits) break;
    const auto found = node.labels().find(key);
    admits = found != node.labels().end() && found->second == value;
  }
  restriction->nodes[static_cast<std::size_t>(slot)] = admits;
}

std::shared_ptr<const Restriction> Fleet::RestrictionOf(const v1::ClusterJob& job) {
  auto made = std::make_shared<Restriction>();
  made->accelerator = job.accelerator();
  made->selector.insert(job.node_selector().begin(), job.node_selector().end());
  std::string key = made->accelerator;
  for (const auto& [name, value] : made->selector)
    key.append(1, '\0').append(name).append(1, '\0').append(value);
  std::weak_ptr<Restriction>& known = restrictions_[key];
  if (auto there = known.lock()) return there;
  if (restrictions_.size() > kManyRestrictions) {
    for (auto it = restrictions_.begin(); it != restrictions_.end();)
      it = it->second.expired() && it->first != key ? restrictions_.erase(it) : std::next(it);
  }
  made->nodes.resize(nodes_.size(), 0);
  for (int n = 0; n < static_cast<int>(nodes_.size()); ++n) Admit(made.get(), n);
  known = made;
  return made;
}

void Fleet::LayOut() {
  laid_out_ = true;
  order_.clear();
  for (int n = 0; n < static_cast<int>(nodes_.size()); ++n)
    if (nodes_[n].known) order_.push_back(n);
  std::sort(order_.begin(), order_.end(), [this](int a, int b) {
    return nodes_[a].message.name() < nodes_[b].message.name();
  });
  int first = 0;
  largest_ = 0;
  for (std::size_t i = 0; i < order_.size(); ++i) {
    FleetNode& node = nodes_[order_[i]];
    node.position = static_cast<int>(i);
    node.first = first;
    first += node.gpus();
    largest_ = std::max(largest_, node.gpus());
  }
  free_.assign(static_cast<std::size_t>(first), 1000);
}

void Fleet::Settle(const Holds& holds, std::int64_t now) {
  const bool all = !laid_out_;
  if (all) LayOut();
  const std::map<int, HeldOnNode> held = HeldNodes(holds, now);
  for (const int n : held_) nodes_[n].changed = nodes_[n].changed || nodes_[n].assumed;
  changed_.insert(changed_.end(), held_.begin(), held_.end());
  held_.clear();
  for (const auto& [n, its] : held) {
    nodes_[n].changed = nodes_[n].changed || nodes_[n].assumed;
    changed_.push_back(n);
    held_.push_back(n);
  }
  for (const int n : changed_) {
    if (!nodes_[n].changed) continue;
    const auto its = held.find(n);
    Build(&nodes_[n], its == held.end() ? nullptr : &its->second);
  }
  const auto fill = [this](const FleetNode& node) {
    const auto begin = free_.begin() + node.first;
    std::fill(begin, begin + node.gpus(), 1000);
    for (const Occupant& occupant : node.occupants)
      free_[static_cast<std::size_t>(node.first + occupant.device)] -= occupant.milli;
  };
  for (const int n : all ? order_ : changed_)
    if (nodes_[n].known) fill(nodes_[n]);
  changed_.clear();
}

}  // namespace precedent::internal
