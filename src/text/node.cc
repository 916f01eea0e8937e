#include "src/text/node.h"

#include <cstring>

namespace precedent::internal {

const Node* Node::Find(std::string_view name) const {
  if (kind != Kind::kObject) return nullptr;
  for (const Node& child : children)
    if (child.key == name) return &child;
  return nullptr;
}

std::string_view KindName(Node::Kind kind) {
  switch (kind) {
    case Node::Kind::kNull: return "null";
    case Node::Kind::kBoolean: return "a boolean";
    case Node::Kind::kNumber: return "a number";
    case Node::Kind::kString: return "a string";
    case Node::Kind::kWord: return "a word";
    case Node::Kind::kList: return "a list";
    case Node::Kind::kObject: return "an object";
  }
  return "a value";
}

std::string_view TextStore::Keep(std::string_view text) {
  if (text.empty()) return {};
  if (text.size() > left_) {
    // A long text gets a block of its own, so that the rest of the last one is not lost.
    constexpr std::size_t kBlock = 64 << 10;
    if (text.size() > kBlock / 4) {
      blocks_.push_back(std::make_unique<char[]>(text.size()));
      std::memcpy(blocks_.back().get(), text.data(), text.size());
      return {blocks_.back().get(), text.size()};
    }
    blocks_.push_back(std::make_unique<char[]>(kBlock));
    free_ = blocks_.back().get();
    left_ = kBlock;
  }
  char* kept = free_;
  std::memcpy(kept, text.data(), text.size());
  free_ += text.size();
  left_ -= text.size();
  return {kept, text.size()};
}

}  // namespace precedent::internal
