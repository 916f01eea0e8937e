#include <unordered_set>

#include "src/policy/checks.h"

namespace precedent::internal {
namespace {

using Texts = google::protobuf::RepeatedPtrField<std::string>;

bool HasLists(const v1::TextMatch& text) {
  return text.in_size() + text.in_set_size() + text.prefix_size() + text.suffix_size() +
             text.contains_size() + text.regex_size() + text.not_in_size() >
         0;
}

void CheckLength(const Texts& list, std::string_view name, CheckContext* context) {
  const auto size = static_cast<std::size_t>(list.size());
  if (size <= context->limits().set_members) return;
  At at(context, name);
  context->LimitError("the list has", size, "values", context->limits().set_members,
                      "set_members");
}

// Whether some text can equal one of `values` and none of `excluded`. Stops at the
// first; gives the benefit of the doubt to a list of very many excluded values.
bool SomeValueCounts(const Texts& values, bool built_in,
                     const std::unordered_set<std::string_view>& excluded) {
  constexpr int kEnough = 10'000;
  for (int i = 0; i < values.size(); ++i) {
    if (i == kEnough) return true;
    if (!(built_in && values[i].empty()) && excluded.count(values[i]) == 0) return true;
  }
  return false;
}

// True if the lists leave no text that matches. Patterns are taken for satisfiable.
bool IsDead(const v1::TextMatch& text, bool built_in, const CheckContext& context) {
  if (text.prefix_size() + text.suffix_size() + text.contains_size() + text.regex_size() > 0)
    return false;
  if (text.in_size() + text.in_set_size() == 0) return false;
  const std::unordered_set<std::string_view> excluded(text.not_in().begin(), text.not_in().end());
  if (SomeValueCounts(text.in(), built_in, excluded)) return false;
  for (const std::string& name : text.in_set()) {
    const v1::ValueSet* set = context.FindSet(name);
    if (set == nullptr || SomeValueCounts(set->values(), built_in, excluded)) return false;
  }
  return true;
}

}  // namespace

void CheckText(const v1::TextMatch& text, bool built_in, CheckPatterns* patterns,
               CheckContext* context) {
  if (!HasLists(text) && !text.has_present()) {
    context->Error("constrains nothing", "give `in`, `not_in`, `present` or another list");
    return;
  }
  if (text.has_present() && !text.present() && HasLists(text)) {
    context->Error("`present: false` stands beside another constraint",
                   "an absent text has no value to compare");
    return;
  }
  CheckLength(text.in(), "in", context);
  CheckLength(text.in_set(), "in_set", context);
  CheckLength(text.prefix(), "prefix", context);
  CheckLength(text.suffix(), "suffix", context);
  CheckLength(text.contains(), "contains", context);
  CheckLength(text.regex(), "regex", context);
  CheckLength(text.not_in(), "not_in", context);
  for (int i = 0; i < text.in_set_size(); ++i) {
    At at(context, "in_set", i);
    context->CheckSetName(text.in_set(i));
  }
  for (int i = 0; i < text.regex_size(); ++i) {
    At at(context, "regex", i);
    patterns->Check(text.regex(i), context);
  }
  if (IsDead(text, built_in, *context)) {
    context->Warning("can never hold: every value is excluded, or empty and so never present");
    return;
  }
  if (!built_in) return;
  for (int i = 0; i < text.in_size(); ++i) {
    if (!text.in(i).empty()) continue;
    At at(context, "in", i);
    context->Warning("an empty text counts as absent, so nothing equals it",
                     "a Match with `present: false` means absent");
  }
}

}  // namespace precedent::internal
