#include "pod_table.h"

#include <utility>

#include "absl/strings/string_view.h"

namespace precedent::webhook {
namespace {

constexpr std::uint16_t kOther = 0;

}  // namespace

PodTable::PodTable(std::size_t max_pods, std::size_t max_classes)
    : max_pods_(max_pods), max_classes_(max_classes), names_{"other", "none"}, counts_(2) {
  numbers_[""] = 1;
}

void PodTable::BeginList() {
  const std::lock_guard<std::mutex> lock(mutex_);
  ++list_;
  untracked_ = 0;
}

void PodTable::EndList() {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (auto it = pods_.begin(); it != pods_.end();) {
    const auto here = it++;
    if (here->second.list == list_) continue;
    Change(here->second, false);
    pods_.erase(here);
  }
}

void PodTable::Put(const Pod& pod) {
  if (pod.ended) return Remove(pod.uid);
  const std::lock_guard<std::mutex> lock(mutex_);
  auto found = pods_.find(pod.uid);
  if (found == pods_.end()) {
    if (pods_.size() >= max_pods_) {
      ++untracked_;
      return;
    }
    found = pods_.emplace(pod.uid, Entry()).first;
  } else {
    Change(found->second, false);
  }
  found->second = {list_, ClassOf(pod.priority_class), pod.state, pod.created};
  Change(found->second, true);
}

void PodTable::Remove(std::string_view uid) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = pods_.find(absl::string_view(uid.data(), uid.size()));
  if (found == pods_.end()) return;
  Change(found->second, false);
  pods_.erase(found);
}

std::vector<PodTable::Class> PodTable::Classes() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::vector<Class> classes;
  for (std::size_t i = 0; i < names_.size(); ++i) {
    const Count& count = counts_[i];
    classes.push_back({names_[i], count.states[0], count.states[1], count.states[2],
                       count.waiting.empty() ? 0 : count.waiting.begin()->first});
  }
  return classes;
}

std::size_t PodTable::untracked() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return untracked_;
}

std::uint16_t PodTable::ClassOf(const std::string& name) {
  const auto found = numbers_.find(name);
  if (found != numbers_.end()) return found->second;
  if (names_.size() - 2 >= max_classes_ || name == names_[0] || name == names_[1]) return kOther;
  const auto number = static_cast<std::uint16_t>(names_.size());
  numbers_[name] = number;
  names_.push_back(name);
  counts_.emplace_back();
  return number;
}

void PodTable::Change(const Entry& entry, bool enters) {
  Count& count = counts_[entry.priority_class];
  count.states[static_cast<std::size_t>(entry.state)] += enters ? 1 : -1;
  if (entry.state != PodState::kPending) return;
  if (enters) {
    ++count.waiting[entry.created];
    return;
  }
  const auto at = count.waiting.find(entry.created);
  if (--at->second == 0) count.waiting.erase(at);
}

}  // namespace precedent::webhook
