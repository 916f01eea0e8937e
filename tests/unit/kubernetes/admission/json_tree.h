// Tree: JSON that a test can change, and a strict JSON Patch (RFC 6902) on it.
#ifndef PRECEDENT_TESTS_UNIT_KUBERNETES_ADMISSION_JSON_TREE_H_
#define PRECEDENT_TESTS_UNIT_KUBERNETES_ADMISSION_JSON_TREE_H_

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace precedent::kubernetes {

struct Tree {
  enum class Kind { kNull, kOther, kString, kList, kObject };
  Kind kind = Kind::kNull;
  std::string text;  // of a string, or the spelling of a number, true or false
  std::vector<Tree> items;
  std::vector<std::pair<std::string, Tree>> members;  // in order

  static Tree String(std::string text);
  static Tree Number(long long number);
  static Tree Object();

  // The member, or null where there is none.
  Tree* Find(std::string_view key);
  const Tree* Find(std::string_view key) const;
  // Find along a dotted path.
  const Tree* At(std::string_view dotted) const;
  std::string TextAt(std::string_view dotted) const;  // empty where there is none
  void Set(std::string_view key, Tree value);
  bool Erase(std::string_view key);

  bool operator==(const Tree& other) const;  // the order of members does not count
  std::string ToJson() const;
};

// Null where `json` is invalid.
Tree ParseTree(const std::string& json);

// Applies the patch, an array of operations, as an API server does: `remove` of what
// is not there, a missing parent and a failed `test` are errors. Empty, or the error.
std::string ApplyPatch(const std::string& patch, Tree* tree);

}  // namespace precedent::kubernetes

#endif  // PRECEDENT_TESTS_UNIT_KUBERNETES_ADMISSION_JSON_TREE_H_
