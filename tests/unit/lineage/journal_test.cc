// Journals and snapshots: whole, cut, damaged, and of the past.
#include "precedent/lineage_journal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "google/protobuf/text_format.h"
#include "google/protobuf/util/message_differencer.h"
#include "src/lineage/crc32c.h"
#include "src/lineage/frame.h"
#include "tests/unit/lineage/build.h"
#include "tests/unit/lineage/saved.h"

namespace precedent {
namespace {

using google::protobuf::util::MessageDifferencer;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

v1::LineageEvent Message(const std::string& text) {
  v1::LineageEvent event;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &event)) << text;
  return event;
}

std::vector<v1::LineageEvent> SomeEvents() {
  return {
      Message(R"(submitted { owner: "ml" job { id: "a" lineage_key: "k" submitted { seconds: 100 }
                 lineage { failure_count: 2 } } })"),
      Message(R"(job { job: "a" attempt: 1 kind: STARTED time { seconds: 110 } })"),
      Message(R"(job { job: "a" attempt: 1 kind: FAILED cause: OWN time { seconds: 120 nanos: 500000 } })"),
      Message(R"(submitted { owner: "ml" job { id: "b" lineage_key: "k" submitted { seconds: 130 }
                 parents { id: "a" relation: RETRY_OF } } })"),
      Message(R"(job { job: "b" kind: PROGRESS time { seconds: 140 } step: 3 progress: 0.5 reported_priority: -7 })"),
      Message(R"(job { job: "later" kind: PREEMPTED time { seconds: 150 } })"),
  };
}

std::string Journal(const std::vector<v1::LineageEvent>& events) {
  std::ostringstream out;
  for (const v1::LineageEvent& event : events) EXPECT_TRUE(AppendToJournal(event, out).ok());
  return out.str();
}

struct Read {
  std::vector<v1::LineageEvent> events;
  JournalEnd end;
};
Read ReadAll(const std::string& bytes) {
  std::istringstream in(bytes);
  Read read;
  read.end = ReadJournal(in, [&](const v1::LineageEvent& event) { read.events.push_back(event); });
  return read;
}

void ExpectPrefix(const Read& read, const std::vector<v1::LineageEvent>& events) {
  ASSERT_LE(read.events.size(), events.size());
  EXPECT_EQ(read.end.records, read.events.size());
  for (std::size_t i = 0; i < read.events.size(); ++i)
    EXPECT_TRUE(MessageDifferencer::Equals(read.events[i], events[i])) << i;
}

TEST(Journal, GivesBackWhatWasWritten) {
  const auto events = SomeEvents();
  const std::string bytes = Journal(events);
  const Read read = ReadAll(bytes);
  EXPECT_EQ(read.events.size(), events.size());
  ExpectPrefix(read, events);
  EXPECT_EQ(read.end.bytes, bytes.size());
  EXPECT_EQ(read.end.damage, "");
}

TEST(Journal, CutAtAnyByteGivesAllWholeRecords) {
  const auto events = SomeEvents();
  const std::string bytes = Journal(events);
  std::vector<std::size_t> ends = {0};
  for (std::size_t n = 1; n <= events.size(); ++n)
    ends.push_back(Journal({events.begin(), events.begin() + static_cast<std::ptrdiff_t>(n)}).size());
  for (std::size_t cut = 0; cut <= bytes.size(); ++cut) {
    const Read read = ReadAll(bytes.substr(0, cut));
    ExpectPrefix(read, events);
    const auto whole = static_cast<std::size_t>(
        std::upper_bound(ends.begin(), ends.end(), cut) - ends.begin() - 1);
    EXPECT_EQ(read.events.size(), whole) << cut;
    EXPECT_EQ(read.end.bytes, ends[whole]);
    EXPECT_EQ(read.end.damage.empty(), cut == ends[whole]) << cut;
  }
}

TEST(Journal, AFlippedBitAnywhereLosesNothingBeforeIt) {
  const auto events = SomeEvents();
  const std::string bytes = Journal(events);
  std::vector<std::size_t> ends;
  for (std::size_t n = 1; n <= events.size(); ++n)
    ends.push_back(Journal({events.begin(), events.begin() + static_cast<std::ptrdiff_t>(n)}).size());
  for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    std::string damaged = bytes;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ 1 << bit % 8);
    const Read read = ReadAll(damaged);
    ExpectPrefix(read, events);
    const auto whole = static_cast<std::size_t>(
        std::upper_bound(ends.begin(), ends.end(), bit / 8) - ends.begin());
    ASSERT_EQ(read.events.size(), whole) << "bit " << bit;
    EXPECT_THAT(read.end.damage, HasSubstr("record " + std::to_string(whole + 1) + " at byte "));
  }
}

// RFC 3720, B.4.
TEST(Journal, TheChecksumIsCrc32c) {
  EXPECT_EQ(lineage::ExtendCrc32c(0, std::string(32, '\0')), 0x8a9136aau);
  EXPECT_EQ(lineage::ExtendCrc32c(0, std::string(32, '\xff')), 0x62a8ab43u);
}

