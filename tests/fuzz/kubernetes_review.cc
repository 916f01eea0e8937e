// The body of an AdmissionReview. There is an answer whatever the body is: JSON on
// one line that repeats the uid, with a patch exactly when it has a patch type; the
// patch applies, and the patched object gets none.
#include <simdjson.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "absl/strings/escaping.h"
#include "precedent/kubernetes.h"
#include "precedent/policy.h"
#include "tests/unit/kubernetes/admission/json_tree.h"

namespace {

using precedent::kubernetes::Adapter;
using Options = precedent::v1::AdapterOptions;

void Check(bool holds) {
  if (!holds) std::abort();
}

const precedent::Evaluator& ThePolicy() {
  static const auto* const policy = new precedent::CompileResult(precedent::LoadPolicy(R"(
    stages { rules { id: "a" set: 700 limit_runtime_seconds: 60 warn: "careful" } }
    priority_classes { name: "gold" at_least: 0 })"));
  return policy->policy->evaluator();
}

Adapter Make(bool strict) {
  Options options;
  options.set_devices_only(false);
  options.set_deny_undecodable(strict);
  options.set_tier_label("precedent.dev/tier");
  for (const auto target :
       {Options::PRIORITY_CLASS, Options::HYPERPOD, Options::KUEUE_BOOST, Options::ANNOTATION}) {
    options.add_targets(target);
  }
  return *Adapter::Create(options);
}

// The patch of the answer; empty where there is none.
std::string CheckAnswer(const std::string& answer, bool strict, bool good) {
  Check(answer.find('\n') == std::string::npos);
  simdjson::dom::parser parser;
  simdjson::dom::element root;
  Check(parser.parse(answer).get(root) == simdjson::SUCCESS);
  std::string_view text;
  Check(root["response"]["uid"].get(text) == simdjson::SUCCESS);
  bool allowed = false;
  Check(root["response"]["allowed"].get(allowed) == simdjson::SUCCESS);
  Check(allowed == (good || !strict));
  simdjson::dom::array warnings;
  if (root["response"]["warnings"].get(warnings) == simdjson::SUCCESS) {
    for (const auto warning : warnings) {
      Check(warning.get(text) == simdjson::SUCCESS && text.size() <= 120);
    }
  }
  const bool typed = root["response"]["patchType"].get(text) == simdjson::SUCCESS;
  Check((root["response"]["patch"].get(text) == simdjson::SUCCESS) == typed);
  std::string patch;
  if (!typed) return patch;
  Check(absl::Base64Unescape(absl::string_view(text.data(), text.size()), &patch));
  simdjson::dom::array operations;
  Check(parser.parse(patch).get(operations) == simdjson::SUCCESS && operations.size() > 0);
  return patch;
}

// A built-in plugin would fill preemptionPolicy in again; there is none here.
void CheckPatch(const Adapter& adapter, std::string_view body, const std::string& patch,
                const precedent::Evaluator* evaluator) {
  precedent::kubernetes::Tree review = precedent::kubernetes::ParseTree(std::string(body));
  precedent::kubernetes::Tree* object = review.Find("request")->Find("object");
  Check(precedent::kubernetes::ApplyPatch(patch, object).empty());
  if (body.find("Never") != std::string_view::npos) return;
  const std::string again = adapter.Review(review.ToJson(), evaluator, precedent::TimePoint());
  Check(again.find("\"patchType\"") == std::string::npos);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Adapter* const adapters[2] = {new Adapter(Make(false)), new Adapter(Make(true))};
  const std::string_view body(reinterpret_cast<const char*>(data), size);
  for (const bool strict : {false, true}) {
    for (const precedent::Evaluator* evaluator :
         {static_cast<const precedent::Evaluator*>(nullptr), &ThePolicy()}) {
      precedent::kubernetes::ReviewRecord record;
      const std::string answer =
          adapters[strict]->Review(body, evaluator, precedent::TimePoint(), &record);
      const std::string patch = CheckAnswer(answer, strict, record.status.ok());
      if (!patch.empty() && record.status.ok()) CheckPatch(*adapters[strict], body, patch, evaluator);
    }
  }
  return 0;
}
