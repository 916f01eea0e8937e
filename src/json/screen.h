// Screen: a quick look at a parsed text for what the parser lets pass.
#ifndef PRECEDENT_SRC_JSON_SCREEN_H_
#define PRECEDENT_SRC_JSON_SCREEN_H_

#include <simdjson.h>

#include <string_view>

namespace precedent::json {

// Whether the text is free of keys that are given twice in an object, of NUL in a
// text or a key, and of nesting beyond kMaxDepth. True is certain; false is a
// suspicion that a closer look has to confirm. Nearly every text is clean, and this takes
// a fraction of what the closer look takes. Linear, whatever the keys are.
bool IsClean(std::string_view text, simdjson::dom::element root);

}  // namespace precedent::json

#endif  // PRECEDENT_SRC_JSON_SCREEN_H_
