#include "src/kubernetes/cluster_jobs.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "precedent/internal/hash.h"
#include "src/json/path.h"
#include "src/json/time.h"

namespace precedent::kubernetes {
namespace {

// More kinds of constraints than this are no cluster's, and each is a label of all nodes.
constexpr std::size_t kMaxConstraints = 1024;
// What a PodDisruptionBudget has left already counts those that left before.
constexpr std::int64_t kBudgetWindowSeconds = 10;
// Above all: nobody's victim.
constexpr std::int32_t kNobodysVictim = std::numeric_limits<std::int32_t>::max();

std::string PodName(const PodRecord& pod) {
  return absl::StrCat(pod.identity.namespace_name, "/", pod.identity.name);
}

// The pods of one job, by what they do.
struct Gang {
  std::string name;
  std::vector<const PodRecord*> running, stopping, waiting;
  bool gated = false;
};

class Builder {
 public:
  Builder(ClusterObjects objects, Remarks remarks)
      : objects_(std::move(objects)), remarks_(std::move(remarks)) {
    for (const auto& [key, budget] : objects_.budgets) {
      if (budget.selects) budgets_[budget.namespace_name].push_back({&budget});
    }
  }

  ClusterReading Build() {
    std::map<std::string, Gang> gangs;
    for (const auto& [uid, pod] : objects_.pods) {
      const std::string id = pod.group.empty()
                                 ? uid
                                 : absl::StrCat(pod.identity.namespace_name, "/", pod.group);
      Gang& gang = gangs[id];
      gang.name = pod.group.empty() ? PodName(pod) : id;
      if (pod.gated && pod.node.empty()) {
        gang.gated = true;
      } else {
        (pod.node.empty() ? gang.waiting : pod.stopping ? gang.stopping : gang.running)
            .push_back(&pod);
      }
    }
    for (auto& [id, gang] : gangs) AddGang(id, gang);
    AddNodes();
    AddBudgets();
    reading_.remarks = remarks_.Texts();
    return std::move(reading_);
  }

 private:
  struct Budget {
    const BudgetRecord* record;
    std::int64_t most_pods = 0;  // of one job
  };

  void AddGang(const std::string& id, Gang& gang) {
    if (gang.gated) {
      remarks_.Add("pods with a scheduling gate are left out", gang.name);
      gang.waiting.clear();
    }
    if (!gang.stopping.empty() && gang.running.empty() && !gang.waiting.empty()) {
      remarks_.Add("jobs are planned for when their old pods are gone", gang.name);
      gang.waiting.clear();
    }
    std::vector<const PodRecord*> pods = gang.running;
    for (const auto* more : {&gang.stopping, &gang.waiting}) {
      pods.insert(pods.end(), more->begin(), more->end());
    }
    if (pods.empty()) return;
    const bool waits = gang.running.empty() && gang.stopping.empty();
    bool countable = true;
    for (const PodRecord* pod : pods) countable = countable && pod->gpu_milli.has_value();
    if (!countable && waits) {
      remarks_.Add("jobs that wait for GPUs which cannot be counted are left out", gang.name);
      return;
    }
    std::sort(pods.begin(), pods.end(), [](const PodRecord* a, const PodRecord* b) {
      return PodName(*a) < PodName(*b);
    });

    v1::ClusterJob& job = *reading_.cluster.add_jobs();
    job.set_id(id);
    job.set_name(gang.name);
    // Of a gang that waits the least important pod counts, of one that runs the most
    // important: a mistake in one pod then harms nobody else.
    const PodRecord* first = pods[0];
    bool guarded = !countable;
    bool preemptible = true;
    absl::Time submitted = absl::InfiniteFuture(), started = absl::InfinitePast();
    std::optional<absl::Time> checkpoint;
    std::set<std::string> constraints;
    for (const PodRecord* pod : pods) {
      const bool more = pod->preemption_priority > first->preemption_priority;
      const bool less = pod->preemption_priority < first->preemption_priority;
      if (waits ? less : more) first = pod;
      guarded = guarded || pod->guarded;
      preemptible = preemptible && pod->preemptible;
      submitted = std::min(submitted, pod->submitted);
      if (pod->never_preempt_others) job.set_never_preempt_others(true);
      job.set_evictions(std::max(job.evictions(), pod->evictions));
      job.set_checkpoint_interval_seconds(
          std::max(job.checkpoint_interval_seconds(), pod->checkpoint_interval));
      if (pod->last_checkpoint.has_value()) {
        checkpoint = std::max(checkpoint.value_or(*pod->last_checkpoint), *pod->last_checkpoint);
      }
      if (!pod->node.empty()) started = std::max(started, pod->started);
      AddPod(*pod, job);
      if (pod->node.empty()) constraints.insert(LabelOf(pod->constraint));
    }
    job.set_priority(first->priority);
    job.set_preemption_priority(first->preemption_priority);
    job.set_priority_class(first->priority_class);
    job.set_preemptible(preemptible);
    *job.mutable_submitted() = json::ToTimestamp(submitted);
    if (!waits) {
      *job.mutable_started() = json::ToTimestamp(started);
      if (checkpoint.has_value() && *checkpoint >= started) {
        *job.mutable_last_checkpoint() = json::ToTimestamp(*checkpoint);
      }
      for (const auto& [key, value] : first->labels) (*job.mutable_labels())[key] = value;
      guarded = CountBudgets(pods, job) > 1 || guarded;
      if (guarded) job.set_preemption_priority(kNobodysVictim);
    } else {
      for (const std::string& label : constraints) (*job.mutable_node_selector())[label] = "yes";
      if (first->scheduler_preempts) {
        remarks_.Add("waiting jobs have classes whose preemptionPolicy is not Never: "
                     "kube-scheduler evicts for them too, by its own rules",
                     gang.name);
      }
    }
    if (constraints.count("") > 0) {
      reading_.cluster.mutable_jobs()->RemoveLast();
      reading_.pods.erase(id);
      remarks_.Add("jobs are left out: there are too many different constraints", gang.name);
      return;
    }
    CheckClass(*first, gang.name);
  }

