#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "src/policy/checks.h"
#include "src/policy/time_zone.h"
#include "src/text/cursor.h"

namespace precedent::internal {
namespace {

void CheckName(const std::string& name, std::string_view what,
               std::unordered_set<std::string_view>* names, CheckContext* context) {
  const bool misspelled = context->Misspelled("name");
  At at(context, "name");
  if (name.empty()) {
    if (!misspelled) context->Error("a " + std::string(what) + " needs a name");
  } else if (!names->insert(name).second) {
    context->Error("a second " + std::string(what) + " " + Quote(name));
  }
}

void CheckSets(CheckContext* context) {
  std::unordered_set<std::string_view> names;
  for (int i = 0; i < context->policy().sets_size(); ++i) {
    const v1::ValueSet& set = context->policy().sets(i);
    At at(context, "sets", i);
    CheckName(set.name(), "set", &names, context);
    if (set.values().empty()) context->Warning("has no values: `in_set` of it never holds");
    const auto size = static_cast<std::size_t>(set.values_size());
    if (size <= context->limits().set_members) continue;
    At values(context, "values");
    context->LimitError("the set has", size, "values", context->limits().set_members,
                        "set_members");
  }
}

void CheckClasses(CheckContext* context) {
  const auto& classes = context->policy().priority_classes();
  std::unordered_set<std::string_view> names;
  std::unordered_map<std::int32_t, int> by_level;  // at_least to index
  int lowest = -1;
  const bool all_read = !context->Broken("priority_classes");
  for (int i = 0; i < classes.size(); ++i) {
    At at(context, "priority_classes", i);
    CheckName(classes[i].name(), "priority class", &names, context);
    if (context->Misspelled("at_least")) continue;
    const auto [first, is_new] = by_level.emplace(classes[i].at_least(), i);
    if (!is_new) {
      At level(context, "at_least");
      context->Error("is " + std::to_string(classes[i].at_least()) + ", as for " +
                         Quote(classes[first->second].name()),
                     "a score belongs to one class");
    }
    if (lowest < 0 || classes[i].at_least() < classes[lowest].at_least()) lowest = i;
  }
  if (lowest < 0 || !all_read || context->Broken("bounds")) return;
  if (classes[lowest].at_least() <= context->bounds_min()) return;
  At at(context, "priority_classes", lowest);
  At level(context, "at_least");
  context->Error("the lowest class begins at " + std::to_string(classes[lowest].at_least()) +
                     ", above bounds.min " + std::to_string(context->bounds_min()),
                 "a lower score would have no class");
}

void CheckBounds(CheckContext* context) {
  if (context->bounds_min() <= context->bounds_max()) return;
  At at(context, "bounds");
  context->Error("min " + std::to_string(context->bounds_min()) + " is above max " +
                     std::to_string(context->bounds_max()),
                 "unset, they are 0 and 9999");
}

void CheckFallback(CheckContext* context) {
  const v1::Fallback& fallback = context->policy().fallback();
  const std::string bounds = "bounds, " + std::to_string(context->bounds_min()) + " to " +
                             std::to_string(context->bounds_max());
  constexpr std::int32_t kDefault = 500;
  const std::int32_t priority = fallback.has_priority() ? fallback.priority() : kDefault;
  At at(context, "fallback");
  if (!context->Broken("bounds") &&
      (priority < context->bounds_min() || priority > context->bounds_max())) {
    if (fallback.has_priority()) {
      At priority_at(context, "priority");
      context->Error("is " + std::to_string(priority) + ", outside of " + bounds);
    } else {
      context->Note("its priority is not set, and the default of 500 is outside of " + bounds +
                    ": it is clamped");
    }
  }
  if (!fallback.priority_class().empty()) {
    At class_at(context, "priority_class");
    context->CheckClassName(fallback.priority_class());
  }
}

void CheckTimeZone(CheckContext* context) {
  At at(context, "time_zone");
  if (context->policy().time_zone().empty() || context->Broken()) return;
  if (!ExpandTimeZone(context->policy().time_zone()))
    context->Error("this machine knows no time zone " + Quote(context->policy().time_zone()),
                   "an IANA name, such as `Europe/Berlin`");
}

void CheckNotNegative(std::int32_t value, std::string_view name, CheckContext* context) {
  At at(context, name);
  if (value < 0) context->Error("is negative");
}

}  // namespace

void CheckDeclarations(CheckContext* context) {
  const v1::Policy& policy = context->policy();
  CheckSets(context);
  CheckBounds(context);
  CheckClasses(context);
  CheckFallback(context);
  CheckTimeZone(context);
  for (int i = 0; i < policy.require_verified_size(); ++i) {
    At at(context, "require_verified", i);
    if (policy.require_verified(i) == v1::ATTRIBUTE_UNSPECIFIED)
      context->Error("names no attribute", "such as `TEAM`");
  }
  {
    At at(context, "propagation");
    CheckNotNegative(policy.propagation().decay_per_hop(), "decay_per_hop", context);
    CheckNotNegative(policy.propagation().max_hops(), "max_hops", context);
  }
  At at(context, "stability");
  CheckNotNegative(policy.stability().min_change(), "min_change", context);
  CheckNotNegative(policy.stability().min_interval_seconds(), "min_interval_seconds", context);
  CheckNotNegative(policy.stability().max_changes_per_hour(), "max_changes_per_hour", context);
}

}  // namespace precedent::internal
