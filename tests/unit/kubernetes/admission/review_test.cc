// What arrives in an AdmissionReview, and what an answer must be. Numbers in names are
// those of the catalogue of known faults.
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/kubernetes/admission/admission_test_support.h"

namespace precedent::kubernetes {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const char* const kNlp = R"("labels":{"team":"nlp"})";

TEST(Protocol, Case20EveryAnswerRepeatsVersionAndUid) {
  const std::string pod = GpuPod(kNlp);
  const std::string bodies[] = {
      CreateReview(pod),
      CreateReview(GpuPod(R"("labels":{"denied":"yes"})")),
      CreateReview(GpuPod(R"("labels":{"failure-count":"x"})")),
      CreateReview(pod, "", "DELETE"),
      CreateReview("null"),
      CreateReview("[]"),
      CreateReview("7"),
      CreateReview(R"({"kind":"Pod","apiVersion":"v1","spec":{"a":1,"a":2}})"),
      CreateReview(R"({"kind":"Pod","apiVersion":"v1","spec":{"a":"\u0000"}})"),
      CreateReview(R"({"kind":"Pod","apiVersion":"v1","spec":)" + std::string(70, '[') +
                   std::string(70, ']') + "}"),
      CreateReview(R"({"kind":1})"),
      CreateReview(pod, R"("subResource":"status",)"),
      CreateReview(pod, R"("subResource":7,)"),
  };
  for (const bool deny : {false, true}) {
    v1::AdapterOptions options;
    options.set_deny_undecodable(deny);
    for (std::string body : bodies) {
      EXPECT_EQ(Answered(body, options).error, "") << body;
      const std::string v1 = "admission.k8s.io/v1";
      body.replace(body.find(v1), v1.size(), "admission.k8s.io/v1beta1");
      EXPECT_EQ(ReadResponse(Hook(options)(body), kUid, "admission.k8s.io/v1beta1").error, "")
          << body;
    }
  }
}

TEST(Protocol, NoVersionIsVersion1) {
  std::string body = CreateReview(GpuPod(kNlp));
  const std::string version = R"("apiVersion":"admission.k8s.io/v1",)";
  body.erase(body.find(version), version.size());
  const Response response = Answered(body);
  EXPECT_EQ(response.error, "");
  EXPECT_NE(response.patch, "");
}

TEST(Protocol, PatchTypeExactlyWithAPatch) {
  const auto has = [](const std::string& body, const char* text) {
    return Hook()(body).find(text) != std::string::npos;
  };
  EXPECT_TRUE(has(CreateReview(GpuPod(kNlp)), "\"patchType\":\"JSONPatch\",\"patch\":\""));
  const std::string right = CreateReview(GpuPod(kNlp, R"("priorityClassName":"gold")"));
  EXPECT_FALSE(has(right, "patch"));
  EXPECT_FALSE(has(CreateReview(GpuPod(R"("labels":{"denied":"yes"})")), "patch"));
}

TEST(Protocol, DenialOfThePolicy) {
  const Response response = Answered(CreateReview(GpuPod(R"("labels":{"denied":"yes"})")));
  EXPECT_FALSE(response.allowed);
  EXPECT_EQ(response.code, 403);
  EXPECT_EQ(response.message, "no budget");
}

TEST(Protocol, WarningsAreShortAndClean) {
  EXPECT_THAT(Answered(CreateReview(GpuPod(R"("labels":{"warned":"yes"})"))).warnings,
              ElementsAre("label it"));
  // A remark that quotes what the user wrote.
  v1::AdapterOptions options;
  v1::Binding& binding = *options.add_bindings();
  binding.set_namespace_("team-*");
  binding.set_attribute(v1::TEAM);
  binding.set_value("nlp");
  std::string team;
  for (int i = 0; i < 100; ++i) team += "ä";
  const Response response =
      Answered(CreateReview(GpuPod(R"("labels":{"team":"\u001b[2J\n)" + team + "\"}")), options);
  ASSERT_EQ(response.warnings.size(), 1u);
  EXPECT_LE(response.warnings[0].size(), 120u);
  EXPECT_EQ(response.warnings[0].substr(response.warnings[0].size() - 3), "...");
  EXPECT_EQ(response.warnings[0].find_first_of("\x1b\n"), std::string::npos);
}

TEST(Protocol, WhatAPolicySaysAtLengthIsBounded) {
  std::string rules;
  for (int i = 0; i < 60; ++i) {
    rules += "rules { id: \"" + std::string(40, 'r') + std::to_string(i) + "\" warn: \"w\" }\n";
  }
  const CompiledPolicy loud = MustCompile("stages { " + rules + " }");
  const Response response = Answered(CreateReview(GpuPod("")), {}, loud);
  EXPECT_EQ(response.warnings.size(), 10u);
  EXPECT_EQ(response.audit.at("rules").size(), 1024u);
  const CompiledPolicy denial =
      MustCompile(R"(stages { rules { id: "a" deny: "no\nway\033[31m" } })");
  const Response denied = Answered(CreateReview(GpuPod("")), {}, denial);
  EXPECT_FALSE(denied.allowed);
  EXPECT_THAT(denied.message, HasSubstr("no"));
  EXPECT_EQ(denied.message.find_first_of("\n\033"), std::string::npos) << denied.message;
}

TEST(Protocol, AuditTellsTheDecision) {
  const Response response =
      Answered(CreateReview(GpuPod(R"("labels":{"team":"nlp","polite":"yes"})")));
  EXPECT_EQ(response.audit.at("decision"),
            "priority=700 preemption-priority=700 class=gold reason=DERIVED verdict=ALLOW");
  EXPECT_EQ(response.audit.at("rules"), "all,nlp,polite");
  EXPECT_EQ(response.audit.at("policy"), std::string(TwoClasses().evaluator().fingerprint()));
}

TEST(Arrival, Case22GenerateNameOnly) {
  const std::string review = CreateReview(GpuPod(R"("generateName":"a-",)" + std::string(kNlp)));
  EXPECT_NE(Answered(review).patch, "");
  const auto job = MustCreate().Describe(review);
  EXPECT_EQ(job->job.name(), "team-a/a-*");
  EXPECT_EQ(job->job.lineage_key(), "");
}

TEST(Arrival, Case24And25TheRequestsNamespaceDecides) {
  v1::AdapterOptions options;
  v1::Binding& binding = *options.add_bindings();
  binding.set_namespace_("team-a");
  binding.set_attribute(v1::TEAM);
  binding.set_value("nlp");
  for (const char* metadata : {"", R"("namespace":"team-b")", R"("namespace":"")"}) {
    const std::string review = CreateReview(GpuPod(metadata));
    EXPECT_EQ(MustCreate(options).Describe(review)->job.namespace_(), "team-a") << metadata;
    EXPECT_THAT(Answered(review, options).patch, HasSubstr("gold")) << metadata;
  }
}

TEST(Arrival, GroupsAndUserOfTheReviewAreVerified) {
  v1::AdapterOptions options;
  v1::Binding& binding = *options.add_bindings();
  binding.set_user_group("staff");
  binding.set_attribute(v1::TEAM);
  binding.set_value("nlp");
  const std::string review = CreateReview(GpuPod(R"("labels":{"team":"other"})"));
  const auto job = MustCreate(options).Describe(review);
  EXPECT_EQ(job->job.user(), "ann");
  EXPECT_EQ(job->job.team(), "nlp");
  EXPECT_THAT(job->remarks, ElementsAre(HasSubstr("group `staff` is bound to `nlp`")));
  EXPECT_THAT(Answered(review, options).patch, HasSubstr("gold"));
  options.mutable_bindings(0)->set_user_group("stuff");
  EXPECT_THAT(Answered(review, options).patch, HasSubstr("bronze"));
}

TEST(Arrival, Case26DeleteHasNoObject) {
  for (const char* old : {"null", "{}", R"({"kind":"Pod","apiVersion":"v1"})"}) {
    const std::string review =
        CreateReview("null", R"("oldObject":)" + std::string(old) + ",", "DELETE");
    const Response response = Answered(review);
    EXPECT_TRUE(response.allowed);
    EXPECT_EQ(response.patch, "");
    EXPECT_THAT(response.warnings, IsEmpty());
  }
}

TEST(Arrival, Case10UpdateIsAllowedUntouched) {
  for (const char* operation : {"UPDATE", "DELETE", "CONNECT"}) {
    for (const std::string& object :
         {GpuPod(kNlp), GpuPod(kNlp, R"("priorityClassName":"bronze","priority":0)"),
          GpuTemplate("batch/v1", "Job", kNlp), GpuTemplate("apps/v1", "Deployment", kNlp)}) {
      const Response response = Answered(CreateReview(object, "", operation));
      EXPECT_TRUE(response.allowed) << operation;
      EXPECT_EQ(response.patch, "") << operation;
    }
  }
}

TEST(Arrival, Case28And30SubResourcesAreAllowedUntouched) {
  for (const char* operation : {"CREATE", "UPDATE"}) {
    for (const char* sub : {"ephemeralcontainers", "status", "eviction", "resize", "binding"}) {
      const Response response = Answered(
          CreateReview(GpuPod(kNlp), R"("subResource":")" + std::string(sub) + "\",", operation));
      EXPECT_TRUE(response.allowed) << sub;
      EXPECT_EQ(response.patch, "") << sub;
    }
  }
}

TEST(Arrival, Case29DryRunGetsTheSamePatch) {
  EXPECT_EQ(Hook()(CreateReview(GpuPod(kNlp), R"("dryRun":true,)")),
            Hook()(CreateReview(GpuPod(kNlp), R"("dryRun":false,)")));
}

TEST(Outage, Case31ObjectsWithoutDevicesAreLeftAlone) {
  const std::string web =
      CreateReview(R"({"apiVersion":"v1","kind":"Pod","metadata":{"labels":{"failure-count":"x"}},)"
                   R"("spec":{"containers":[{"resources":{"limits":{"cpu":"1"}}}]}})");
  const Response response = Answered(web);
  EXPECT_EQ(response.patch, "");
  EXPECT_THAT(response.warnings, IsEmpty());
  v1::AdapterOptions options;
  options.set_devices_only(false);
  EXPECT_NE(Answered(web, options).patch, "");
  EXPECT_NE(Answered(CreateReview(GpuPod("", R"("resourceClaims":[{"name":"c"}])"))).patch, "");
}

TEST(Outage, Case32SystemClassesAndKubeSystem) {
  for (const char* name : {"system-node-critical", "system-cluster-critical", "system-mine"}) {
    const std::string spec = R"("priorityClassName":")" + std::string(name) + "\"";
    EXPECT_EQ(Answered(CreateReview(GpuPod(kNlp, spec))).patch, "") << name;
    EXPECT_EQ(Answered(CreateReview(GpuTemplate("batch/v1", "Job", kNlp, "", "", spec))).patch, "");
  }
  std::string review = CreateReview(GpuPod(kNlp));
  review.replace(review.find("team-a"), 6, "kube-system");
  const Response response = Answered(review);
  EXPECT_TRUE(response.allowed);
  EXPECT_EQ(response.patch, "");
}

