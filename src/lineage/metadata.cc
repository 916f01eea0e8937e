// Lineage as the labels, annotations and tags that the adapters read.
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "precedent/lineage_journal.h"

namespace precedent {

std::vector<std::pair<std::string, std::string>> LineageMetadata(const Lineage& lineage,
                                                                 std::string_view parent) {
  std::vector<std::pair<std::string, std::string>> all;
  const auto add = [&](absl::string_view name, std::string value) {
    all.emplace_back(absl::StrCat("precedent.dev/", name), std::move(value));
  };
  const auto count = [&](absl::string_view name, std::int64_t value) {
    if (value > 0) add(name, absl::StrCat(value));
  };
  if (!parent.empty()) add("parent-job-id", std::string(parent));
  count("failure-count", lineage.failure_count);
  count("preemption-count", lineage.preemption_count);
  count("infrastructure-failure-count", lineage.infrastructure_failure_count);
  count("attempt", lineage.attempt);
  count("depth", lineage.depth);
  if (lineage.retry_of_preempted) add("retry-of-preempted", "true");
  return all;
}

}  // namespace precedent
