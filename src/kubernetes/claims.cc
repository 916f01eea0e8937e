#include "src/kubernetes/claims.h"

#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "src/json/path.h"
#include "src/kubernetes/kinds.h"

namespace precedent::kubernetes {
namespace {

using json::Document;
using json::Value;

constexpr std::int64_t kMaxCount = std::numeric_limits<std::int32_t>::max();
constexpr std::string_view kClaim = "ResourceClaim";
constexpr std::string_view kTemplate = "ResourceClaimTemplate";
// How much of a GPU a device of this class is, its name does not tell.
constexpr std::string_view kSliceClass = "mig.nvidia.com";

std::string TextOf(Value value) { return std::string(value.String().value_or("")); }

// An object without namespace lands in `default`.
std::string Key(std::string_view kind, std::string_view namespace_name, std::string_view name) {
  return absl::StrCat(std::string(kind), "/",
                      namespace_name.empty() ? "default" : std::string(namespace_name), "/",
                      std::string(name));
}

// `exactly` of a request, or one of its alternatives, or the request itself, as it
// was before resource.k8s.io/v1beta2.
Claim::Request ReadRequest(Value request, Claim& claim) {
  if (TextOf(request.Get("allocationMode")) == "All") {
    claim.uncountable = "asks for all devices";
  }
  if (request.Get("adminAccess").Bool().value_or(false)) {
    claim.uncountable = "has admin access, which takes no device away";
  }
  return {TextOf(request.Get("deviceClassName")),
          request.Get("count").Integer(0, kMaxCount).value_or(1)};
}

Claim ReadClaim(Value spec) {
  Claim claim;
  for (const Value request : spec.Find("devices.requests").Items()) {
    const std::vector<Value> alternatives = request.Get("firstAvailable").Items().ToVector();
    if (alternatives.empty()) {
      const Value exactly = request.Get("exactly");
      claim.requests.push_back(ReadRequest(exactly.present() ? exactly : request, claim));
      continue;
    }
    claim.requests.push_back(ReadRequest(alternatives[0], claim));
    for (const Value alternative : alternatives) {
      const Claim::Request other = ReadRequest(alternative, claim);
      if (other.count != claim.requests.back().count ||
          other.device_class != claim.requests.back().device_class) {
        claim.uncountable = "asks for one of several things";
      }
    }
  }
  return claim;
}

}  // namespace

absl::Status DeviceClaims::Add(std::string_view json) {
  const absl::StatusOr<std::unique_ptr<Document>> document = Document::Parse(json);
  if (!document.ok()) return document.status();
  const Value root = (*document)->root();
  if (!root.is_object()) return absl::InvalidArgumentError("a claim must be a JSON object");
  const std::string kind = TextOf(root.Get("kind"));
  const std::string version = TextOf(root.Get("apiVersion"));
  const Value metadata = root.Get("metadata");
  const std::string name = TextOf(metadata.Get("name"));
  if (!(*document)->status().ok()) return (*document)->status();
  if (!IsClaim(version, kind)) {
    return absl::UnimplementedError("is no ResourceClaim or ResourceClaimTemplate");
  }
  Claim claim = ReadClaim(root.Find(kind == kTemplate ? "spec.spec" : "spec"));
  std::string key = Key(kind, TextOf(metadata.Get("namespace")), name);
  if (!(*document)->status().ok()) return (*document)->status();
  if (name.empty()) return absl::InvalidArgumentError("metadata.name: is missing");
  if (table_ == nullptr) table_ = std::make_shared<Table>();
  table_->Add(std::move(key), std::move(claim));
  return absl::OkStatus();
}

bool DeviceClaims::IsClaim(std::string_view api_version, std::string_view kind) {
  return GroupOf(api_version) == "resource.k8s.io" && (kind == kClaim || kind == kTemplate);
}

void ClaimCounter::AddClaim(const Claim& claim, std::int64_t times, Value place) {
  if (!claim.uncountable.empty()) {
    uncountable_ = absl::StrCat(place.Path(), ": the claim ", claim.uncountable);
  }
  for (const Claim::Request& request : claim.requests) {
    const std::optional<double> weight = devices_.WeightSetFor(request.device_class);
    if (!weight.has_value() && request.device_class == kSliceClass) {
      uncountable_ = absl::StrCat(place.Path(), ": how much of a GPU a device of class `",
                                  std::string(kSliceClass), "` is, only device_weights can tell");
    }
    gpus_ += static_cast<double>(request.count) * static_cast<double>(times) * weight.value_or(1.0);
  }
}

void ClaimCounter::Add(Value spec, std::int64_t pods) {
  for (const Value entry : spec.Get("resourceClaims").Items()) {
    any_ = true;
    const std::string of_template = TextOf(entry.Get("resourceClaimTemplateName"));
    const bool shared = of_template.empty();
    const std::string key = Key(shared ? kClaim : kTemplate, namespace_,
                                shared ? TextOf(entry.Get("resourceClaimName")) : of_template);
    const Claim* claim = table_ == nullptr ? nullptr : table_->Find(key);
    if (claim == nullptr) {
      uncountable_ = absl::StrCat(entry.Path(), ": the claim's object is not at hand");
    } else if (!shared || (pods > 0 && shared_.insert(key).second)) {
      AddClaim(*claim, shared ? 1 : pods, entry);
    }
  }
}

}  // namespace precedent::kubernetes
