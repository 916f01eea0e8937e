// Patch: a JSON Patch (RFC 6902) against one object.
#ifndef PRECEDENT_SRC_KUBERNETES_PATCH_H_
#define PRECEDENT_SRC_KUBERNETES_PATCH_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/json/document.h"

namespace precedent::kubernetes {

// An API server answers 500 to a patch that does not apply, whatever the failure
// policy. So every operation is made of what the object has: nothing is removed that
// is not there, and no member is added to a parent that is not.
class Patch {
 public:
  // Texts by key, in the order given.
  using Members = std::vector<std::pair<std::string_view, std::string>>;

  // `root`: the object; all other values are read out of it.
  explicit Patch(json::Value root) : root_(root) {}

  // Sets a member of `parent`, which must be an object: `add` also replaces.
  void Set(json::Value parent, std::string_view key, std::string_view text);
  // As well where `parent` is missing in an object that is there: it is added.
  void Set(json::Value parent, std::string_view key, std::int64_t number);
  // Removes a member where there is one, be it null.
  void Remove(json::Value parent, std::string_view key);
  // Sets labels and annotations in the metadata of `owner`, which must be an object.
  // A map, or all of the metadata, that is missing or null is added in one operation;
  // one that is there keeps its other members. Members that have their value already
  // are left out.
  void SetMetadata(json::Value owner, const Members& labels, const Members& annotations);

  // The array of operations; empty where there are none.
  std::string Finish() &&;

 private:
  // The start of an operation on a member of `parent`, or on `parent` itself where `key`
  // is empty (no member that is patched has an empty name).
  void Begin(std::string_view operation, json::Value parent, std::string_view key);
  void Add(json::Value parent, std::string_view key, std::string_view json);
  void SetMap(json::Value metadata, std::string_view name, const Members& members);

  json::Value root_;
  std::string operations_;
  std::string pointer_;  // of the operation that is being written
};

}  // namespace precedent::kubernetes

#endif  // PRECEDENT_SRC_KUBERNETES_PATCH_H_
