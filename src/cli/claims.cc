#include "src/cli/claims.h"

#include <set>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "src/adapter/decide.h"

namespace precedent::cli {
namespace {

using Attributes = std::set<v1::Attribute>;

// What the adapters read from metadata that the submitter writes.
Attributes Claimable(const v1::Policy& policy, const v1::AdapterOptions& options) {
  Attributes claimable = {v1::TEAM,
                          v1::WORKLOAD_TYPE,
                          v1::ENVIRONMENT,
                          v1::DATASET_BYTES,
                          v1::MAX_RUNTIME_SECONDS,
                          v1::CHECKPOINT_INTERVAL_SECONDS,
                          v1::PREEMPTIBLE,
                          v1::LINEAGE,
                          v1::LABELS};
  for (const v1::Binding& binding : options.bindings()) claimable.erase(binding.attribute());
  for (const int attribute : policy.require_verified())
    claimable.erase(static_cast<v1::Attribute>(attribute));
  return claimable;
}

template <typename TextOrNumber>
bool AsksForValue(bool has, const TextOrNumber& match) {
  return has && !(match.has_present() && !match.present());
}

// The attributes whose claims can make the match hold.
Attributes AskedFor(const v1::Match& match) {
  Attributes asked;
  const auto add = [&](bool asks, v1::Attribute attribute) {
    if (asks) asked.insert(attribute);
  };
  add(AsksForValue(match.has_team(), match.team()), v1::TEAM);
  add(AsksForValue(match.has_workload_type(), match.workload_type()), v1::WORKLOAD_TYPE);
  add(AsksForValue(match.has_environment(), match.environment()), v1::ENVIRONMENT);
  add(AsksForValue(match.has_dataset_bytes(), match.dataset_bytes()), v1::DATASET_BYTES);
  add(AsksForValue(match.has_max_runtime_seconds(), match.max_runtime_seconds()),
      v1::MAX_RUNTIME_SECONDS);
  add(AsksForValue(match.has_checkpoint_interval_seconds(), match.checkpoint_interval_seconds()),
      v1::CHECKPOINT_INTERVAL_SECONDS);
  add(match.preemptible(), v1::PREEMPTIBLE);
  add(match.has_lineage(), v1::LINEAGE);
  for (const auto& [key, text] : match.labels()) add(AsksForValue(true, text), v1::LABELS);
  return asked;
}

// The attribute that add_scaled is paid for; ATTRIBUTE_UNSPECIFIED for metrics.
v1::Attribute SourceAttribute(const v1::ScaledAdd& scaled) {
  switch (scaled.of()) {
    case v1::ScaledAdd::GPU_COUNT:
      return v1::GPU_COUNT;
    case v1::ScaledAdd::POD_COUNT:
      return v1::POD_COUNT;
    case v1::ScaledAdd::DATASET_BYTES:
      return v1::DATASET_BYTES;
    case v1::ScaledAdd::MAX_RUNTIME_SECONDS:
      return v1::MAX_RUNTIME_SECONDS;
    case v1::ScaledAdd::CHECKPOINT_INTERVAL_SECONDS:
      return v1::CHECKPOINT_INTERVAL_SECONDS;
    case v1::ScaledAdd::WAIT_SECONDS:
      return v1::WAIT_SECONDS;
    case v1::ScaledAdd::SOURCE_UNSPECIFIED:
      return v1::ATTRIBUTE_UNSPECIFIED;
    default:
      return v1::LINEAGE;
  }
}

bool CanBeAboveZero(const v1::ScaledAdd& scaled) {
  if (scaled.has_max() && scaled.max() <= 0) return false;
  const bool negative_source = scaled.of() == v1::ScaledAdd::REPORTED_PRIORITY ||
                               scaled.source_case() == v1::ScaledAdd::kMetric;
  return scaled.points() > 0 || scaled.min() > 0 || (negative_source && scaled.points() < 0);
}

bool CanRaise(const v1::Rule& rule, std::int32_t floor) {
  if (rule.has_priority_class()) return true;
  switch (rule.score_case()) {
    case v1::Rule::kSet:
      return rule.set() > floor;
    case v1::Rule::kAdd:
      return rule.add() > 0;
    case v1::Rule::kAddScaled:
      return CanBeAboveZero(rule.add_scaled());
    case v1::Rule::kAtLeast:
      return rule.at_least() > floor;
    case v1::Rule::kAtMost:
      return false;
    case v1::Rule::SCORE_NOT_SET:
      return false;
  }
  return false;
}

}  // namespace

std::vector<Issue> ClaimNotes(const v1::Policy& policy, const v1::AdapterOptions& options) {
  const Attributes claimable = Claimable(policy, options);
  std::vector<Issue> notes;
  for (int s = 0; s < policy.stages_size(); ++s) {
    for (int r = 0; r < policy.stages(s).rules_size(); ++r) {
      const v1::Rule& rule = policy.stages(s).rules(r);
      if (!CanRaise(rule, policy.bounds().min())) continue;
      Attributes used;
      for (const v1::Match& match : rule.when())
        for (const v1::Attribute attribute : AskedFor(match))
          if (claimable.count(attribute) != 0) used.insert(attribute);
      if (rule.score_case() == v1::Rule::kAddScaled &&
          claimable.count(SourceAttribute(rule.add_scaled())) != 0)
        used.insert(SourceAttribute(rule.add_scaled()));
      if (used.empty()) continue;
      Issue note;
      note.severity = Severity::kNote;
      note.path = absl::StrCat("stages[", s, "].rules[", r, "]");
      note.message =
          absl::StrCat("`", rule.id(), "` can raise a priority on a claimed value: ",
                       absl::StrJoin(used, ", ", [](std::string* out, v1::Attribute attribute) {
                         out->append(adapter::AttributeName(attribute));
                       }));
      note.hint = "list it in require_verified, or bind it in the adapter options";
      notes.push_back(std::move(note));
    }
  }
  return notes;
}

}  // namespace precedent::cli
