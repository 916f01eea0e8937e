#include "examples/batch_lambda/handler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "src/json/writer.h"

namespace precedent::batch_lambda {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

AwsReply Done(std::string body) {
  AwsReply reply;
  reply.outcome = AwsReply::Outcome::kDone;
  reply.body = std::move(body);
  return reply;
}

AwsReply Refused(std::string code) {
  AwsReply reply;
  reply.outcome = AwsReply::Outcome::kRefused;
  reply.code = std::move(code);
  return reply;
}

// Answers by what the request is for, and keeps the requests.
class FakeAws : public Aws {
 public:
  AwsReply Call(const AwsRequest& request) override {
    const std::string what =
        request.target.empty() ? request.path : request.target.substr(request.target.find('.') + 1);
    calls.push_back(what);
    bodies.push_back(request.body);
    repeatable.push_back(request.repeatable);
    const auto found = answers.find(what);
    if (found != answers.end() && !found->second.empty()) {
      AwsReply reply = found->second.front();
      found->second.pop_front();
      return reply;
    }
    if (what == "/v1/submitjob") return Done(R"({"jobId":"job-1","jobName":"n"})");
    if (what == "/v1/describejobdefinitions") return Done(R"({"jobDefinitions":[]})");
    return Done("{}");
  }
  bool Late() const override { return late; }

  std::map<std::string, std::deque<AwsReply>> answers;
  std::vector<std::string> calls, bodies;
  std::vector<bool> repeatable;
  bool late = false;
};

class HandlerTest : public testing::Test {
 protected:
  HandlerTest() {
    settings_.table = "t";
    settings_.queue_url = "http://queue";
    settings_.dead_letter_url = "http://dead";
    settings_.claim = std::chrono::seconds(100);
    v1::AdapterOptions options;
    options.set_default_share("rest");
    handler_ = std::make_unique<Handler>(*Handler::Create(&settings_, &aws_, options));
  }

