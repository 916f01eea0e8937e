// Messages as lines of JSON.
#ifndef PRECEDENT_SRC_CLI_PROTO_JSON_H_
#define PRECEDENT_SRC_CLI_PROTO_JSON_H_

#include <string>

#include "google/protobuf/message.h"

namespace precedent::cli {

// The message as proto3 JSON on one line, without a line break at the end. Default
// values are printed; an absent `optional` field or message is left out, so that it
// is still absent when the line is read again.
std::string JsonLine(const google::protobuf::Message& message);

}  // namespace precedent::cli

#endif  // PRECEDENT_SRC_CLI_PROTO_JSON_H_
