#include "src/adapter/options.h"

#include <cmath>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "src/adapter/keys.h"
#include "src/json/path.h"

namespace precedent::adapter {
namespace {

constexpr char kDefaultPrefix[] = "precedent.dev/";
constexpr char kDefaultPreemptibleClass[] = "preemptible";

absl::Status Error(const std::string& path, const std::string& message) {
  return absl::InvalidArgumentError(absl::StrCat(path, ": ", message));
}

const AttributeRow* FindRow(std::string_view name) {
  for (const AttributeRow& row : Attributes()) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

std::vector<std::string> DefaultKeys(const AttributeRow& row, const std::string& prefix) {
  std::vector<std::string> keys;
  for (const bool with_prefix : {true, false}) {
    if (with_prefix && prefix.empty()) continue;
    for (const std::string_view key : row.keys) {
      if (!key.empty()) keys.push_back((with_prefix ? prefix : "") + std::string(key));
    }
  }
  if (!row.exact_key.empty()) keys.emplace_back(row.exact_key);
  return keys;
}

absl::Status ReadKeys(const v1::AdapterOptions& options, Options& out) {
  absl::flat_hash_map<const AttributeRow*, const v1::MetadataKeys*> given;
  for (int i = 0; i < options.keys_size(); ++i) {
    const v1::MetadataKeys& entry = options.keys(i);
    const std::string path = absl::StrCat("keys[", i, "]");
    const AttributeRow* row = FindRow(entry.attribute());
    if (row == nullptr) {
      std::vector<absl::string_view> known;
      for (const AttributeRow& r : Attributes()) known.emplace_back(r.name.data(), r.name.size());
      return Error(path + ".attribute",
                   absl::StrCat("`", json::Printable(entry.attribute()),
                                "` is no attribute that metadata can give (one of ",
                                absl::StrJoin(known, ", "), ")"));
    }
    if (!given.emplace(row, &entry).second) {
      return Error(path + ".attribute", absl::StrCat("`", entry.attribute(),
                                                     "` is listed twice; give all its keys once"));
    }
    if (entry.keys().empty()) return Error(path + ".keys", "give at least one key");
    for (int j = 0; j < entry.keys_size(); ++j) {
      if (entry.keys(j).empty()) return Error(absl::StrCat(path, ".keys[", j, "]"), "is empty");
    }
  }
  const std::string prefix = options.has_key_prefix() ? options.key_prefix() : kDefaultPrefix;
  for (const AttributeRow& row : Attributes()) {
    AttributeKeys keys;
    keys.row = &row;
    const auto it = given.find(&row);
    if (it != given.end()) {
      keys.keys.assign(it->second->keys().begin(), it->second->keys().end());
    } else {
      keys.keys = DefaultKeys(row, prefix);
    }
    if (keys.keys.empty()) continue;
    const std::size_t attribute = out.attributes.size();
    for (std::size_t i = 0; i < keys.keys.size(); ++i) {
      keys.variables.push_back(UpperSnake(keys.keys[i]));
      out.by_key[keys.keys[i]].push_back({attribute, i});
      out.by_variable[keys.variables[i]].push_back({attribute, i});
    }
    out.attributes.push_back(std::move(keys));
  }
  return absl::OkStatus();
}

absl::Status ReadBindings(const v1::AdapterOptions& options, Options& out) {
  for (int i = 0; i < options.bindings_size(); ++i) {
    const v1::Binding& entry = options.bindings(i);
    const std::string path = absl::StrCat("bindings[", i, "]");
    Binding binding;
    if (!entry.namespace_().empty()) {
      binding.namespace_name.emplace(entry.namespace_());
    }
    binding.user_group = entry.user_group();
    if (entry.attribute() != v1::TEAM && entry.attribute() != v1::ENVIRONMENT) {
      return Error(path + ".attribute", "only TEAM and ENVIRONMENT can be bound");
    }
    if (entry.value().empty()) return Error(path + ".value", "is empty");
    binding.attribute = entry.attribute();
    binding.value = entry.value();
    out.bindings.push_back(std::move(binding));
  }
  return absl::OkStatus();
}

absl::Status ReadDevices(const v1::AdapterOptions& options, Options& out) {
  for (const auto& [name, weight] : options.device_weights()) {
    const std::string path = absl::StrCat("device_weights[\"", json::Printable(name), "\"]");
    if (name.empty()) return Error(path, "a resource name is empty");
    if (!std::isfinite(weight) || weight < 0) {
      return Error(path, absl::StrCat("`", weight, "` is no weight; give a number of 0 or more"));
    }
    out.devices.SetWeight(name, weight);
  }
  for (int i = 0; i < options.not_devices_size(); ++i) {
    if (options.not_devices(i).empty()) {
      return Error(absl::StrCat("not_devices[", i, "]"), "is empty");
    }
  }
  if (!options.not_devices().empty()) {
    out.devices.SetNotDevices({options.not_devices().begin(), options.not_devices().end()});
  }
  return absl::OkStatus();
}

// Options that only one of the adapters uses are checked by all, so that a file of
// options is right or wrong for every command.
absl::Status CheckTheRest(const v1::AdapterOptions& options) {
  for (const auto& [type, gpus] : options.instance_gpus()) {
    if (type.empty() || gpus < 0) {
      return Error(absl::StrCat("instance_gpus[\"", json::Printable(type), "\"]"),
                   "give an instance type and a number of 0 or more");
    }
  }
  return absl::OkStatus();
}

// What Kubernetes itself runs in kube-system.
constexpr const char* kDefaultControllers[] = {
    "system:serviceaccount:kube-system:cronjob-controller",
    "system:serviceaccount:kube-system:daemon-set-controller",
    "system:serviceaccount:kube-system:deployment-controller",
    "system:serviceaccount:kube-system:job-controller",
    "system:serviceaccount:kube-system:replicaset-controller",
    "system:serviceaccount:kube-system:statefulset-controller",
};

absl::Status ReadTargets(const v1::AdapterOptions& options, Options& out) {
  for (int i = 0; i < options.targets_size(); ++i) {
    const auto target = options.targets(i);
    if (target == v1::AdapterOptions::TARGET_UNSPECIFIED ||
        !v1::AdapterOptions::Target_IsValid(target)) {
      return Error(absl::StrCat("targets[", i, "]"), "is no known target");
    }
    out.targets |= 1u << target;
  }
  if (out.targets == 0) out.targets = 1u << v1::AdapterOptions::PRIORITY_CLASS;
  const bool class_label = out.Writes(v1::AdapterOptions::KUEUE_PRIORITY_CLASS);
  if (class_label && out.Writes(v1::AdapterOptions::HYPERPOD)) {
    return Error("targets", "KUEUE_PRIORITY_CLASS and HYPERPOD write the same label; give one");
  }
  out.devices_only = !options.has_devices_only() || options.devices_only();
  out.trusted_controllers.insert(options.trusted_controllers().begin(),
                                 options.trusted_controllers().end());
  if (out.trusted_controllers.empty()) {
    out.trusted_controllers.insert(std::begin(kDefaultControllers), std::end(kDefaultControllers));
  }
  out.fallback = options.fallback();
  out.tier_label = options.tier_label();
  out.deny_undecodable = options.deny_undecodable();

  for (const std::string_view key :
       {std::string_view("kubectl.kubernetes.io/last-applied-configuration"), kPriorityKey,
        kPolicyKey, kRequestedClassKey, kRequestedDeadlineKey, kKueueBoostKey}) {
    out.no_labels.emplace(key);
  }
  if (class_label || out.Writes(v1::AdapterOptions::HYPERPOD)) {
    out.no_labels.emplace(kKueueClassKey);
  }
  if (!out.tier_label.empty()) out.no_labels.insert(out.tier_label);
  return absl::OkStatus();
}

}  // namespace

std::string UpperSnake(std::string_view key) {
  std::string out(key);
  for (char& c : out) {
    c = absl::ascii_isalnum(static_cast<unsigned char>(c))
            ? absl::ascii_toupper(static_cast<unsigned char>(c))
            : '_';
  }
  return out;
}

absl::StatusOr<Options> Options::Create(const v1::AdapterOptions& options) {
  Options out;
  for (const auto step : {ReadKeys, ReadBindings, ReadDevices, ReadTargets}) {
    const absl::Status status = step(options, out);
    if (!status.ok()) return status;
  }
  const absl::Status rest = CheckTheRest(options);
  if (!rest.ok()) return rest;
  for (int i = 0; i < options.preemptible_classes_size(); ++i) {
    if (options.preemptible_classes(i).empty()) {
      return Error(absl::StrCat("preemptible_classes[", i, "]"), "is empty");
    }
    out.preemptible_classes.insert(options.preemptible_classes(i));
  }
  if (out.preemptible_classes.empty()) out.preemptible_classes.insert(kDefaultPreemptibleClass);
  return out;
}

bool Options::IsPreemptibleClass(std::string_view name) const {
  return preemptible_classes.contains(absl::string_view(name.data(), name.size()));
}

bool Options::IsTrustedController(std::string_view user) const {
  return trusted_controllers.contains(absl::string_view(user.data(), user.size()));
}

}  // namespace precedent::adapter