// 33: a webhook that waits for its own pod to start can answer for it without a policy,
// and never denies it, whatever the pod says.
TEST(Outage, Case33EveryPodIsAdmittedWithoutAPolicy) {
  for (const bool devices_only : {true, false}) {
    for (const char* metadata : {"", kNlp, R"("labels":{"denied":"yes"})", R"("labels":null)"}) {
      for (const std::string& object :
           {GpuPod(metadata), GpuTemplate("apps/v1", "Deployment", metadata),
            GpuTemplate("batch/v1", "Job", metadata)}) {
        v1::AdapterOptions options;
        options.set_devices_only(devices_only);
        const Response response =
            ReadResponse(MustCreate(options).Review(CreateReview(object), nullptr, kNow), kUid);
        EXPECT_EQ(response.error, "") << object;
        EXPECT_TRUE(response.allowed) << object;
      }
    }
  }
}

// 33b: whose policy does not come in time answers without one. That needs nothing that
// could hang, and is a proper answer with the fallback.
TEST(Outage, Case33bTheAnswerWithoutAPolicyIsTheFallback) {
  v1::AdapterOptions options;
  options.mutable_fallback()->set_priority(42);
  options.mutable_fallback()->set_priority_class("bronze");
  const std::string review = CreateReview(GpuPod(kNlp));
  Response response = ReadResponse(MustCreate(options).Review(review, nullptr, kNow), kUid);
  EXPECT_EQ(response.error, "");
  EXPECT_THAT(response.patch, HasSubstr("bronze"));
  EXPECT_THAT(response.audit.at("decision"), HasSubstr("priority=42"));
  EXPECT_THAT(response.audit.at("decision"), HasSubstr("FALLBACK_NO_POLICY"));
  response = ReadResponse(MustCreate().Review(review, nullptr, kNow), kUid);
  EXPECT_EQ(response.patch, "");  // no class is known
}

