// The attributes of a Match as lists, for generators: fields of Match, LineageMatch
// and JobDescriptor that have the same name are the same attribute.
#ifndef PRECEDENT_TESTS_DIFFERENTIAL_FIELDS_H_
#define PRECEDENT_TESTS_DIFFERENTIAL_FIELDS_H_

#include <string>
#include <vector>

#include "google/protobuf/message.h"
#include "precedent/v1/job.pb.h"
#include "precedent/v1/policy.pb.h"

namespace precedent::differential {

// team, workload_type, ...
const std::vector<std::string>& TextAttributes();
// gpu_count, ...: the numbers of JobDescriptor itself, so no wait, hour or day.
const std::vector<std::string>& NumberAttributes();
// failure_count, ...: the numbers of Lineage.
const std::vector<std::string>& LineageNumbers();

// The field `name` of `match`, which is a Match or a LineageMatch.
v1::TextMatch* MutableText(v1::Match* match, const std::string& name);
v1::NumberMatch* MutableNumber(google::protobuf::Message* match, const std::string& name);

// The field `name` of `facts`, a JobDescriptor or Lineage.
void SetText(v1::JobDescriptor* facts, const std::string& name, const std::string& value);
void SetNumber(google::protobuf::Message* facts, const std::string& name, double value);

}  // namespace precedent::differential

#endif  // PRECEDENT_TESTS_DIFFERENTIAL_FIELDS_H_
