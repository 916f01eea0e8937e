#include <algorithm>
#include <string>
#include <vector>

#include "google/protobuf/descriptor.h"
#include "src/policy/checks.h"

namespace precedent::internal {
namespace {

using google::protobuf::FieldDescriptor;

// By reflection: an attribute that is added to Match is checked without a line here.
// Maps come apart, as reflection would copy them.
int CheckAttributes(const google::protobuf::Message& message, CheckPatterns* patterns,
                    CheckContext* context) {
  std::vector<const FieldDescriptor*> fields;
  message.GetReflection()->ListFields(message, &fields);
  for (const FieldDescriptor* field : fields) {
    if (field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE || field->is_repeated()) continue;
    const google::protobuf::Message& part = message.GetReflection()->GetMessage(message, field);
    At at(context, field->name());
    if (field->message_type() == v1::TextMatch::descriptor()) {
      CheckText(static_cast<const v1::TextMatch&>(part), true, patterns, context);
    } else if (field->message_type() == v1::NumberMatch::descriptor()) {
      CheckNumber(static_cast<const v1::NumberMatch&>(part), field->name(), context);
    } else if (CheckAttributes(part, patterns, context) == 0) {
      context->Error("constrains nothing", "leave it out, or name one of its attributes");
    }
  }
  return static_cast<int>(fields.size());
}

// In the order of the keys, so that issues come in an order of their own.
template <typename Map>
std::vector<typename Map::const_pointer> SortedEntries(const Map& map) {
  std::vector<typename Map::const_pointer> entries;
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
