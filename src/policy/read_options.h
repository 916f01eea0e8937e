// Messages of options out of a file's bytes, with every mistake reported.
#ifndef PRECEDENT_SRC_POLICY_READ_OPTIONS_H_
#define PRECEDENT_SRC_POLICY_READ_OPTIONS_H_

#include <string_view>
#include <vector>

#include "google/protobuf/message.h"
#include "precedent/issue.h"

namespace precedent::internal {

// Text format, JSON or YAML, by content, into `*message`, which is empty. An empty file is
// an error; `{}` is the default. Adds to `*issues`; true where none of them is an error.
bool ReadOptions(std::string_view bytes, google::protobuf::Message* message,
                 std::vector<Issue>* issues);

}  // namespace precedent::internal

#endif  // PRECEDENT_SRC_POLICY_READ_OPTIONS_H_
