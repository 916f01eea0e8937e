// Path: where in a document something is, for messages.
#ifndef PRECEDENT_SRC_JSON_PATH_H_
#define PRECEDENT_SRC_JSON_PATH_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace precedent::json {

// One step down from `parent` (null: the document itself). A chain of these is
// built while reading and costs nothing but its memory; it becomes text only when
// there is something to report.
struct PathStep {
  const PathStep* parent = nullptr;
  // The member's name, or, where `index` is not kNoIndex, none.
  std::string_view key;
  std::size_t index = kNoIndex;

  static constexpr std::size_t kNoIndex = static_cast<std::size_t>(-1);
};

// `spec.containers[0].resources.limits["nvidia.com/gpu"]`; empty for the document
// itself. Names that are no identifiers stand in brackets and quotes.
std::string PathText(const PathStep* step);

// Appends to `*pointer` the JSON Pointer (RFC 6901) of a place below `root` (null: the
// document itself), as seen from there: `/spec/containers/0`; nothing for `root` itself.
// In a name, `~` is written `~0` and `/` then `~1`. Recursive: a document's depth is
// bounded.
void AppendPointer(const PathStep* step, const PathStep* root, std::string* pointer);

// Whether two chains of steps lead to one place.
bool IsSamePlace(const PathStep* a, const PathStep* b);

// `name` as one step of a JSON Pointer, with its `/`, appended to `*pointer`.
void AppendPointerStep(std::string_view name, std::string* pointer);

// `text` fit to stand in a one-line message: control characters and invalid UTF-8
// escaped, long texts cut and marked with `...`.
std::string Printable(std::string_view text);

}  // namespace precedent::json

#endif  // PRECEDENT_SRC_JSON_PATH_H_
