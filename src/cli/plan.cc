// precedent plan: who makes room for whom.
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "precedent/kubernetes_cluster.h"
#include "precedent/preemption.h"
#include "precedent/preemption_policy.h"
#include "src/cli/cluster_input.h"
#include "src/cli/command.h"
#include "src/cli/file.h"
#include "src/cli/flags.h"
#include "src/cli/plan_table.h"
#include "src/cli/proto_json.h"

ABSL_FLAG(std::string, pods, "", "file of pods");
ABSL_FLAG(std::string, nodes, "", "file of nodes");
ABSL_FLAG(std::string, preemption, "", "PreemptionPolicy file");
ABSL_FLAG(std::string, gang_keys, "", "labels that name a pod's gang");

namespace precedent::cli {
namespace {

constexpr std::string_view kHelp =
    R"(usage: precedent plan --policy=P --pods=F [--nodes=F] [--output=json|table|evictions]

Prints which running jobs would have to leave, so that jobs that wait for GPUs can start
where they are more important. Evicts nobody.

  --policy=P       the policy, from which every pod gets its priority
  --pods=F, --nodes=F
                   the cluster: `kubectl get -A -o json` of pods, nodes, and where you have
                   them poddisruptionbudgets and priorityclasses. Each file, or one alone,
                   may hold any of these; `-` is standard input. Or a precedent.v1.Cluster
                   (text format, JSON, YAML), which has its decisions.
  --preemption=F   precedent.v1.PreemptionPolicy (text format, JSON, YAML): the least gap,
                   minimum runtime, restart cost, budgets, rates
  --now=TIME       what time it is, such as 2026-03-01T12:00:00Z; the clock if not given
  --output=json       one precedent.v1.PreemptionPlan on one line; the default
  --output=table      columns for people
  --output=evictions  one Eviction (policy/v1) per pod and line, for
                      POST /api/v1/namespaces/NAMESPACE/pods/NAME/eviction; it is refused
                      where the pod is another one meanwhile
  --gang-keys=K,K  labels or annotations of pods that belong together, instead of the usual
                   pod groups
  --options=F      precedent.v1.AdapterOptions: which metadata keys are read, what a device
                   weighs, ...

Exit code: 0 planned; 1 some input was invalid: a diagnostic on standard error, and the plan
is that of the rest; 2 wrong usage or a policy with errors.
)";

std::optional<v1::PreemptionPolicy> PreemptionFromFlag(Console& console) {
  const std::string file = absl::GetFlag(FLAGS_preemption);
  v1::PreemptionPolicy policy;
  if (!file.empty()) {
    const absl::StatusOr<std::string> bytes = ReadFile(file);
    if (!bytes.ok()) {
      Report(console, Error(std::string(bytes.status().message())), file);
      return std::nullopt;
    }
    PreemptionPolicyResult result = ReadPreemptionPolicy(*bytes);
    Report(console, result.issues, file);
    if (!result.policy) return std::nullopt;
    policy = *std::move(result.policy);
  }
  // What contradicts itself is an error before a long file is read.
  if (const auto planner = PreemptionPlanner::Create(policy); !planner.ok()) {
    Report(console, Error(std::string(planner.status().message())), file);
    return std::nullopt;
  }
  return policy;
}

void PrintEvictions(const v1::PreemptionPlan& plan, const kubernetes::ClusterReading& reading,
                    Console& console) {
  for (const v1::Placement& placement : plan.placements()) {
    for (const v1::Victim& victim : placement.victims()) {
      const auto pods = reading.pods.find(victim.job());
      if (pods == reading.pods.end()) {
        console.err << "precedent: job `" << Printable(victim.job())
                    << "` is of no Kubernetes object: it has no Eviction\n";
        continue;
      }
      for (const kubernetes::PodIdentity& pod : pods->second) {
        console.out << kubernetes::EvictionJson(pod) << '\n';
      }
    }
  }
}

int Run(const std::vector<std::string>&, Console& console) {
  const std::optional<std::string> output =
      OutputFromFlag({"json", "table", "evictions"}, console);
  const std::optional<TimePoint> now = output ? NowFromFlag(console) : std::nullopt;
  if (!now) return kUsage;
  std::vector<std::string> files;
  for (const std::string& file : {absl::GetFlag(FLAGS_pods), absl::GetFlag(FLAGS_nodes)}) {
    if (!file.empty() && (files.empty() || files[0] != file)) files.push_back(file);
  }
  if (files.empty()) return Fail(console, "missing --pods or --nodes: there is no cluster");
  const std::optional<CompiledPolicy> policy = LoadPolicyFile(absl::GetFlag(FLAGS_policy), console);
  if (!policy) return kUsage;
  std::optional<v1::PreemptionPolicy> preemption = PreemptionFromFlag(console);
  if (!preemption) return kUsage;
  kubernetes::ClusterOptions options;
  const std::optional<v1::AdapterOptions> adapter = OptionsFromFlag(console);
  if (!adapter) return kUsage;
  options.adapter = *adapter;
  options.gang_keys = absl::StrSplit(absl::GetFlag(FLAGS_gang_keys), ',', absl::SkipEmpty());

  absl::StatusOr<ClusterInput> input = ReadCluster(files, options, *policy, *now, console);
  if (!input.ok()) {
    Report(console, Error(std::string(input.status().message())), absl::GetFlag(FLAGS_options));
    return kUsage;
  }
  for (v1::DisruptionBudget& budget : input->reading.budgets) {
    *preemption->add_budgets() = std::move(budget);
  }
  absl::StatusOr<v1::PreemptionPlan> plan =
      PlanPreemption(input->reading.cluster, *preemption, *now);
  if (!plan.ok()) return Fail(console, std::string(plan.status().message()));
  for (std::string& remark : input->reading.remarks) plan->add_remarks(std::move(remark));
  if (*output == "evictions") {
    PrintEvictions(*plan, input->reading, console);
  } else if (*output == "table") {
    console.out << FormatPlan(*plan, input->reading.cluster);
  } else {
    console.out << JsonLine(*plan) << '\n';
  }
  return input->good ? kOk : kFailed;
}

}  // namespace

Command PlanCommand() {
  return {"plan",     "who makes room for whom",
          kHelp,      {"policy", "pods", "nodes", "preemption", "now", "output", "gang-keys",
                       "options"},
          {"policy"}, "",
          0,          0,
          Run};
}

}  // namespace precedent::cli
