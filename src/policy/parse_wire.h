// Protobuf's wire format, with every problem told.
#ifndef PRECEDENT_SRC_POLICY_PARSE_WIRE_H_
#define PRECEDENT_SRC_POLICY_PARSE_WIRE_H_

#include <string_view>
#include <vector>

#include "google/protobuf/message.h"
#include "precedent/issue.h"

namespace precedent::internal {

// Walks the bytes along the descriptor before protobuf parses them into `*message`:
// protobuf keeps unknown fields silently, says nothing about where damage is, and
// prints to standard error about invalid UTF-8. Unknown fields, wrong wire types,
// invalid UTF-8, NUL in texts, truncation and more than 100 levels are errors with
// the path and the offset. Linear in the bytes.
void ParseWire(std::string_view bytes, google::protobuf::Message* message,
               std::vector<Issue>* issues);

}  // namespace precedent::internal

#endif  // PRECEDENT_SRC_POLICY_PARSE_WIRE_H_
