// How often a job was preempted: over its pods, over restarts.
#include "history.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/unit/descheduler/times.h"

namespace precedent::descheduler {
namespace {

std::vector<v1::LineageEvent> Listed(const std::string& uid, std::int64_t created,
                                     const std::string& key = "team/Job/train") {
  std::vector<v1::LineageEvent> events(1);
  v1::Submission& submission = *events[0].mutable_submitted();
  submission.set_owner("team");
  submission.mutable_job()->set_id(uid);
  submission.mutable_job()->set_lineage_key(key);
  submission.mutable_job()->mutable_submitted()->set_seconds(created);
  return events;
}

std::vector<v1::LineageEvent> Ended(const std::string& uid, std::int64_t created, std::int64_t at,
                                    v1::JobEvent::Kind kind = v1::JobEvent::PREEMPTED) {
  std::vector<v1::LineageEvent> events = Listed(uid, created);
  v1::JobEvent& event = *events.emplace_back().mutable_job();
  event.set_job(uid);
  event.set_kind(kind);
  event.mutable_time()->set_seconds(at);
  return events;
}

OrderPod Pod(const std::string& uid, std::int64_t created) {
  return {"team", uid, uid, "team/Job/train", At(created)};
}

TEST(HistoryTest, ASuccessorInheritsAndOthersDoNot) {
  History history({});
  history.Observe(Listed("b", kNow - 100));
  history.Observe(Listed("sibling", kNow - 900));
  history.Observe(Listed("stranger", kNow - 50, "team/Job/other"));
  history.Observe(Ended("a", kNow - 1000, kNow - 100));
  history.Connect();
  EXPECT_EQ(history.Evictions("a"), 1);
  EXPECT_EQ(history.Evictions("b"), 1);
  EXPECT_EQ(history.Evictions("sibling"), 0) << "it ran before and still does";
  EXPECT_EQ(history.Evictions("stranger"), 0);
  EXPECT_EQ(history.Evictions("unknown"), 0);
  EXPECT_THAT(history.endings(), ::testing::ElementsAre(1, 0, 0, 0));
}

TEST(HistoryTest, WhatIsKeptCountsAfterARestart) {
  std::vector<HistoryRecord> kept;
  for (int i = 0; i < 4; ++i) {
    History history(kept);
    const std::string uid = "pod-" + std::to_string(i);
    const std::int64_t created = kNow + 1000 * i;
    history.Observe(Listed(uid, created));
    history.Connect();
    EXPECT_EQ(history.Evictions(uid), i);
    OrderPod pod = {"team", uid, uid, "", {}};
    history.Describe(&pod);
    EXPECT_EQ(pod.lineage_key, "team/Job/train");
    EXPECT_EQ(pod.created, At(created));
    history.Evicted(pod, At(created + 900) + std::chrono::milliseconds(900));
    history.Evicted(pod, At(created + 950));
    EXPECT_EQ(history.Evictions(uid), i + 1) << "once each";
    kept = history.Records(At(created + 960));
    EXPECT_EQ(kept.size(), static_cast<std::size_t>(i + 1));
  }
}

TEST(HistoryTest, APodThatStillStopsIsNotCountedTwice) {
  History first({});
  first.Observe(Listed("a", kNow));
  first.Connect();
  first.Evicted(Pod("a", kNow), At(kNow + 10));
  History second(first.Records(At(kNow + 20)));
  second.Observe(Ended("a", kNow, kNow + 10));
  second.Connect();
  EXPECT_EQ(second.Evictions("a"), 1);
  EXPECT_EQ(second.Records(At(kNow + 20)).size(), 1u);
}

TEST(HistoryTest, AVictimThatIsNotListedAnyMoreCounts) {
  History history({});
  history.Observe(Listed("b", kNow + 10));
  history.Connect();
  history.Evicted(Pod("a", kNow), At(kNow + 10));
  EXPECT_EQ(history.Evictions("b"), 1);
}

TEST(HistoryTest, OnlyPreemptionsAreKept) {
  History history({});
  history.Observe(Ended("a", kNow, kNow + 1, v1::JobEvent::FAILED));
  history.Observe(Ended("b", kNow, kNow + 1, v1::JobEvent::SUCCEEDED));
  history.Connect();
  EXPECT_TRUE(history.Records(At(kNow + 2)).empty());
  EXPECT_THAT(history.endings(), ::testing::ElementsAre(0, 0, 0, 2));
}

TEST(HistoryTest, WhoEndedByItselfWasNotPreempted) {
  History history({});
  history.Observe(Ended("a", kNow, kNow + 1, v1::JobEvent::FAILED));
  history.Connect();
  history.Evicted(Pod("a", kNow), At(kNow + 2));
  EXPECT_EQ(history.Evictions("a"), 0);
  EXPECT_TRUE(history.Records(At(kNow + 3)).empty());
}

TEST(HistoryTest, OneWhoseContainerWasStartedAgainLives) {
  History history({});
  std::vector<v1::LineageEvent> events = Ended("a", kNow, kNow + 1, v1::JobEvent::FAILED);
  events[1].mutable_job()->set_attempt(1);
  v1::JobEvent& again = *events.emplace_back().mutable_job();
  again.set_job("a");
  again.set_attempt(2);
  again.set_kind(v1::JobEvent::STARTED);
  again.mutable_time()->set_seconds(kNow + 2);
  history.Observe(events);
  history.Connect();
  history.Evicted(Pod("a", kNow), At(kNow + 3));
  EXPECT_EQ(history.Evictions("a"), 1);
  EXPECT_EQ(history.Records(At(kNow + 4)).size(), 1u);
}

TEST(HistoryTest, RecordsAreBounded) {
  std::vector<HistoryRecord> many;
  for (int i = 0; i < 1500; ++i) {
    many.push_back({"uid-" + std::to_string(i), "team", "key-" + std::to_string(i), At(kNow),
                    At(kNow + i), 0});
  }
  History history(many);
  history.Connect();
  const std::vector<HistoryRecord> kept = history.Records(At(kNow + 2000));
  ASSERT_EQ(kept.size(), History::kMaxRecords);
  for (const HistoryRecord& record : kept) EXPECT_GE(record.ended, At(kNow + 500));
  EXPECT_TRUE(history.Records(At(kNow + 8 * 86'400)).empty());
}

}  // namespace
}  // namespace precedent::descheduler
