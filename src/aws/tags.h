// Tags that carry a decision and its job's lineage.
#ifndef PRECEDENT_SRC_AWS_TAGS_H_
#define PRECEDENT_SRC_AWS_TAGS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "precedent/decision.h"
#include "precedent/v1/job.pb.h"
#include "src/adapter/options.h"
#include "src/json/document.h"
#include "src/json/object_editor.h"

namespace precedent::aws {

// Key and value, the most important first.
using Tags = std::vector<std::pair<std::string, std::string>>;

// `priority` is the one that is sent, or would be.
Tags DecisionTags(const Decision& decision, std::int32_t priority);

// Lineage of `job` that no tag of `tags` tells under any of its keys: it came from the
// definition, the environment or the parameters, and an event has none of these.
Tags LineageTags(const adapter::Options& options, const v1::JobDescriptor& job, json::Value tags);

// Sets `wanted` in the member `tags` of `request`, as far as Batch takes them: 50 tags
// together with those of the definition, keys and values of the characters and lengths
// that the API reference names. What is left out goes to `remarks`.
void SetTags(const Tags& wanted, json::Value request, json::Value definition,
             json::ObjectEditor& editor, std::vector<std::string>& remarks);

}  // namespace precedent::aws

#endif  // PRECEDENT_SRC_AWS_TAGS_H_
