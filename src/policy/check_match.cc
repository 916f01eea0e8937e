#include <algorithm>
#include <string_view>

#include "absl/container/inlined_vector.h"
#include "src/policy/attributes.h"
#include "src/policy/checks.h"

namespace precedent::internal {
namespace {

// All but labels and metrics. Returns how many fields are set.
int CheckAttributes(const v1::Match& match, CheckPatterns* patterns, CheckContext* context) {
  int count = 0;
  for (const TextAttribute& attribute : kTextAttributes) {
    if (!(match.*attribute.has)()) continue;
    ++count;
    At at(context, attribute.name);
    CheckText((match.*attribute.get)(), true, patterns, context);
  }
  const auto check_number = [&](const v1::NumberMatch& number, std::string_view name) {
    ++count;
    At at(context, name);
    CheckNumber(number, name, context);
  };
  for (const NumberAttribute& attribute : kNumberAttributes)
    if (attribute.has != nullptr && (match.*attribute.has)())
      check_number((match.*attribute.get)(), attribute.name);
  for (const TimeAttribute& attribute : kTimeAttributes)
    if ((match.*attribute.has)()) check_number((match.*attribute.get)(), attribute.name);
  count += match.has_preemptible();
  if (match.has_lineage()) {
    const int others = count;
    At at(context, "lineage");
    for (const NumberAttribute& attribute : kNumberAttributes)
      if (attribute.has == nullptr && attribute.In(match) != nullptr)
        check_number(*attribute.In(match), attribute.name);
    count += match.lineage().has_retry_of_preempted();
    if (count == others) {
      ++count;
      context->Error("constrains nothing", "leave it out, or name one of its attributes");
    }
  }
  return count + match.labels_size() + match.metrics_size();
}

// In the order of the keys, so that issues come in an order of their own.
template <typename Map>
absl::InlinedVector<typename Map::const_pointer, 4> SortedEntries(const Map& map) {
  absl::InlinedVector<typename Map::const_pointer, 4> entries;
  for (const auto& entry : map) entries.push_back(&entry);
  std::sort(entries.begin(), entries.end(),
            [](const auto* a, const auto* b) { return a->first < b->first; });
  return entries;
}

}  // namespace

void CheckMatch(const v1::Match& match, CheckPatterns* patterns, CheckContext* context) {
  if (CheckAttributes(match, patterns, context) == 0) {
    context->Error("constrains nothing",
                   "leave `when` out if the rule is for every job, or name an attribute");
    return;
  }
  for (const auto* entry : SortedEntries(match.labels())) {
    AtKey at(context, "labels", entry->first);
    CheckText(entry->second, false, patterns, context);
  }
  for (const auto* entry : SortedEntries(match.metrics())) {
    AtKey at(context, "metrics", entry->first);
    CheckNumber(entry->second, "", context);
  }
}

}  // namespace precedent::internal
