// What a message may hold that no text can say.
#ifndef PRECEDENT_SRC_POLICY_CHECK_MESSAGE_H_
#define PRECEDENT_SRC_POLICY_CHECK_MESSAGE_H_

#include <vector>

#include "google/protobuf/message.h"
#include "precedent/issue.h"

namespace precedent::internal {

// Adds an error for each unknown field, unknown enum number and text that is not
// UTF-8 or holds NUL. For messages that come from binary or from a program: proto3
// enums are open, and unknown fields are kept silently.
void CheckMessage(const google::protobuf::Message& message, std::vector<Issue>* issues);

}  // namespace precedent::internal

#endif  // PRECEDENT_SRC_POLICY_CHECK_MESSAGE_H_
