// Strict JSON (RFC 8259) to a Node tree.
//
// Stricter than the RFC where readers disagree and a policy could mean two things:
// duplicate keys, `\u0000`, lone surrogates, invalid UTF-8, a byte order mark and
// anything after the value are errors. Linear in the bytes.
#ifndef PRECEDENT_SRC_TEXT_JSON_READER_H_
#define PRECEDENT_SRC_TEXT_JSON_READER_H_

#include <optional>
#include <string_view>
#include <vector>

#include "precedent/issue.h"
#include "src/text/node.h"

namespace precedent::internal {

// One JSON value with nothing but white space around it. On error empty, with the
// first problem, its line and its column in `*problem`.
std::optional<Document> ReadJson(std::string_view bytes, Issue* problem,
                                 const ReadLimits& limits = {});

// Any number of JSON values after each other: one a line, or concatenated with
// white space or nothing between. After a damaged value, reading goes on at the
// next line that begins with `{`; each damaged one adds an issue. Lines count from
// the start of the bytes.
std::vector<Document> ReadJsonValues(std::string_view bytes, std::vector<Issue>* problems,
                                     const ReadLimits& limits = {});

}  // namespace precedent::internal

#endif  // PRECEDENT_SRC_TEXT_JSON_READER_H_
