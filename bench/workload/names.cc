#include "bench/workload/names.h"

#include <cstddef>

namespace precedent::bench {
namespace {

// `number` in at least `digits` digits after `start`.
std::string Numbered(const char* start, unsigned number, std::size_t digits) {
  std::string text = std::to_string(number);
  if (text.size() < digits) text.insert(0, digits - text.size(), '0');
  return start + text;
}

}  // namespace

std::string TeamName(unsigned team) { return Numbered("team-", team, 3); }

std::string OrganisationName(unsigned team) { return Numbered("org", team % kOrganisations, 2); }

std::string NamespaceName(unsigned team, const std::string& environment) {
  return OrganisationName(team) + "-" + TeamName(team) + "-" + environment;
}

std::string LabelKey(unsigned key) {
  constexpr const char* kKeys[kLabelKeys] = {"cost-center", "project", "model", "tier",
                                             "owner",       "region",  "queue", "sla"};
  return kKeys[key % kLabelKeys];
}

std::string PickWorkload(Random& random) {
  const unsigned percent = random.Below(100);
  if (percent < 45) return "training";
  if (percent < 75) return "inference";
  if (percent < 85) return "batch";
  if (percent < 95) return "notebook";
  return "evaluation";
}

std::string PickEnvironment(Random& random) {
  const unsigned percent = random.Below(100);
  if (percent < 35) return "production";
  if (percent < 55) return "staging";
  if (percent < 80) return "development";
  return "experimental";
}

std::string PickLabelValue(Random& random) { return Numbered("v", random.Skewed(200), 3); }

}  // namespace precedent::bench
