// Every review request of the shared data, each by its name, and what becomes of it.
#include <fstream>
#include <sstream>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/kubernetes/admission/admission_test_support.h"

namespace precedent::kubernetes {
namespace {

// What the answer does to the object.
enum class Does { kNothing, kPodClass, kTemplateClass };

struct Case {
  const char* file;
  Does does;
  double gpus;  // -1: absent or no job
  const char* team;
  const char* wanted;  // class
};

// Team `search` of the r files gets bronze, so do the captured ones, which name none of
// the policy's teams.
const Case kCases[] = {
    {"r01-create-from-replicaset", Does::kPodClass, 1, "search", "bronze"},
    {"r02-create-no-labels", Does::kPodClass, 2, "", "bronze"},
    {"r03-create-defaulted-priority", Does::kPodClass, 8, "nlp", "gold"},
    {"r04-create-user-class", Does::kPodClass, 1, "nlp", "gold-nonpreempting"},
    {"r05-delete", Does::kNothing, -1, "", ""},
    {"r06-update-label", Does::kNothing, -1, "", ""},
    {"r07-update-ephemeral", Does::kNothing, 1, "", ""},
    {"r08-create-dry-run", Does::kPodClass, 1, "nlp", "gold"},
    {"r09-create-minimal-no-apiversion", Does::kNothing, 0, "", ""},
    {"admission/deployment-create-template", Does::kTemplateClass, -1, "", "bronze"},
    {"admission/job-create-template", Does::kTemplateClass, 32, "llm", "bronze"},
    {"admission/pod-delete-null-object", Does::kNothing, -1, "", ""},
    {"admission/pod-dry-run", Does::kPodClass, -1, "", "bronze"},
    {"admission/pod-eviction-subresource", Does::kNothing, -1, "", ""},
    {"admission/pod-from-indexed-job", Does::kPodClass, -1, "", "bronze"},
    {"admission/pod-from-replicaset-existing-class-sidecar", Does::kNothing, 2, "", "bronze"},
    {"admission/pod-gated-dra-claim", Does::kPodClass, -1, "", "bronze"},
    {"admission/pod-generate-name-user", Does::kPodClass, -1, "", "bronze"},
    {"admission/pod-gpu-limits-only", Does::kPodClass, 1, "", "bronze"},
    {"admission/pod-mig-slices-class-never", Does::kPodClass, -1, "", "bronze-nonpreempting"},
    {"admission/pod-no-gpu", Does::kNothing, 0, "", ""},
    {"admission/pod-service-account-unicode-annotations", Does::kPodClass, -1, "", "bronze"},
    {"admission/pod-system-critical", Does::kNothing, -1, "", ""},
    {"admission/pod-update-ephemeralcontainers-subresource", Does::kNothing, -1, "", ""},
    {"admission/pod-update-label", Does::kNothing, -1, "", ""},
};

class Reviews : public ::testing::TestWithParam<Case> {};

TEST_P(Reviews, IsAnswered) {
  const Case& c = GetParam();
  std::ifstream file(std::string(PRECEDENT_SHARED_DIR) + "/data/kubernetes/" + c.file + ".json");
  std::stringstream text;
  text << file.rdbuf();
  if (text.str().empty()) GTEST_SKIP() << "no shared data beside the repository";
  const std::string review = text.str();
  const Tree request = ParseTree(review);

  const Response response = ReadResponse(Hook()(review), request.TextAt("request.uid"));
  EXPECT_EQ(response.error, "");
  EXPECT_TRUE(response.allowed);
  Tree object = request.At("request.object") == nullptr ? Tree() : *request.At("request.object");
  if (c.does == Does::kNothing) {
    EXPECT_EQ(response.patch, "");
  } else {
    ASSERT_NE(response.patch, "");
    EXPECT_EQ(ApplyPatch(response.patch, &object), "") << response.patch;
    const std::string spec = c.does == Does::kPodClass ? "spec" : "spec.template.spec";
    EXPECT_EQ(object.TextAt(spec + ".priorityClassName"), c.wanted);
    EXPECT_EQ(object.At(spec + ".priority"), nullptr);
    EXPECT_EQ(object.At(spec + ".preemptionPolicy"), nullptr);
  }
  if (c.gpus >= 0) {
    const auto job = MustCreate().Describe(review);
    ASSERT_TRUE(job.ok()) << job.status();
    EXPECT_EQ(job->job.gpu_count(), c.gpus);
    EXPECT_EQ(job->job.namespace_(), request.TextAt("request.namespace"));
    EXPECT_EQ(job->job.user(), request.TextAt("request.userInfo.username"));
    if (*c.team != '\0') {
      EXPECT_EQ(job->job.team(), c.team);
    }
  }
  // The same whatever is asked first, and dry or not.
  EXPECT_EQ(Hook()(review), Hook()(review));
}

INSTANTIATE_TEST_SUITE_P(Files, Reviews, ::testing::ValuesIn(kCases), [](const auto& test) {
  std::string name = test.param.file;
  name = name.substr(name.rfind('/') == std::string::npos ? 0 : name.rfind('/') + 1);
  for (char& c : name) {
    if (c == '-') c = '_';
  }
  return name;
});

// These two are answers: they have no request, and are no review to answer.
class ReviewAnswers : public ::testing::TestWithParam<const char*> {};

TEST_P(ReviewAnswers, AreNoRequests) {
  std::ifstream file(std::string(PRECEDENT_SHARED_DIR) + "/data/kubernetes/" + GetParam() +
                     ".json");
  std::stringstream text;
  text << file.rdbuf();
  if (text.str().empty()) GTEST_SKIP() << "no shared data beside the repository";
  ReviewRecord record;
  const std::string answer = MustCreate().Review(text.str(), nullptr, kNow, &record);
  EXPECT_TRUE(ReadResponse(answer, "").allowed);
  EXPECT_EQ(record.status.message(), "request: is missing");
}

INSTANTIATE_TEST_SUITE_P(Files, ReviewAnswers,
                         ::testing::Values("r10-response-example", "r11-response-denied-example"),
                         [](const auto& test) { return std::string(test.param).substr(0, 3); });

}  // namespace
}  // namespace precedent::kubernetes
