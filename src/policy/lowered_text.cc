#include "src/policy/lowered_text.h"

#include <algorithm>

namespace precedent::internal {
namespace {

template <typename List>
void SortUnique(List* list) {
  if (list->size() < 2) return;
  std::sort(list->begin(), list->end());
  list->erase(std::unique(list->begin(), list->end()), list->end());
}

}  // namespace

LoweredText LowerText(const v1::TextMatch& match, const ValueSets& sets, bool built_in) {
  LoweredText result;
  result.literals.assign(match.in().begin(), match.in().end());
  for (const std::string& name : match.in_set()) {
    const auto& values = sets.at(name)->values();
    result.literals.insert(result.literals.end(), values.begin(), values.end());
  }
  result.prefixes.assign(match.prefix().begin(), match.prefix().end());
  result.suffixes.assign(match.suffix().begin(), match.suffix().end());
  result.patterns.contains.assign(match.contains().begin(), match.contains().end());
  for (const std::string& regex : match.regex())
    for (LoweredPattern& pattern : LowerPattern(regex))
      result.patterns_lowered.push_back(std::move(pattern));
  for (const LoweredPattern& pattern : result.patterns_lowered) {
    switch (pattern.kind) {
      case LoweredPattern::kLiteral: result.literals.push_back(pattern.text); break;
      case LoweredPattern::kPrefix: result.prefixes.push_back(pattern.text); break;
      case LoweredPattern::kSuffix: result.suffixes.push_back(pattern.text); break;
      case LoweredPattern::kContains: result.patterns.contains.push_back(pattern.text); break;
      case LoweredPattern::kRegex: result.patterns.regexes.push_back(pattern.text); break;
    }
  }
  result.has_alternatives = match.in_size() + match.in_set_size() + match.prefix_size() +
                                match.suffix_size() + match.contains_size() + match.regex_size() >
                            0;
  result.excluded.assign(match.not_in().begin(), match.not_in().end());
  result.present_holds = !match.has_present() || match.present();
  result.absent_holds = match.has_present() ? !match.present() : !result.has_alternatives;

  for (auto* list : {&result.literals, &result.prefixes, &result.suffixes, &result.excluded})
    SortUnique(list);
  SortUnique(&result.patterns.contains);
  SortUnique(&result.patterns.regexes);
  if (built_in) {
    // No built-in text is present and empty.
    for (auto* list : {&result.literals, &result.excluded})
      if (!list->empty() && list->front().empty()) list->erase(list->begin());
  }
  return result;
}

}  // namespace precedent::internal
