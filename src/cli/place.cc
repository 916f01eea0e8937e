#include "src/cli/place.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <string>

#include "absl/strings/numbers.h"

namespace precedent::cli {
namespace {

using internal::Node;

std::string Folded(std::string_view name) {
  std::string folded;
  for (const char c : name)
    if (c != '_') folded += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return folded;
}

// The `index`-th member with the name: text format repeats the name for a list.
const Node* Member(const Node& node, std::string_view name, std::size_t index) {
  if (!node.is_object()) return nullptr;
  if (index == 0)
    if (const Node* exact = node.Find(name)) return exact;
  const std::string folded = Folded(name);
  for (const Node& child : node.children)
    if ((child.key == name || Folded(child.key) == folded) && index-- == 0) return &child;
  return nullptr;
}

// Takes `["key"]` or `[3]` from the start of `path`; false if there is none.
bool TakeBracket(std::string_view& path, std::string* key, std::size_t* index, bool* quoted) {
  if (path.size() < 3 || path[0] != '[') return false;
  *quoted = path[1] == '"';
  const std::size_t end = *quoted ? path.find("\"]", 2) : path.find(']');
  if (end == std::string_view::npos) return false;
  *key = std::string(*quoted ? path.substr(2, end - 2) : path.substr(1, end - 1));
  path.remove_prefix(end + (*quoted ? 2 : 1));
  return *quoted || absl::SimpleAtoi(*key, index);
}

}  // namespace

const Node& FindPlace(const Node& root, std::string_view path) {
  const Node* place = &root;
  const Node* owner = nullptr;  // of the name that was taken last
  std::string name;
  while (!path.empty() && path[0] != ':') {
    std::string key;
    std::size_t index = 0;
    bool quoted = false;
    const Node* next = nullptr;
    if (path[0] == '[') {
      if (!TakeBracket(path, &key, &index, &quoted)) break;
      if (quoted)
        next = Member(*place, key, 0);
      else if (place->is_list())
        next = index < place->children.size() ? &place->children[index] : nullptr;
      else if (owner != nullptr)
        next = Member(*owner, name, index);
    } else {
      if (path[0] == '.') path.remove_prefix(1);
      const std::size_t end = std::min(path.find_first_of(".[:"), path.size());
      name = std::string(path.substr(0, end));
      path.remove_prefix(end);
      owner = place;
      next = Member(*place, name, 0);
    }
    if (next == nullptr) break;
    place = next;
  }
  return *place;
}

void SetPlace(Issue& issue, const Node& node) {
  const bool keyed = node.key_line != 0;
  issue.line = static_cast<int>(keyed ? node.key_line : node.line);
  issue.column = static_cast<int>(keyed ? node.key_column : node.column);
}

}  // namespace precedent::cli
