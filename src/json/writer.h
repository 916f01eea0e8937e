// Pieces of JSON text.
#ifndef PRECEDENT_SRC_JSON_WRITER_H_
#define PRECEDENT_SRC_JSON_WRITER_H_

#include <string>
#include <string_view>

namespace precedent::json {

// `text` as a JSON string with its quotes, appended to `*out`. REQUIRES: UTF-8.
void AppendString(std::string_view text, std::string* out);

// `"key":` after a comma, unless an object or a list begins there.
void AppendKey(std::string_view key, std::string* out);

// `"key":"text"`, with a comma as AppendKey.
void AppendMember(std::string_view key, std::string_view text, std::string* out);

}  // namespace precedent::json

#endif  // PRECEDENT_SRC_JSON_WRITER_H_
