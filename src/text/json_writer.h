// A Node tree as JSON text.
#ifndef PRECEDENT_SRC_TEXT_JSON_WRITER_H_
#define PRECEDENT_SRC_TEXT_JSON_WRITER_H_

#include <string>
#include <string_view>

#include "src/text/node.h"

namespace precedent::internal {

// Compact, on one line. Numbers keep their spelling where it is JSON; YAML's other
// spellings (`+1`, `.5`, `0x1f`, `0o17`) become JSON ones of the same value. Not
// meant for trees of protobuf text, whose keys may stand twice.
std::string WriteJson(const Node& node);

// `text` as a JSON string with its quotes, appended to `*json`. REQUIRES: UTF-8.
void AppendJsonString(std::string_view text, std::string* json);

}  // namespace precedent::internal

#endif  // PRECEDENT_SRC_TEXT_JSON_WRITER_H_
