// The state: what is written is read again, and nothing damaged ever is.
#include "state.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "tests/unit/descheduler/times.h"

namespace precedent::descheduler {
namespace {

using ::testing::HasSubstr;

State Example() {
  State state;
  state.owner = "host \"quoted\" \n\xe2\x80\xae";
  state.renewed = At(1'700'000'000);
  state.lease = std::chrono::milliseconds(30'000);
  Order order;
  order.job = "uid-chat";
  order.given = At(1'700'000'001);
  order.stopped = true;
  order.nodes = {"n1", "n2"};
  order.victims = {
      {"team/gang",
       "makes room",
       {{"team", "a-1", "uid-a", "team/Job/a", At(5)}, {"team", "b-1", "uid-b", "", At(6)}}}};
  state.orders = {order};
  v1::PlannerState::Hold& hold = *state.planner.add_holds();
  hold.set_job("uid-chat");
  hold.mutable_until()->set_seconds(1'700'000'300);
  hold.add_victims("team/gang");
  hold.add_pods()->set_pod("search/chat");
  v1::PlannerState::Eviction& eviction = *state.planner.add_evictions();
  eviction.set_job("team/gang");
  eviction.mutable_time()->set_seconds(1'700'000'001);
  (*eviction.mutable_labels())["a/b"] = "c";
  state.history = {{"uid-old", "team", "team/Job/a", At(1), At(2), 3}};
  return state;
}

TEST(StateTest, WhatIsWrittenIsReadAgain) {
  const std::string text = WriteState(Example());
  const absl::StatusOr<State> read = ReadState(text);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(WriteState(*read), text);
  EXPECT_EQ(read->owner, Example().owner);
  EXPECT_EQ(read->renewed, At(1'700'000'000));
  EXPECT_EQ(read->lease.count(), 30'000);
  ASSERT_EQ(read->orders.size(), 1u);
  const Order& order = read->orders[0];
  EXPECT_EQ(order.job, "uid-chat");
  EXPECT_EQ(order.given, At(1'700'000'001));
  EXPECT_TRUE(order.stopped);
  EXPECT_EQ(order.nodes, (std::vector<std::string>{"n1", "n2"}));
  ASSERT_EQ(order.victims.size(), 1u);
  ASSERT_EQ(order.victims[0].pods.size(), 2u);
  EXPECT_EQ(order.victims[0].pods[0].uid, "uid-a");
  EXPECT_EQ(order.victims[0].pods[0].lineage_key, "team/Job/a");
  EXPECT_EQ(order.victims[0].pods[1].created, At(6));
  EXPECT_EQ(read->planner.SerializeAsString().size(), Example().planner.SerializeAsString().size());
  EXPECT_EQ(read->planner.holds(0).until().seconds(), 1'700'000'300);
  EXPECT_EQ(read->planner.evictions(0).labels().at("a/b"), "c");
  ASSERT_EQ(read->history.size(), 1u);
  EXPECT_EQ(read->history[0].before, 3);
}

TEST(StateTest, AnEmptyOneIsWholeWithAnOwner) {
  State state;
  state.owner = "a";
  EXPECT_TRUE(ReadState(WriteState(state)).ok());
  EXPECT_FALSE(ReadState(WriteState(State())).ok());
}

TEST(StateTest, NoBeginningOfOneIsAState) {
  const std::string text = WriteState(Example());
  for (std::size_t size = 0; size < text.size(); ++size) {
    EXPECT_FALSE(ReadState(text.substr(0, size)).ok()) << size;
  }
}

TEST(StateTest, EachMemberIsMissed) {
  const std::string text = WriteState(Example());
  for (const char* key : {"version", "owner",   "renewed",   "leaseMilliseconds",
                          "orders",  "planner", "history",   "for",
                          "given",   "stopped", "nodes",     "victims",
                          "job",     "pods",    "namespace", "name",
                          "uid",     "key",     "created",   "ended",
                          "before"}) {
    const std::string quoted = absl::StrCat("\"", key, "\":");
    ASSERT_TRUE(absl::StrContains(text, quoted)) << key;
    // The last one: `job` and `pods` are the planner's words, too.
    std::string without = text;
    const std::size_t at = std::string(key) == "job" || std::string(key) == "pods"
                               ? text.find(quoted)
                               : text.rfind(quoted);
    without.replace(at, quoted.size(), "\"x\":");
    EXPECT_FALSE(ReadState(without).ok()) << key;
  }
}

TEST(StateTest, WrongTypesAndNumbers) {
  const std::string text = WriteState(Example());
  for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{
           {"\"stopped\":1", "\"stopped\":2"},
           {"\"stopped\":1", "\"stopped\":true"},
           {"\"renewed\":1700000000000000", "\"renewed\":-1"},
           {"\"renewed\":1700000000000000", "\"renewed\":9e99"},
           {"\"leaseMilliseconds\":30000", "\"leaseMilliseconds\":99999999999"},
           {"\"nodes\":[\"n1\"", "\"nodes\":[1"},
           {"\"uid\":\"uid-a\"", "\"uid\":\"\""},
           {"\"holds\":", "\"hoards\":"},
           {"\"for\":\"uid-chat\"", "\"for\":null"}}) {
    ASSERT_TRUE(absl::StrContains(text, from)) << from;
    EXPECT_FALSE(ReadState(absl::StrReplaceAll(text, {{from, to}})).ok()) << to;
  }
}

TEST(StateTest, AnotherVersionIsToldApart) {
  const std::string text =
      absl::StrReplaceAll(WriteState(Example()), {{"\"version\":1,", "\"version\":2,"}});
  const absl::Status status = ReadState(text).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()), HasSubstr("another release"));
}

TEST(StateTest, TheOldestHistoryGoesFirstAndOrdersNever) {
  State state = Example();
  state.history.clear();
  for (int i = 0; i < 100; ++i) {
    state.history.push_back({absl::StrCat("uid-", i), "team", "key", At(i), At(1000 + i), 0});
  }
  const std::size_t whole = WriteState(state).size();
  State fits = state;
  ASSERT_TRUE(FitState(&fits, whole).ok());
  EXPECT_EQ(fits.history.size(), 100u);
  const absl::StatusOr<std::string> text = FitState(&state, whole - 1);
  ASSERT_TRUE(text.ok());
  EXPECT_LT(text->size(), whole);
  ASSERT_EQ(state.history.size(), 50u);
  for (const HistoryRecord& record : state.history) EXPECT_GE(record.ended, At(1050));
  EXPECT_EQ(FitState(&state, 100).status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(state.orders.size(), 1u);
}

}  // namespace
}  // namespace precedent::descheduler
