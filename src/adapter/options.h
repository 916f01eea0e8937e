// AdapterOptions, checked and turned into tables that a call can use without
// walking a protobuf map.
#ifndef PRECEDENT_SRC_ADAPTER_OPTIONS_H_
#define PRECEDENT_SRC_ADAPTER_OPTIONS_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/container/inlined_vector.h"
#include "absl/status/statusor.h"
#include "precedent/span.h"
#include "precedent/v1/adapter.pb.h"
#include "src/adapter/attributes.h"
#include "src/adapter/devices.h"
#include "src/adapter/wildcard.h"

namespace precedent::adapter {

// Where one attribute is read from, in order.
struct AttributeKeys {
  const AttributeRow* row;
  std::vector<std::string> keys;
  // The same keys as names of environment variables: `PRECEDENT_DEV_TEAM`, `TEAM`.
  std::vector<std::string> variables;
};

// A key of an attribute: which of Options::attributes, and its place among their keys.
struct KeyUse {
  std::size_t attribute;
  std::size_t place;
};
using KeyTable = absl::flat_hash_map<std::string, absl::InlinedVector<KeyUse, 1>>;

struct Binding {
  std::optional<Wildcard> namespace_name;
  std::string user_group;  // empty: any
  v1::Attribute attribute;
  std::string value;
};

struct Options {
  std::vector<AttributeKeys> attributes;  // only those that have keys
  // The same the other way round: a job has fewer keys than the attributes have.
  KeyTable by_key;
  KeyTable by_variable;
  absl::flat_hash_set<std::string> preemptible_classes;
  DeviceTable devices;
  std::vector<Binding> bindings;
  // Keys that are no labels of the descriptor: kubectl's copy of the whole object,
  // and what the adapters write, since a decision must not depend on itself.
  absl::flat_hash_set<std::string> no_labels;
  // Bit 1 << Target; never 0.
  unsigned targets = 0;
  bool devices_only = true;
  absl::flat_hash_set<std::string> trusted_controllers;
  v1::Fallback fallback;
  std::string tier_label;  // empty: none
  bool deny_undecodable = false;

  bool Writes(v1::AdapterOptions::Target target) const { return (targets >> target & 1) != 0; }

  // INVALID_ARGUMENT names the option: `bindings[1].value: ...`.
  static absl::StatusOr<Options> Create(const v1::AdapterOptions& options);

  bool IsPreemptibleClass(std::string_view name) const;
  bool IsTrustedController(std::string_view user) const;
};

// `precedent.dev/max-duration` -> `PRECEDENT_DEV_MAX_DURATION`.
std::string UpperSnake(std::string_view key);

}  // namespace precedent::adapter

#endif  // PRECEDENT_SRC_ADAPTER_OPTIONS_H_
