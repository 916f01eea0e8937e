// Protobuf text format (txtpb) to a Node tree.
//
// The tree is made without the schema: a field that stands several times is several
// members with one key, a map is a repeated message of `key` and `value`, and enum
// names are words. FillMessage reads such a tree with Dialect::kText. Extensions and
// Any (`[type]` in place of a field name) are refused: no message here has them.
#ifndef PRECEDENT_SRC_TEXT_TEXTPROTO_READER_H_
#define PRECEDENT_SRC_TEXT_TEXTPROTO_READER_H_

#include <string_view>
#include <vector>

#include "precedent/issue.h"
#include "src/text/node.h"

namespace precedent::internal {

// The root is an object. After a syntax error reading goes on at the next field, so
// that one slip does not hide the others; each adds an issue, at most 20.
Document ReadTextProto(std::string_view bytes, std::vector<Issue>* problems,
                       const ReadLimits& limits = {});

}  // namespace precedent::internal

#endif  // PRECEDENT_SRC_TEXT_TEXTPROTO_READER_H_