TEST(Undecodable, FallbackAndWarningOrDenial) {
  const std::string bad = CreateReview(GpuPod(R"("labels":{"team":"nlp","failure-count":"x"})"));
  ReviewRecord record;
  Response response =
      ReadResponse(MustCreate().Review(bad, &TwoClasses().evaluator(), kNow, &record), kUid);
  EXPECT_TRUE(response.allowed);
  EXPECT_THAT(response.patch, HasSubstr("bronze"));  // of the policy's fallback, 50
  ASSERT_FALSE(response.warnings.empty());
  EXPECT_THAT(response.warnings[0], HasSubstr("admitted with the fallback priority"));
  EXPECT_THAT(response.audit.at("decision"), HasSubstr("FALLBACK_INVALID_INPUT"));
  EXPECT_THAT(response.audit.at("error"), HasSubstr("failure-count"));
  EXPECT_EQ(record.status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(record.uid, kUid);
  EXPECT_EQ(record.operation, "CREATE");
  EXPECT_TRUE(record.allowed && record.patched);
  ASSERT_TRUE(record.decision.has_value());
  EXPECT_EQ(record.decision->reason(), v1::FALLBACK_INVALID_INPUT);

  v1::AdapterOptions options;
  options.set_deny_undecodable(true);
  response = Answered(bad, options);
  EXPECT_FALSE(response.allowed);
  EXPECT_EQ(response.code, 400);
  EXPECT_THAT(response.message, HasSubstr("failure-count"));
}

TEST(Undecodable, BodiesThatAreNoReview) {
  const std::string large(std::size_t{8} << 20, ' ');
  for (const std::string& body :
       {std::string(), std::string("{"), std::string("null"), std::string("[]"), large,
        std::string(R"({"kind":"Pod","apiVersion":"v1"})"),
        std::string(R"({"kind":"AdmissionReview","apiVersion":"x/v1","request":{"uid":"u"}})")}) {
    ReviewRecord record;
    const std::string answer = MustCreate().Review(body, nullptr, kNow, &record);
    EXPECT_FALSE(record.status.ok());
    EXPECT_TRUE(ParseTree(answer).TextAt("response.allowed") == "true") << answer;
    EXPECT_EQ(ParseTree(answer).TextAt("apiVersion"), "admission.k8s.io/v1");
    v1::AdapterOptions options;
    options.set_deny_undecodable(true);
    const Tree denied = ParseTree(MustCreate(options).Review(body, nullptr, kNow));
    EXPECT_EQ(denied.TextAt("response.allowed"), "false");
    EXPECT_EQ(denied.TextAt("response.status.code"), body.size() == large.size() ? "413" : "400");
    EXPECT_EQ(denied.TextAt("response.status.reason"),
              body.size() == large.size() ? "RequestEntityTooLarge" : "BadRequest");
  }
}

// What only looks like a review of this group, whole or not, is none, and its version is
// not repeated.
TEST(Undecodable, ReviewsOfAnotherGroupAndWithoutTheirParts) {
  const auto error = [](const std::string& body) {
    ReviewRecord record;
    const Tree answer =
        ParseTree(MustCreate().Review(body, &TwoClasses().evaluator(), kNow, &record));
    EXPECT_EQ(answer.TextAt("apiVersion"), "admission.k8s.io/v1") << body;
    EXPECT_EQ(answer.TextAt("response.patch"), "") << body;
    return std::string(record.status.message());
  };
  std::string other = CreateReview(GpuPod(kNlp));
  other.replace(other.find("admission.k8s.io"), 16, "example.org");
  EXPECT_EQ(error(other), "kind: must be AdmissionReview");
  other.insert(1, R"("kind":"x",)");
  EXPECT_THAT(error(other), HasSubstr("given twice"));
  const std::string head = R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview")";
  EXPECT_EQ(error(head + "}"), "request: is missing");
  EXPECT_EQ(error(head + R"(,"request":{"uid":"u","object":)" + GpuPod(kNlp) + "}}"),
            "request.operation: is missing");
}

// Nothing is created of an old object.
TEST(Undecodable, CreateWithoutAnObject) {
  ReviewRecord record;
  const std::string review = CreateReview("null", R"("oldObject":)" + GpuPod(kNlp) + ",");
  const Response response =
      ReadResponse(MustCreate().Review(review, &TwoClasses().evaluator(), kNow, &record), kUid);
  EXPECT_EQ(record.status.message(), "request.object: is missing");
  EXPECT_EQ(response.patch, "");
}

TEST(Undecodable, KindsThatNobodyKnowsAreNotOurs) {
  ReviewRecord record;
  const std::string service = CreateReview(R"({"apiVersion":"v1","kind":"Service"})");
  const Response response = ReadResponse(MustCreate().Review(service, nullptr, kNow, &record), kUid);
  EXPECT_TRUE(record.status.ok());
  EXPECT_FALSE(record.patched || record.decision.has_value());
  EXPECT_TRUE(response.allowed);
  EXPECT_EQ(response.patch, "");
  EXPECT_THAT(response.warnings, IsEmpty());
}

}  // namespace
}  // namespace precedent::kubernetes
