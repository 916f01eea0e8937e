// The attributes that metadata can give, as one table.
#ifndef PRECEDENT_SRC_ADAPTER_ATTRIBUTES_H_
#define PRECEDENT_SRC_ADAPTER_ATTRIBUTES_H_

#include <string_view>

#include "absl/status/status.h"
#include "precedent/span.h"
#include "precedent/v1/job.pb.h"

namespace precedent::adapter {

struct AttributeRow {
  // As MetadataKeys.attribute names it: a field of JobDescriptor or of its lineage.
  std::string_view name;
  // What is claimed when a value came from metadata.
  v1::Attribute attribute;
  // Default bare keys, in order, each tried with the prefix first; empty: none.
  std::string_view keys[2];
  // Default keys that are tried as they stand.
  std::string_view exact_key;
  // An empty text counts as absent, so the search goes on.
  bool empty_is_absent;
  // Reads `text` into the job; an error is a message that quotes it.
  absl::Status (*read)(std::string_view text, v1::JobDescriptor& job);
};

Span<const AttributeRow> Attributes();

}  // namespace precedent::adapter

#endif  // PRECEDENT_SRC_ADAPTER_ATTRIBUTES_H_
