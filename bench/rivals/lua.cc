// The policy as a Lua script, called as Slurm calls job_submit.lua.
#include <dlfcn.h>

#include "bench/rivals/lua_module.h"
#include "bench/rivals/rival.h"

namespace precedent::bench {
namespace {

constexpr char kSeedScript[] = R"(
function decide(job)
  local priority = 500
  if job.environment == "production" then priority = 1000 end
  local workload = job.workload
  if workload == "inference" then
    priority = priority + 200
  elseif job.gpus > 4 then
    priority = priority - 50
  end
  if workload == "training" and job.dataset > 1024 then priority = priority - 5 end
  priority = priority - 10 * job.failures
  if job.preemptible then priority = 0 end
  if priority < 0 then priority = 0 end
  return priority
end
)";

// Reads each field once, then loops over the rules.
constexpr char kLoopScript[] = R"(
function decide(job)
  local facts = {
    team = job.team, namespace = job.namespace, workload = job.workload,
    environment = job.environment, gpus = job.gpus, dataset = job.dataset,
    failures = job.failures, preemptible = job.preemptible}
  local labels = job.labels
  local score = 0
  for i = 1, #rules do
    local rule = rules[i]
    local all = true
    for j = 1, #rule do
      local condition = rule[j]
      local value
      if condition.label then
        value = labels[condition.label]
      else
        value = facts[condition.field]
      end
      local holds
      if condition.is ~= nil then
        holds = value == condition.is
      elseif condition.any then
        holds = condition.any[value] == true
      elseif condition.prefix then
        holds = value:sub(1, #condition.prefix) == condition.prefix
      else
        holds = value >= condition.low and value <= condition.high
      end
      if not holds then
        all = false
        break
      end
    end
    if all then score = score + rule.add end
  end
  return score
end
)";

const char* FieldName(Field field) {
  switch (field) {
    case Field::kTeam:
      return "team";
    case Field::kNamespace:
      return "namespace";
    case Field::kWorkload:
      return "workload";
    case Field::kEnvironment:
      return "environment";
    case Field::kGpus:
      return "gpus";
    case Field::kDataset:
      return "dataset";
    case Field::kFailures:
      return "failures";
    case Field::kPreemptible:
      return "preemptible";
    default:
      return "";
  }
}

// One condition as a table. The texts of the workloads need no escapes.
std::string ToLua(const Condition& condition) {
  std::string text = condition.field == Field::kLabel
                         ? "{label=\"" + condition.key + "\","
                         : std::string("{field=\"") + FieldName(condition.field) + "\",";
  switch (condition.relation) {
    case Relation::kFlag:
      return text + "is=" + (condition.flag ? "true}" : "false}");
    case Relation::kRange:
      return text + "low=" + std::to_string(condition.low) +
             ",high=" + std::to_string(condition.high) + "}";
    case Relation::kPrefix:
      return text + "prefix=\"" + condition.texts[0] + "\"}";
    default:
      break;
  }
  if (condition.texts.size() == 1) return text + "is=\"" + condition.texts[0] + "\"}";
  text += "any={";
  for (const std::string& value : condition.texts) text += "[\"" + value + "\"]=true,";
  return text + "}}";
}

// The rules of one stage that adds; Lua limits what one function may hold.
std::string ToLua(const RuleSet& rules) {
  constexpr std::size_t kRulesOfAFunction = 100;
  std::string script = "rules = {}\n";
  std::size_t count = 0;
  for (const Rule& rule : rules.stages[0].rules) {
    if (count % kRulesOfAFunction == 0) script += "(function()\n";
    script += "rules[#rules + 1] = {add=" + std::to_string(rule.points) + ",";
    for (const Condition& condition : rule.when[0]) script += ToLua(condition) + ",";
    script += "}\n";
    if (++count % kRulesOfAFunction == 0) script += "end)();\n";
  }
  if (count % kRulesOfAFunction != 0) script += "end)();\n";
  return script;
}

std::unique_ptr<Contender> Load(const std::string& library, const std::string& script,
                                const std::vector<Job>& jobs, std::string* error) {
  // Local: the two Luas have functions of the same names. Stays loaded.
  void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  void* make = handle == nullptr ? nullptr : dlsym(handle, kMakeLuaName);
  if (make == nullptr) {
    *error = dlerror();
    return nullptr;
  }
  return std::unique_ptr<Contender>(reinterpret_cast<MakeLua*>(make)(script, jobs, error));
}

}  // namespace

std::unique_ptr<Contender> LuaSeed(const std::string& library, const std::vector<Job>& jobs,
                                   std::string* error) {
  return Load(library, kSeedScript, jobs, error);
}

std::unique_ptr<Contender> LuaLoop(const std::string& library, const RuleSet& rules,
                                   const std::vector<Job>& jobs, std::string* error) {
  return Load(library, ToLua(rules) + kLoopScript, jobs, error);
}

}  // namespace precedent::bench