  Answer Handle(const std::vector<std::string>& bodies, const std::string& queue = "arn:q") {
    std::string event = "{\"Records\":[";
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      event += i == 0 ? "{" : ",{";
      json::AppendMember("messageId", absl::StrCat("m", i), &event);
      json::AppendMember("receiptHandle", "r", &event);
      json::AppendMember("eventSourceARN", queue, &event);
      json::AppendMember("body", bodies[i], &event);
      event += '}';
    }
    return handler_->Handle(event + "]}", nullptr, v1::Stability(), absl::FromUnixSeconds(1'000));
  }

  Settings settings_;
  FakeAws aws_;
  std::unique_ptr<Handler> handler_;
};

constexpr char kJob[] = R"({"jobName":"a","jobQueue":"q","jobDefinition":"d"})";

TEST_F(HandlerTest, ClaimsSubmitsAndWritesTheId) {
  const Answer answer = Handle({kJob});
  ASSERT_TRUE(answer.body.ok());
  EXPECT_EQ(*answer.body, R"({"batchItemFailures":[]})");
  EXPECT_THAT(aws_.calls, ElementsAre("UpdateItem", "/v1/describejobdefinitions", "/v1/submitjob",
                                      "UpdateItem"));
  EXPECT_THAT(aws_.repeatable, ElementsAre(true, true, false, true));
  EXPECT_THAT(aws_.bodies[0], HasSubstr("attribute_not_exists(jobState)"));
  // No policy is live: the fallback, and it says so.
  EXPECT_THAT(aws_.bodies[2], HasSubstr(R"("schedulingPriorityOverride":500)"));
  EXPECT_THAT(aws_.bodies[2], HasSubstr("FALLBACK_NO_POLICY"));
  EXPECT_THAT(aws_.bodies[3], HasSubstr("job-1"));
  EXPECT_EQ(answer.counts.at("Fallbacks"), 1);
}

TEST_F(HandlerTest, MetadataThatNobodyCanReadMakeAFallback) {
  const Answer answer = Handle(
      {R"({"jobName":"a","jobQueue":"q","jobDefinition":"d","tags":{"preemptible":"perhaps"}})"});
  EXPECT_EQ(*answer.body, R"({"batchItemFailures":[]})");
  EXPECT_THAT(aws_.bodies[2], HasSubstr("FALLBACK_INVALID_INPUT"));
  EXPECT_THAT(aws_.bodies[2], HasSubstr(R"("shareIdentifier":"rest")"));
  EXPECT_THAT(aws_.bodies[2], HasSubstr(R"("preemptible":"perhaps")"));
}

TEST_F(HandlerTest, ReportsExactlyWhatIsWorthAnotherTime) {
  AwsReply throttled;
  throttled.outcome = AwsReply::Outcome::kThrottled;
  aws_.answers["/v1/submitjob"] = {Done(R"({"jobId":"1"})"), throttled, Refused("ClientException"),
                                   Refused("AccessDeniedException"), AwsReply()};
  const Answer answer = Handle({kJob, kJob, kJob, kJob, kJob, "no JSON"});
  EXPECT_EQ(*answer.body,
            R"({"batchItemFailures":[{"itemIdentifier":"m1"},{"itemIdentifier":"m3"},)"
            R"({"itemIdentifier":"m4"}]})");
  EXPECT_EQ(answer.counts.at("DeadLetters"), 2);
}

// Its order is promised, and ends with the first that has to come again.
TEST_F(HandlerTest, ReportsAllBehindAFailureInAFifoQueue) {
  aws_.answers["/v1/submitjob"] = {Done(R"({"jobId":"1"})"), AwsReply()};
  const Answer answer = Handle({kJob, kJob, kJob, "no JSON"}, "arn:aws:sqs:r:1:q.fifo");
  EXPECT_EQ(*answer.body,
            R"({"batchItemFailures":[{"itemIdentifier":"m1"},{"itemIdentifier":"m2"},)"
            R"({"itemIdentifier":"m3"}]})");
  EXPECT_EQ(std::count(aws_.calls.begin(), aws_.calls.end(), "/v1/submitjob"), 2);
}

TEST_F(HandlerTest, NobodyElsesClaimIsTouchedBeforeItIsOld) {
  const auto item = [](int claimed_at) {
    return Done(absl::StrCat(
        R"({"Item":{"jobState":{"S":"claimed"},"claimToken":{"S":"x"},"claimedAt":{"N":")",
        claimed_at, "\"}}}"));
  };
  for (const auto& [claimed_at, free] : {std::pair(900'001, false), std::pair(900'000, true)}) {
    aws_.calls.clear();
    aws_.answers["UpdateItem"] = {Refused("ConditionalCheckFailedException")};
    aws_.answers["GetItem"] = {item(claimed_at)};
    aws_.answers["/v1/listjobs"] = {Done(
        absl::StrCat(R"({"jobSummaryList":[{"jobName":"other","jobId":"0","createdAt":1}]})"))};
    const Answer answer = Handle({kJob});
    EXPECT_EQ(*answer.body == R"({"batchItemFailures":[]})", free);
    const auto submits = std::count(aws_.calls.begin(), aws_.calls.end(), "/v1/submitjob");
    EXPECT_EQ(submits, free ? 1 : 0);
  }
}

TEST_F(HandlerTest, BeginsNothingWhenItIsLate) {
  aws_.late = true;
  EXPECT_EQ(*Handle({kJob}).body, R"({"batchItemFailures":[{"itemIdentifier":"m0"}]})");
  EXPECT_TRUE(aws_.calls.empty());
}

TEST_F(HandlerTest, WhatIsNoEventIsAnError) {
  for (const char* event : {"", "[]", "{}", R"({"Records":7})", R"({"Records":[{"body":7}]})"}) {
    const Answer answer =
        handler_->Handle(event, nullptr, v1::Stability(), absl::FromUnixSeconds(1'000));
    EXPECT_FALSE(answer.body.ok()) << event;
  }
}

}  // namespace
}  // namespace precedent::batch_lambda
