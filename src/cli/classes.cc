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

ABSL_FLAG(std::string, target, "", "what the classes are for");
ABSL_FLAG(std::string, global_default, "", "the class that is the cluster's default");

namespace precedent::cli {
namespace {

constexpr std::string_view kHelp =
    R"(usage: precedent classes --policy=P [--target=T] [--global-default=CLASS]

Prints what a cluster must know of the priority classes of the policy.

  --policy=P                the policy: text format, JSON, YAML or binary
  --target=priority-class   Kubernetes PriorityClass manifests (YAML), ready for
                            `kubectl apply -f -`; the default. The value is the class's
                            at_least. Every class has a second manifest,
                            `<class>-nonpreempting`, with preemptionPolicy Never.
  --target=kueue            WorkloadPriorityClass manifests of Kueue
  --target=hyperpod         the PriorityClasses of a SageMaker HyperPod scheduler
                            configuration (JSON): at most 10, with weights from 0 to 100
                            in the order of at_least
  --global-default=CLASS    make this PriorityClass the default of the cluster, which is
                            for pods that no policy decides too; otherwise none is

Exit code: 0 printed; 2 wrong usage, a policy with errors, or a class that the target
would refuse.
)";

constexpr std::string_view kVariant = "-nonpreempting";
constexpr int kMaxValue = 1'000'000'000;  // greater ones are Kubernetes' own
constexpr std::size_t kMaxName = 253;
// Of the API: sagemaker, PriorityClass.
constexpr std::size_t kMaxHyperpodName = 40;
constexpr int kMaxHyperpodClasses = 10;

constexpr std::string_view kPriorityClass = "priority-class";
constexpr std::string_view kKueue = "kueue";
constexpr std::string_view kHyperpod = "hyperpod";

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
std::vector<Issue> Problems(const v1::Policy& policy, const std::string& target) {
  const bool variants = target == kPriorityClass;
  const bool hyperpod = target == kHyperpod;
  std::vector<Issue> issues;
  const auto add = [&](int i, std::string_view field, std::string message) {
    Issue issue = Error(std::move(message));
    issue.path = absl::StrCat("priority_classes[", i, "].", std::string(field));
    issues.push_back(std::move(issue));
  };
  for (int i = 0; i < policy.priority_classes_size(); ++i) {
    const v1::PriorityClass& priority_class = policy.priority_classes(i);
    const std::string& name = priority_class.name();
    if (hyperpod && (!IsLabel(name) || name.size() > kMaxHyperpodName))
      add(i, "name",
          absl::StrCat("`", name, "`: HyperPod takes ", kMaxHyperpodName,
                       " lower case letters, digits and `-`"));
    else if (!IsName(name) || name.size() + (variants ? kVariant.size() : 0) > kMaxName)
      add(i, "name", absl::StrCat("`", name, "` cannot be the name of a Kubernetes object"));
    else if (name.rfind("system-", 0) == 0)
      add(i, "name", absl::StrCat("`", name, "`: Kubernetes keeps `system-` for itself"));
    if (priority_class.at_least() > kMaxValue)
      add(i, "at_least",
          absl::StrCat(priority_class.at_least(), " is above ", kMaxValue,
                       ", the greatest value that Kubernetes allows"));
  }
  if (hyperpod && policy.priority_classes_size() > kMaxHyperpodClasses) {
    Issue issue = Error(absl::StrCat("has ", policy.priority_classes_size(),
                                     " classes; HyperPod takes ", kMaxHyperpodClasses));
    issue.path = "priority_classes";
    issues.push_back(std::move(issue));
  }
  return issues;
}

void PrintDescription(const v1::PriorityClass& priority_class, Console& console) {
  if (priority_class.description().empty()) return;
  // A JSON string is a YAML scalar, whatever is in it.
  std::string description;
  internal::AppendJsonString(priority_class.description(), &description);
  console.out << "description: " << description << '\n';
}

void PrintPriorityClasses(const v1::Policy& policy, const std::string& global_default,
                          Console& console) {
  std::string_view separator = "";
  for (const v1::PriorityClass& priority_class : policy.priority_classes())
    for (const bool never : {false, true}) {
      console.out << separator << "apiVersion: scheduling.k8s.io/v1\n"
                  << "kind: PriorityClass\nmetadata:\n  name: "
                  << YamlName(
                         absl::StrCat(priority_class.name(), never ? std::string(kVariant) : ""))
                  << "\nvalue: " << priority_class.at_least()
                  << "\npreemptionPolicy: " << (never ? "Never" : "PreemptLowerPriority") << '\n';
      if (!never && priority_class.name() == global_default) console.out << "globalDefault: true\n";
      PrintDescription(priority_class, console);
      separator = "---\n";
    }
}

void PrintKueue(const v1::Policy& policy, Console& console) {
  std::string_view separator = "";
  for (const v1::PriorityClass& priority_class : policy.priority_classes()) {
    console.out << separator << "apiVersion: kueue.x-k8s.io/v1beta1\n"
                << "kind: WorkloadPriorityClass\nmetadata:\n  name: "
                << YamlName(priority_class.name()) << "\nvalue: " << priority_class.at_least()
                << '\n';
    PrintDescription(priority_class, console);
    separator = "---\n";
  }
}

// The weights order classes and mean nothing else: spread evenly, the least above 0,
// which is the weight of a job without class.
void PrintHyperpod(const v1::Policy& policy, Console& console) {
  std::string json = R"({"PriorityClasses":[)";
  for (const v1::PriorityClass& priority_class : policy.priority_classes()) {
    int rank = 1;
    for (const v1::PriorityClass& other : policy.priority_classes())
      if (other.at_least() < priority_class.at_least()) ++rank;
    absl::StrAppend(&json, json.back() == '[' ? "" : ",", R"({"Name":")", priority_class.name(),
                    R"(","Weight":)", rank * 100 / policy.priority_classes_size(), "}");
  }
  console.out << json << "]}\n";
}

int Run(const std::vector<std::string>&, Console& console) {
  const std::string file = absl::GetFlag(FLAGS_policy);
  const std::string target = absl::GetFlag(FLAGS_target).empty() ? std::string(kPriorityClass)
                                                                 : absl::GetFlag(FLAGS_target);
  if (target != kPriorityClass && target != kKueue && target != kHyperpod)
    return Fail(console, absl::StrCat("--target: `", target,
                                      "` is none of priority-class, kueue, hyperpod"));
  const std::optional<CompiledPolicy> policy = LoadPolicyFile(file, console);
  if (!policy) return kUsage;
  const v1::Policy& source = policy->source();
  const std::vector<Issue> problems = Problems(source, target);
  Report(console, problems, file);
  if (!problems.empty()) return kUsage;
  const std::string global_default = absl::GetFlag(FLAGS_global_default);
  bool known = global_default.empty();
  for (const v1::PriorityClass& priority_class : source.priority_classes())
    known = known || priority_class.name() == global_default;
  if (!known || (!global_default.empty() && target != kPriorityClass))
    return Fail(console, absl::StrCat("--global-default: ",
                                      known ? "is for PriorityClasses only"
                                            : absl::StrCat("`", global_default,
                                                           "` is no class of the policy")));
  if (target == kKueue)
    PrintKueue(source, console);
  else if (target == kHyperpod)
    PrintHyperpod(source, console);
  else
    PrintPriorityClasses(source, global_default, console);
  return kOk;
}

}  // namespace

Command ClassesCommand() {
  return {"classes",  "manifests of the priority classes",
          kHelp,      {"policy", "target", "global-default"},
          {"policy"}, "",
          0,          0,
          Run};
}

}  // namespace precedent::cli
