// What the tests of admission share: policies and reviews.
#ifndef PRECEDENT_TESTS_UNIT_KUBERNETES_ADMISSION_ADMISSION_TEST_SUPPORT_H_
#define PRECEDENT_TESTS_UNIT_KUBERNETES_ADMISSION_ADMISSION_TEST_SUPPORT_H_

#include <chrono>
#include <string>

#include "gtest/gtest.h"
#include "precedent/kubernetes.h"
#include "precedent/policy.h"
#include "tests/unit/kubernetes/admission/api_server.h"

namespace precedent::kubernetes {

inline constexpr TimePoint kNow{std::chrono::seconds(1'800'000'000)};
inline constexpr char kUid[] = "705ab4f5-6393-11e8-b7cc-42010a800002";

inline CompiledPolicy MustCompile(const std::string& text) {
  CompileResult result = LoadPolicy(text);
  for (const Issue& issue : result.issues) {
    if (issue.severity == Severity::kError) ADD_FAILURE() << FormatIssue(issue, "policy");
  }
  return *std::move(result.policy);
}

// Priority 700 and class gold for team `nlp`, 100 and bronze for others.
inline const CompiledPolicy& TwoClasses() {
  static const CompiledPolicy* const policy = new CompiledPolicy(MustCompile(R"(
    stages { rules { id: "all" set: 100 }
             rules { id: "nlp" when { team { in: "nlp" } } set: 700 }
             rules { id: "polite" when { labels { key: "polite" value { in: "yes" } } }
                     never_preempt_others: true }
             rules { id: "capped" when { labels { key: "capped" value { in: "yes" } } }
                     limit_runtime_seconds: 3600 }
             rules { id: "warned" when { labels { key: "warned" value { in: "yes" } } }
                     warn: "label it" }
             rules { id: "denied" when { labels { key: "denied" value { in: "yes" } } }
                     deny: "no budget" } }
    priority_classes { name: "gold" at_least: 500 }
    priority_classes { name: "bronze" at_least: 0 }
    fallback { priority: 50 })"));
  return *policy;
}

inline Adapter MustCreate(const v1::AdapterOptions& options = {}) {
  auto adapter = Adapter::Create(options);
  EXPECT_TRUE(adapter.ok()) << adapter.status();
  return *std::move(adapter);
}

inline ApiServer::Webhook Hook(const v1::AdapterOptions& options = {},
                               const CompiledPolicy& policy = TwoClasses()) {
  return [adapter = MustCreate(options), &policy](const std::string& review) {
    return adapter.Review(review, &policy.evaluator(), kNow);
  };
}

// A review of an object, by an ordinary user.
inline std::string CreateReview(const std::string& object, const std::string& more = "",
                                const std::string& operation = "CREATE") {
  return R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":")" +
         std::string(kUid) + R"(","operation":")" + operation + R"(","namespace":"team-a",)" +
         more + R"("userInfo":{"username":"ann","groups":["staff"]},"object":)" + object + "}}";
}

inline Response Answered(const std::string& review, const v1::AdapterOptions& options = {},
                         const CompiledPolicy& policy = TwoClasses()) {
  return ReadResponse(Hook(options, policy)(review), kUid);
}

// A pod with a GPU; `metadata` and `spec` are lists of members.
inline std::string GpuPod(const std::string& metadata, const std::string& spec = "") {
  return R"({"apiVersion":"v1","kind":"Pod","metadata":{)" + metadata + R"(},"spec":{)" + spec +
         (spec.empty() ? "" : ",") +
         R"("containers":[{"name":"m","resources":{"limits":{"nvidia.com/gpu":"1"}}}]}})";
}

// An object with a template of such a pod.
inline std::string GpuTemplate(const std::string& api_version, const std::string& kind,
                               const std::string& metadata, const std::string& spec = "",
                               const std::string& template_members = "",
                               const std::string& pod_spec = "") {
  return R"({"apiVersion":")" + api_version + R"(","kind":")" + kind + R"(","metadata":{)" +
         metadata + R"(},"spec":{)" + spec + (spec.empty() ? "" : ",") + R"("template":{)" +
         template_members + (template_members.empty() ? "" : ",") + R"("spec":{)" + pod_spec +
         (pod_spec.empty() ? "" : ",") +
         R"("containers":[{"name":"m","resources":{"limits":{"nvidia.com/gpu":"1"}}}]}}}})";
}

}  // namespace precedent::kubernetes

#endif  // PRECEDENT_TESTS_UNIT_KUBERNETES_ADMISSION_ADMISSION_TEST_SUPPORT_H_
