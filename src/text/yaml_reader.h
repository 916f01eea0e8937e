// YAML (1.2, core schema) to Node trees. Needs yaml-cpp; where the project is built
// without it, reading reports one problem that says so.
//
// What is not JSON in disguise is refused: duplicate keys, keys that are no strings,
// `.nan`, `.inf`, tags of other schemas, NUL, invalid UTF-8. `yes`, `no`, `on`, `off`
// and numbers of other dialects (`1_000`, `08`) are strings; a quoted scalar always
// is one. Aliases are copied, within ReadLimits::alias_values.
#ifndef PRECEDENT_SRC_TEXT_YAML_READER_H_
#define PRECEDENT_SRC_TEXT_YAML_READER_H_

#include <string_view>
#include <vector>

#include "precedent/issue.h"
#include "src/text/node.h"

namespace precedent::internal {

// All documents of a file, in order; documents with nothing in them are left out.
// A damaged document adds an issue, and reading goes on at the next `---` line.
std::vector<Document> ReadYaml(std::string_view bytes, std::vector<Issue>* problems,
                               const ReadLimits& limits = {});

}  // namespace precedent::internal

#endif  // PRECEDENT_SRC_TEXT_YAML_READER_H_