TEST(Journal, ThatWasStoredLongAgoIsRead) {
  std::ifstream file(PRECEDENT_SOURCE_DIR "/tests/corpus/lineage/journal.bin", std::ios::binary);
  ASSERT_TRUE(file.is_open());
  std::vector<v1::LineageEvent> events;
  const JournalEnd end =
      ReadJournal(file, [&](const v1::LineageEvent& event) { events.push_back(event); });
  EXPECT_EQ(end.damage, "");
  ASSERT_EQ(events.size(), SomeEvents().size());
  for (std::size_t i = 0; i < events.size(); ++i)
    EXPECT_TRUE(MessageDifferencer::Equals(events[i], SomeEvents()[i]));
}

std::unique_ptr<LineageGraph> Replayed(const std::vector<v1::LineageEvent>& events) {
  LineageOptions options;
  options.max_jobs = 64;
  options.hash_seed = 4711;
  auto graph = std::make_unique<LineageGraph>(options);
  for (const v1::LineageEvent& event : events) {
    const auto applied = ApplyTo(*graph, event);
    EXPECT_TRUE(applied.ok()) << applied.status();
  }
  return graph;
}

// Some of everything: also jobs that were forgotten, and long ids.
std::unique_ptr<LineageGraph> SomeGraph() {
  auto graph = Replayed(SomeEvents());
  const std::string name(100, 'x');
  EXPECT_TRUE(graph->Submit(Job(name, 0)).ok());
  EXPECT_TRUE(graph->Submit(Job("forgotten", 0).Key("old")).ok());
  EXPECT_TRUE(graph->Apply(Failed("forgotten", 1)).ok());
  graph->Advance(At(8 * 86400));
  EXPECT_FALSE(graph->Find("forgotten").has_value());
  EXPECT_TRUE(graph->Submit(Job("c", 8 * 86400).StepOf(name)).ok());
  EXPECT_TRUE(graph->Apply(Failed("c", 8 * 86400 + 5)).ok());
  return graph;
}

TEST(Snapshot, GoesOnWhereTheSavedOneStood) {
  const auto graph = SomeGraph();
  std::istringstream in(Saved(*graph));
  const auto restored = RestoreLineage(in);
  ASSERT_TRUE(restored.ok()) << restored.status();
  EXPECT_EQ((*restored)->jobs(), graph->jobs());
  EXPECT_EQ((*restored)->living_jobs(), graph->living_jobs());
  // The same bytes again: nothing that is saved was lost.
  EXPECT_EQ(Saved(**restored), Saved(*graph));
  // And the same answers to what comes next, which needs what cannot be seen.
  for (LineageGraph* const g : {graph.get(), restored->get()}) {
    EXPECT_EQ(*g->Submit(Job("d", 8 * 86400 + 9).Key("old")), Applied::kChanged);
    EXPECT_EQ(g->Facts("d")->failure_count, 1);
    EXPECT_EQ(*g->Submit(Job("later", 8 * 86400)), Applied::kChanged);
    EXPECT_EQ(g->Facts("later")->preemption_count, 0);  // kept for an hour only
    EXPECT_EQ(*g->Apply(Failed("b", 9 * 86400)), Applied::kChanged);
    EXPECT_EQ(g->Facts("b")->failure_count, 4);
    EXPECT_EQ(g->Facts("b")->reported_priority, -7);
    EXPECT_EQ(*g->Submit(Job("e", 8 * 86400 + 9).RetryOf("forgotten")), Applied::kChanged);
    EXPECT_EQ(g->Facts("e")->failure_count, 1);
    EXPECT_EQ(g->Submit(Job("f", 8 * 86400 + 9).RetryOf("nobody")).status().code(),
              absl::StatusCode::kNotFound);
  }
  EXPECT_EQ(Saved(**restored), Saved(*graph));
}

TEST(Snapshot, EventsThatWaitAreInIt) {
  const auto graph = Replayed(SomeEvents());
  std::istringstream in(Saved(*graph));
  const auto restored = RestoreLineage(in);
  ASSERT_TRUE(restored.ok()) << restored.status();
  Job later("later", -1);
  ASSERT_TRUE((*restored)->Submit(later).ok());
  EXPECT_EQ((*restored)->Facts("later")->preemption_count, 1);
}

TEST(Snapshot, CutOrDamagedAnywhereIsRefused) {
  const std::string bytes = Saved(*Replayed(SomeEvents()));
  for (std::size_t cut = 0; cut < bytes.size(); ++cut) {
    std::istringstream in(bytes.substr(0, cut));
    const auto restored = RestoreLineage(in);
    ASSERT_EQ(restored.status().code(), absl::StatusCode::kDataLoss) << cut;
    EXPECT_THAT(std::string(restored.status().message()), HasSubstr("lineage snapshot, after byte "));
  }
  for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    std::string damaged = bytes;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ 1 << bit % 8);
    std::istringstream in(damaged);
    ASSERT_EQ(RestoreLineage(in).status().code(), absl::StatusCode::kDataLoss) << bit;
  }
}

