#include "tests/unit/kubernetes/admission/api_server.h"

#include "absl/strings/escaping.h"
#include "gtest/gtest.h"

namespace precedent::kubernetes {
namespace {

constexpr char kUid[] = "705ab4f5-6393-11e8-b7cc-42010a800002";

bool IsPod(const Tree& object) { return object.TextAt("kind") == "Pod"; }

}  // namespace

Response ReadResponse(const std::string& answer, const std::string& uid,
                      const std::string& api_version) {
  const Tree tree = ParseTree(answer);
  Response out;
  if (tree.TextAt("apiVersion") != api_version) out.error = "apiVersion " + answer;
  if (tree.TextAt("kind") != "AdmissionReview") out.error = "kind " + answer;
  if (tree.TextAt("response.uid") != uid) out.error = "uid " + answer;
  const std::string allowed = tree.TextAt("response.allowed");
  if (allowed != "true" && allowed != "false") out.error = "allowed " + answer;
  out.allowed = allowed == "true";
  const Tree* patch = tree.At("response.patch");
  const Tree* type = tree.At("response.patchType");
  if ((patch == nullptr) != (type == nullptr)) out.error = "patch and patchType go together";
  if (type != nullptr && type->text != "JSONPatch") out.error = "patchType " + type->text;
  if (patch != nullptr && !absl::Base64Unescape(patch->text, &out.patch)) out.error = "no base64";
  if (patch != nullptr && !out.allowed) out.error = "a denial with a patch";
  if (const Tree* warnings = tree.At("response.warnings")) {
    for (const Tree& warning : warnings->items) out.warnings.push_back(warning.text);
  }
  if (const Tree* audit = tree.At("response.auditAnnotations")) {
    for (const auto& [key, value] : audit->members) out.audit[key] = value.text;
  }
  out.message = tree.TextAt("response.status.message");
  const std::string code = tree.TextAt("response.status.code");
  if (!code.empty()) out.code = std::stoll(code);
  return out;
}

std::string ApiServer::Review(const Tree& object) const {
  const std::string version = object.TextAt("apiVersion");
  const std::string group =
      version.find('/') == std::string::npos ? "" : version.substr(0, version.find('/'));
  return R"({"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":")" +
         std::string(kUid) + R"(","kind":{"group":")" + group + R"(","version":"v1","kind":")" +
         object.TextAt("kind") + R"("},"namespace":")" + namespace_name +
         R"(","operation":"CREATE","userInfo":{"username":")" + user +
         R"(","groups":["system:authenticated"]},"object":)" + object.ToJson() +
         R"(,"oldObject":null,"dryRun":false}})";
}

std::string ApiServer::AdmitPriority(Tree* spec) const {
  const auto present = [&](const char* key) {
    const Tree* value = spec->Find(key);
    return value != nullptr && value->kind != Tree::Kind::kNull;
  };
  std::string name = spec->TextAt("priorityClassName");
  PriorityClass found;
  if (name.empty() && !global_default.empty()) {
    name = global_default;
    spec->Set("priorityClassName", Tree::String(name));
  }
  if (!name.empty()) {
    const auto it = classes.find(name);
    if (it == classes.end()) return "no PriorityClass with name " + name + " was found";
    found = it->second;
  }
  if (present("priority") && spec->TextAt("priority") != std::to_string(found.value)) {
    return "the integer value of priority (" + spec->TextAt("priority") +
           ") must not be provided in pod spec; priority admission controller computed " +
           std::to_string(found.value);
  }
  spec->Set("priority", Tree::Number(found.value));
  if (present("preemptionPolicy") && spec->TextAt("preemptionPolicy") != found.preemption_policy) {
    return "the string value of PreemptionPolicy must not be provided in pod spec";
  }
  spec->Set("preemptionPolicy", Tree::String(found.preemption_policy));
  return "";
}

ApiServer::Result ApiServer::Create(Tree object, const Webhook& webhook) const {
  Result result;
  const auto fail = [&](int code, std::string error) {
    result.code = code;
    result.error = std::move(error);
    return result;
  };
  const auto plugin = [&] {
    Tree* spec = object.Find("spec");
    return IsPod(object) && spec != nullptr ? AdmitPriority(spec) : std::string();
  };
  if (std::string error = plugin(); !error.empty()) return fail(403, error);
  result.seen = object;
  for (int pass = 0; pass < 2; ++pass) {
    const Response response = ReadResponse(webhook(Review(object)), kUid);
    if (!response.error.empty()) return fail(500, response.error);
    if (!response.allowed) return fail(403, response.message);
    result.patches.push_back(response.patch);
    if (response.patch.empty()) break;
    if (std::string error = ApplyPatch(response.patch, &object); !error.empty()) {
      return fail(500, error);
    }
    if (std::string error = plugin(); !error.empty()) return fail(403, error);
  }
  result.stored = object;
  return result;
}

}  // namespace precedent::kubernetes
