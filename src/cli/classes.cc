// precedent classes: the PriorityClass manifests that a policy needs.
#include <cctype>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/strings/str_cat.h"
#include "src/cli/command.h"
#include "src/cli/flags.h"
#include "src/text/json_writer.h"

namespace precedent::cli {
namespace {

constexpr std::string_view kHelp =
    R"(usage: precedent classes --policy=P

Prints a Kubernetes PriorityClass manifest (YAML) for every priority class of the
policy, ready for `kubectl apply -f -`: its value is the class's at_least. Where a rule
sets never_preempt_others, every class has a second manifest, `<class>-nonpreempting`,
with preemptionPolicy Never. No class is made the global default.

  --policy=P   the policy: text format, JSON, YAML or binary

Exit code: 0 printed; 2 wrong usage, a policy with errors, or a class that Kubernetes
would refuse.
)";

constexpr std::string_view kVariant = "-nonpreempting";
constexpr int kMaxValue = 1'000'000'000;  // greater ones are Kubernetes' own
constexpr std::size_t kMaxName = 253;

bool IsLabel(std::string_view label) {
  for (const char c : label)
    if (c != '-' && std::islower(static_cast<unsigned char>(c)) == 0 &&
        std::isdigit(static_cast<unsigned char>(c)) == 0)
      return false;
  return !label.empty() && label.front() != '-' && label.back() != '-';
}

// A DNS subdomain: labels with points between them.
bool IsName(std::string_view name) {
  for (std::size_t point; (point = name.find('.')) != std::string_view::npos;
       name.remove_prefix(point + 1))
    if (!IsLabel(name.substr(0, point))) return false;
  return IsLabel(name);
}

// The name as a YAML scalar: `1e3` and `true` would be no strings without quotes.
std::string YamlName(const std::string& name) {
  for (const std::string_view word : {"true", "false", "null", "yes", "no", "on", "off", "y", "n"})
    if (name == word) return absl::StrCat("\"", name, "\"");
  const bool letter_first = std::islower(static_cast<unsigned char>(name[0])) != 0;
  return letter_first ? name : absl::StrCat("\"", name, "\"");
}

// What Kubernetes would refuse.
std::vector<Issue> Problems(const v1::Policy& policy, bool variants) {
  std::vector<Issue> issues;
  const auto add = [&](int i, std::string_view field, std::string message) {
    Issue issue = Error(std::move(message));
    issue.path = absl::StrCat("priority_classes[", i, "].", std::string(field));
    issues.push_back(std::move(issue));
  };
  for (int i = 0; i < policy.priority_classes_size(); ++i) {
    const v1::PriorityClass& priority_class = policy.priority_classes(i);
    const std::string& name = priority_class.name();
    if (!IsName(name) || name.size() + (variants ? kVariant.size() : 0) > kMaxName)
      add(i, "name", absl::StrCat("`", name, "` cannot be the name of a Kubernetes object"));
    else if (name.rfind("system-", 0) == 0)
      add(i, "name", absl::StrCat("`", name, "`: Kubernetes keeps `system-` for itself"));
    if (priority_class.at_least() > kMaxValue)
      add(i, "at_least",
          absl::StrCat(priority_class.at_least(), " is above ", kMaxValue,
                       ", the greatest value that Kubernetes allows"));
  }
  return issues;
}

bool HasNeverPreemptOthers(const v1::Policy& policy) {
  for (const v1::Stage& stage : policy.stages())
    for (const v1::Rule& rule : stage.rules())
      if (rule.never_preempt_others()) return true;
  return false;
}

void PrintManifest(const v1::PriorityClass& priority_class, bool never, bool first,
                   Console& console) {
  console.out << (first ? "" : "---\n") << "apiVersion: scheduling.k8s.io/v1\n"
              << "kind: PriorityClass\nmetadata:\n  name: "
              << YamlName(absl::StrCat(priority_class.name(), never ? std::string(kVariant) : ""))
              << "\nvalue: " << priority_class.at_least()
              << "\npreemptionPolicy: " << (never ? "Never" : "PreemptLowerPriority") << '\n';
  if (priority_class.description().empty()) return;
  // A JSON string is a YAML scalar, whatever is in it.
  std::string description;
  internal::AppendJsonString(priority_class.description(), &description);
  console.out << "description: " << description << '\n';
}

int Run(const std::vector<std::string>&, Console& console) {
  const std::string file = absl::GetFlag(FLAGS_policy);
  const std::optional<CompiledPolicy> policy = LoadPolicyFile(file, console);
  if (!policy) return kUsage;
  const bool variants = HasNeverPreemptOthers(policy->source());
  const std::vector<Issue> problems = Problems(policy->source(), variants);
  Report(console, problems, file);
  if (!problems.empty()) return kUsage;
  bool first = true;
  for (const v1::PriorityClass& priority_class : policy->source().priority_classes())
    for (const bool never : {false, true}) {
      if (never && !variants) continue;
      PrintManifest(priority_class, never, first, console);
      first = false;
    }
  return kOk;
}

}  // namespace

Command ClassesCommand() {
  return {"classes", "PriorityClass manifests", kHelp, {"policy"}, {"policy"}, "", 0, 0, Run};
}

}  // namespace precedent::cli
