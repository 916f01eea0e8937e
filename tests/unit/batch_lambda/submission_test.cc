#include "examples/batch_lambda/submission.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "examples/batch_lambda/settings.h"

namespace precedent::batch_lambda {
namespace {

using testing::HasSubstr;

constexpr char kPlain[] = R"({"jobName":"a","jobQueue":"q","jobDefinition":"d"})";

TEST(JobNameTest, IsOneThatBatchTakes) {
  for (const std::string wanted : {"train", "-train", "_", "", "größe 7/ü", "a.b", "Z9-_"}) {
    const std::string name = JobName(wanted, "id");
    EXPECT_THAT(name, testing::MatchesRegex("[A-Za-z0-9][A-Za-z0-9_-]*")) << wanted;
    EXPECT_LE(name.size(), 128u);
  }
  EXPECT_EQ(JobName("train", "id").substr(0, 6), "train-");
}

TEST(JobNameTest, LongNamesLoseTheirEndAndNeverTheDigits) {
  std::set<std::string> names;
  for (std::size_t length = 1; length < 300; ++length) {
    const std::string wanted(length, 'x');
    // Of one wanted name and of names that are one after their 95th character.
    for (const std::string id : {absl::StrCat("id", length), absl::StrCat(length, "id")}) {
      const std::string name = JobName(wanted, id);
      EXPECT_EQ(name.size(), std::min<std::size_t>(length, 95) + 33);
      EXPECT_EQ(name, JobName(wanted, id));
      EXPECT_TRUE(names.insert(name).second);
    }
  }
}

// Stored names depend on it.
TEST(DigestTest, IsFnv1aOf128Bits) {
  EXPECT_EQ(Digest(""), "6c62272e07bb014262b821756295c58d");
  EXPECT_EQ(Digest("a"), "d228cb696f1a8caf78912b704e4a8964");
}

TEST(ReadSubmissionTest, TakesTheMessageIdUnlessTheEnvelopeHasOne) {
  const auto plain = ReadSubmission(kPlain, "m-1", "");
  ASSERT_TRUE(plain.ok());
  EXPECT_EQ(plain->id, "m-1");
  EXPECT_EQ(plain->chain, "m-1");
  EXPECT_EQ(plain->request, kPlain);
  const auto own =
      ReadSubmission(absl::StrCat(R"({"submissionId":"s","request":)", kPlain, "}"), "m-2", "");
  ASSERT_TRUE(own.ok());
  EXPECT_EQ(own->id, "s");
  const auto back = ReadSubmission(Envelope("s", 3, 77, kPlain), "m-3", "");
  ASSERT_TRUE(back.ok());
  EXPECT_EQ(back->id, "s/3");
  EXPECT_EQ(back->chain, "s");
  EXPECT_EQ(back->attempt, 3);
  EXPECT_EQ(back->not_before, 77);
  EXPECT_EQ(back->request, kPlain);
}

TEST(ReadSubmissionTest, MakesTagsOfATeamsOwnMembers) {
  const auto read =
      ReadSubmission(R"({"jobName":"a","jobDefinition":"d","failure_count":2,"preemptible":true,)"
                     R"("team":"x","tags":{"team":"y"},"parameters":{"k":"v"}})",
                     "m", "gpu");
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->request,
            R"({"jobName":"a","jobDefinition":"d","tags":{"team":"y","failure-count":"2",)"
            R"("preemptible":"true"},"parameters":{"k":"v"},"jobQueue":"gpu"})");
}

TEST(ReadSubmissionTest, SaysWhatCanNeverBeSubmitted) {
  const std::pair<std::string, const char*> cases[] = {
      {"Message Body", "JSON"},
      {"[]", "object"},
      {R"({"jobQueue":"q","jobDefinition":"d"})", "jobName: is missing"},
      {R"({"jobName":"a","jobQueue":"q"})", "jobDefinition: is missing"},
      {R"({"jobName":"a","jobDefinition":"d"})", "jobQueue: is missing"},
      {R"({"jobName":7,"jobQueue":"q","jobDefinition":"d"})", "jobName"},
      {R"({"jobName":"a","jobName":"b","jobQueue":"q","jobDefinition":"d"})", "jobName"},
      {absl::StrCat(R"({"jobName":"a","jobQueue":"q","jobDefinition":"d","parameters":{"p":")",
                    std::string(300 << 10, 'p'), "\"}}"),
       "at most"}};
  for (const auto& [body, words] : cases) {
    const auto read = ReadSubmission(body, "m", "");
    ASSERT_FALSE(read.ok()) << body.substr(0, 200);
    EXPECT_THAT(std::string(read.status().message()), HasSubstr(words));
  }
}

TEST(SettingsTest, NamesTheVariableThatIsWrong) {
  std::map<std::string, std::string> given = {{"AWS_REGION", "eu-west-1"},
                                              {"PRECEDENT_TABLE", "t"},
                                              {"PRECEDENT_QUEUE_URL", "u"},
                                              {"PRECEDENT_DEAD_LETTER_URL", "d"},
                                              {"PRECEDENT_BACKOFF", "initial=1.5,attempts=3"},
                                              {"PRECEDENT_QUEUE_POLICY", "none,gpu=fair-share"}};
  const auto variables = [&given](const std::string& name) { return given[name]; };
  const auto settings = ReadSettings(variables);
  ASSERT_TRUE(settings.ok()) << settings.status();
  EXPECT_EQ(settings->backoff.initial.count(), 1500);
  EXPECT_EQ(settings->backoff.attempts, 3);
  EXPECT_EQ(settings->PolicyOf("arn:aws:batch:r:1:job-queue/gpu"), aws::QueuePolicy::kFairShare);
  EXPECT_EQ(settings->PolicyOf("other"), aws::QueuePolicy::kNone);
  EXPECT_EQ(EndpointOf("sqs", "cn-north-1", variables), "https://sqs.cn-north-1.amazonaws.com.cn");
  given["AWS_ENDPOINT_URL"] = "http://all/";
  given["AWS_ENDPOINT_URL_SQS"] = "http://one";
  EXPECT_EQ(EndpointOf("sqs", "r", variables), "http://one");
  EXPECT_EQ(EndpointOf("batch", "r", variables), "http://all");
  for (const std::pair<const char*, const char*> bad :
       {std::pair("PRECEDENT_TABLE", ""), std::pair("PRECEDENT_BACKOFF", "initial=soon"),
        std::pair("PRECEDENT_BACKOFF", "initial=nan"), std::pair("PRECEDENT_QUEUE_POLICY", "fifo"),
        std::pair("PRECEDENT_CLAIM_SECONDS", "0")}) {
    const std::string before = std::exchange(given[bad.first], bad.second);
    const auto refused = ReadSettings(variables);
    ASSERT_FALSE(refused.ok()) << bad.first;
    EXPECT_THAT(std::string(refused.status().message()), HasSubstr(bad.first));
    given[bad.first] = before;
  }
}

}  // namespace
}  // namespace precedent::batch_lambda