  void AddPod(const PodRecord& pod, v1::ClusterJob& job) {
    if (!pod.gpu_milli.has_value()) {
      remarks_.Add("nodes take no new pods: how many GPUs a pod of theirs holds is not known",
                   PodName(pod));
      closed_nodes_.insert(pod.node);
      return;
    }
    if (pod.rounded) {
      remarks_.Add("pods hold more than one GPU and no whole number, which is rounded up",
                   PodName(pod));
    }
    v1::ClusterPod& out = *job.add_pods();
    out.set_name(PodName(pod));
    out.set_gpu_milli(*pod.gpu_milli);
    out.set_node(pod.node);
    out.set_stopping(pod.stopping);
    reading_.pods[job.id()].push_back(pod.identity);
  }

  // How many budgets select the pod that most of them select.
  std::size_t CountBudgets(const std::vector<const PodRecord*>& pods, v1::ClusterJob& job) {
    const auto found = budgets_.find(pods[0]->identity.namespace_name);
    if (found == budgets_.end()) return 0;
    std::vector<std::size_t> of_pod(pods.size());
    for (Budget& budget : found->second) {
      std::int64_t selected = 0;
      for (std::size_t i = 0; i < pods.size(); ++i) {
        if (pods[i]->stopping || !Selects(budget.record->selector, pods[i]->labels)) continue;
        ++selected;
        ++of_pod[i];
      }
      if (selected == 0) continue;
      budget.most_pods = std::max(budget.most_pods, selected);
      (*job.mutable_labels())[BudgetLabel(*budget.record)] = "";
    }
    const std::size_t most = *std::max_element(of_pod.begin(), of_pod.end());
    if (most > 1) {
      remarks_.Add("jobs are no victims: several PodDisruptionBudgets select a pod of theirs",
                   job.name());
    }
    return most;
  }

  static std::string BudgetLabel(const BudgetRecord& budget) {
    return absl::StrCat("poddisruptionbudget/", budget.namespace_name, "/", budget.name);
  }

  // The label of nodes where a pod of this constraint may run; empty: there are too many.
  std::string LabelOf(const Constraint& constraint) {
    const std::string signature = constraint.Signature();
    const std::uint64_t hash = internal::HashBytes(signature.data(), signature.size(), 0);
    std::string label = absl::StrFormat("precedent.dev/eligible-%016x", hash);
    if (constraints_.count(label) == 0 && constraints_.size() >= kMaxConstraints) return "";
    constraints_.emplace(label, constraint);
    return label;
  }

  void CheckClass(const PodRecord& pod, const std::string& name) {
    if (pod.priority_class.empty() || objects_.classes.empty()) return;
    if (objects_.classes.count(pod.priority_class) == 0) {
      remarks_.Add(absl::StrCat("class `", json::Printable(pod.priority_class),
                                "` of the policy is no PriorityClass of the cluster"),
                   name);
    }
  }

  void AddNodes() {
    for (const auto& [name, node] : objects_.nodes) {
      if (node.gpus == 0) continue;
      v1::Node& out = *reading_.cluster.add_nodes();
      out.set_name(name);
      out.set_gpus(static_cast<std::int32_t>(node.gpus));
      out.set_unschedulable(node.unschedulable || closed_nodes_.count(name) > 0);
      for (const auto& [label, constraint] : constraints_) {
        if (Allows(constraint, node.labels, node.taints, node.devices)) {
          (*out.mutable_labels())[label] = "yes";
        }
      }
    }
  }

  void AddBudgets() {
    for (const auto& [key, record] : objects_.budgets) {
      if (!record.selects) continue;
      for (const Budget& budget : budgets_[record.namespace_name]) {
        if (budget.record != &record || budget.most_pods == 0) continue;
        v1::DisruptionBudget& out = reading_.budgets.emplace_back();
        out.set_name(absl::StrCat("PodDisruptionBudget ", key));
        (*out.mutable_match_labels())[BudgetLabel(record)] = "";
        out.set_max_disrupted(static_cast<std::int32_t>(record.allowed / budget.most_pods));
        out.set_window_seconds(kBudgetWindowSeconds);
      }
    }
  }

  ClusterObjects objects_;
  Remarks remarks_;
  ClusterReading reading_;
  std::map<std::string, std::vector<Budget>> budgets_;  // by namespace
  std::map<std::string, Constraint> constraints_;       // by label
  std::set<std::string> closed_nodes_;
};

}  // namespace

void Remarks::Add(const std::string& text, const std::string& example) {
  Note& note = notes_[text];
  if (note.count++ == 0 || example < note.example) note.example = example;
}

std::vector<std::string> Remarks::Texts() const {
  std::vector<std::string> texts;
  for (const auto& [text, note] : notes_) {
    texts.push_back(
        absl::StrCat(text, ": ", note.count, ", such as `", json::Printable(note.example), "`"));
  }
  return texts;
}

ClusterReading MakeCluster(ClusterObjects objects, Remarks remarks) {
  return Builder(std::move(objects), std::move(remarks)).Build();
}

}  // namespace precedent::kubernetes