TEST(Snapshot, NeedsRoom) {
  std::istringstream in(Saved(*SomeGraph()));
  LineageOptions options;
  options.max_jobs = 2;
  const auto restored = RestoreLineage(in, options);
  EXPECT_EQ(restored.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(restored.status().message()), HasSubstr("max_jobs (2)"));
}

TEST(Snapshot, ThatWasStoredLongAgoIsRead) {
  std::ifstream file(PRECEDENT_SOURCE_DIR "/tests/corpus/lineage/snapshot.bin", std::ios::binary);
  ASSERT_TRUE(file.is_open());
  const auto restored = RestoreLineage(file);
  ASSERT_TRUE(restored.ok()) << restored.status();
  const LineageGraph& graph = **restored;
  EXPECT_EQ(graph.jobs(), 4u);
  EXPECT_EQ(graph.Facts("a")->failure_count, 3);
  EXPECT_EQ(graph.Facts("b")->failure_count, 3);
  EXPECT_EQ(graph.Facts("b")->attempt, 2);
  EXPECT_EQ(graph.Facts("b")->step, 3);
  EXPECT_EQ(graph.Facts("b")->progress, 0.5);
  EXPECT_EQ(graph.Facts("b")->predecessor_runtime_seconds, 10.0005);
  EXPECT_EQ(graph.Facts("c")->step, 1);
  // From its summary, through hashes that must stay what they are.
  EXPECT_EQ(*(*restored)->Submit(Job("d", 8 * 86400 + 9).Key("old")), Applied::kChanged);
  EXPECT_EQ(graph.Facts("d")->failure_count, 1);
}

TEST(Snapshot, FromALaterVersionIsReadAsFarAsItIsKnown) {
  // A record of an unknown kind, behind the first: field 15, a text.
  const std::string bytes = Saved(*Replayed(SomeEvents()));
  v1::LineageSnapshotRecord later;
  later.GetReflection()->MutableUnknownFields(&later)->AddLengthDelimited(15, "news");
  std::ostringstream out;
  // The frames, one by one; the last counts those before it.
  std::size_t at = 0;
  std::uint64_t records = 0;
  const auto write = [&](const v1::LineageSnapshotRecord& record) {
    ASSERT_TRUE(lineage::WriteRecord(record, out).ok());
    ++records;
  };
  while (at < bytes.size()) {
    std::uint32_t length;
    std::memcpy(&length, bytes.data() + at, 4);
    v1::LineageSnapshotRecord record;
    ASSERT_TRUE(record.ParseFromString(bytes.substr(at + 8, length)));
    if (record.has_job())
      record.mutable_job()->GetReflection()->MutableUnknownFields(record.mutable_job())->AddVarint(99, 1);
    if (records == 1) write(later);
    if (record.has_end()) record.mutable_end()->set_records(records);
    write(record);
    at += 8 + length;
  }
  std::istringstream changed(out.str());
  const auto restored = RestoreLineage(changed);
  ASSERT_TRUE(restored.ok()) << restored.status();
  EXPECT_EQ((*restored)->Facts("b")->failure_count, 3);
}

TEST(Messages, WhatIsNotKnownIsRefused) {
  LineageGraph graph;
  const auto refused = [&](const std::string& text, const std::string& why) {
    const auto applied = ApplyTo(graph, Message(text));
    EXPECT_EQ(applied.status().code(), absl::StatusCode::kInvalidArgument) << text;
    EXPECT_THAT(std::string(applied.status().message()), HasSubstr(why));
  };
  refused("", "neither `submitted` nor `job`");
  refused(R"(job { job: "a" time { seconds: 1 } })", "kind 0");
  refused(R"(job { job: "a" kind: FAILED time { seconds: 253402300800 } })", "years 1 to 9999");
  refused(R"(job { job: "a" kind: FAILED })", "it has no time");
  refused(R"(submitted { job { id: "a" submitted { seconds: 1 nanos: -1 } } })", "years 1 to 9999");
  refused(R"(submitted { job { id: "a" } })", "no time of submission");
  v1::LineageEvent odd = Message(R"(job { job: "a" kind: FAILED time { seconds: 1 } })");
  odd.mutable_job()->set_cause(static_cast<v1::JobEvent::Cause>(9));
  EXPECT_THAT(std::string(ApplyTo(graph, odd).status().message()), HasSubstr("cause 9"));
  EXPECT_EQ(graph.jobs(), 0u);
}

TEST(Messages, ClaimedLineageNeverHappened) {
  LineageGraph graph;
  ASSERT_TRUE(ApplyTo(graph, Message(R"(submitted { job { id: "a" submitted { seconds: 1 }
      lineage { failure_count: 5 } claimed: LINEAGE } })")).ok());
  EXPECT_EQ(graph.Facts("a")->failure_count, 0);
}

}  // namespace
}  // namespace precedent
