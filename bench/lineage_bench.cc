// What the lineage graph holds and costs at a million living jobs: memory, facts, events,
// and events that reach many. Beside facts, a hash map behind a shared mutex: what one
// would write instead, and what waits for its writer.
//
//   lineage_bench [--benchmark_filter=...]
//
// `bytes` is a job's share of what the graph holds; `x` is a time divided by that of one
// plain event in the same run.
#include <benchmark/benchmark.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <mutex>
#include <random>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "precedent/lineage.h"

namespace {

using precedent::Cause;
using precedent::EventKind;
using precedent::JobEvent;
using precedent::Lineage;
using precedent::LineageGraph;
using precedent::LineageOptions;
using precedent::ParentRef;
using precedent::Relation;
using precedent::Submission;
using precedent::TimePoint;

constexpr std::size_t kJobs = 1'000'000;

TimePoint At(std::int64_t seconds) { return TimePoint(std::chrono::seconds(seconds)); }

// As a UUID is written.
std::string Id(std::uint64_t n) {
  std::mt19937_64 random(n);
  const std::uint64_t a = random(), b = random();
  char text[37];
  std::snprintf(text, sizeof text, "%08x-%04x-%04x-%04x-%012llx", static_cast<unsigned>(a >> 32),
                static_cast<unsigned>(a >> 16 & 0xffff), static_cast<unsigned>(a & 0xffff),
                static_cast<unsigned>(b >> 48), static_cast<unsigned long long>(b & 0xffffffffffff));
  return text;
}

void Submit(LineageGraph& graph, std::string_view id, std::string_view owner,
            std::string_view key, std::int64_t seconds, std::string_view parent = {},
            Relation relation = Relation::kDependsOn) {
  const ParentRef parents[] = {{parent, relation}};
  Submission submission;
  submission.id = id;
  submission.owner = owner;
  submission.lineage_key = key;
  submission.submitted = At(seconds);
  if (!parent.empty()) submission.parents = precedent::Span<const ParentRef>(parents);
  if (!graph.Submit(submission).ok()) std::abort();
}

// A million jobs, each with a parent of its team; 50 teams, 8 jobs to a key.
struct Million {
  std::vector<std::string> ids;
  LineageGraph graph;
  std::size_t empty_bytes = graph.bytes();
  std::int64_t time = 10'000'000;
  std::vector<std::int32_t> attempt = std::vector<std::int32_t>(kJobs, 0);

  Million() {
    ids.reserve(kJobs);
    for (std::size_t i = 0; i < kJobs; ++i) {
      ids.push_back(Id(i));
      const std::string owner = "team-" + std::to_string(i % 50);
      const std::string key = "ml/Job/train-" + std::to_string(i / 400);
      // Chains of 16 in each team.
      const bool first = i < 50 || (i / 50) % 16 == 0;
      Submit(graph, ids[i], owner, key, static_cast<std::int64_t>(i),
             first ? std::string_view() : ids[i - 50]);
    }
  }
};

Million& TheMillion() {
  static Million* const million = new Million;
  return *million;
}

// Ids in a random order, side by side, so that reading them costs little.
const std::vector<std::uint32_t>& RandomOrder() {
  static const auto* const order = [] {
    auto* all = new std::vector<std::uint32_t>(1 << 20);
    std::mt19937 random(7);
    for (auto& i : *all) i = random() % kJobs;
    return all;
  }();
  return *order;
}
const std::string& RandomIds() {
  static const auto* const ids = [] {
    auto* all = new std::string;
    for (const std::uint32_t i : RandomOrder()) *all += TheMillion().ids[i];
    return all;
  }();
  return *ids;
}
std::string_view RandomId(std::size_t i) {
  return std::string_view(RandomIds()).substr((i & ((1 << 20) - 1)) * 36, 36);
}

void Memory(benchmark::State& state) {
  Million& million = TheMillion();
  for (auto _ : state) benchmark::DoNotOptimize(million.graph.bytes());
  state.counters["bytes"] =
      static_cast<double>(million.graph.bytes() - million.empty_bytes) / kJobs;
  state.counters["fixed"] = static_cast<double>(million.empty_bytes);
}
BENCHMARK(Memory)->Iterations(1);

void Facts(benchmark::State& state) {
  Million& million = TheMillion();
  RandomId(0);
  std::size_t i = 0;
  for (auto _ : state) {
    const auto facts = million.graph.Facts(RandomId(i++));
    if (!facts.has_value()) return state.SkipWithError("a job is not there");
    benchmark::DoNotOptimize(facts->failure_count);
  }
}
BENCHMARK(Facts);

// Of as many jobs of the million as a scheduler has in hand: what a read costs where
// memory does not.
void FactsOfJobsInHand(benchmark::State& state) {
  Million& million = TheMillion();
  RandomId(0);
  std::size_t i = 0;
  for (auto _ : state) {
    const auto facts = million.graph.Facts(RandomId(i++ & 1023));
    if (!facts.has_value()) return state.SkipWithError("a job is not there");
    benchmark::DoNotOptimize(facts->failure_count);
  }
}
BENCHMARK(FactsOfJobsInHand);

void FactsOfAMapBehindAMutex(benchmark::State& state) {
  absl::flat_hash_map<std::string, Lineage> map;
  std::shared_mutex mutex;
  for (const std::string& id : TheMillion().ids) map.emplace(id, Lineage{});
  std::size_t i = 0;
  for (auto _ : state) {
    const std::shared_lock<std::shared_mutex> lock(mutex);
    const std::string_view id = RandomId(i++);
    const auto found = map.find(absl::string_view(id.data(), id.size()));
    Lineage facts = found->second;
    benchmark::DoNotOptimize(facts);
  }
}
BENCHMARK(FactsOfAMapBehindAMutex);

double plain_event_nanoseconds = 0;

// Attempts that start, save their state, report and are lost, on random jobs.
void Events(benchmark::State& state) {
  Million& million = TheMillion();
  const auto& order = RandomOrder();
  constexpr EventKind kKinds[] = {EventKind::kStarted, EventKind::kCheckpointed,
                                  EventKind::kCheckpointed, EventKind::kPreempted};
  std::size_t i = 0;
  const auto begin = std::chrono::steady_clock::now();
  for (auto _ : state) {
    // The same job four times in a row, as it is with a stream of events sorted by job.
    const std::uint32_t job = order[i / 4 & ((1 << 20) - 1)];
    JobEvent event;
    event.job = million.ids[job];
    event.kind = kKinds[i % 4];
    event.attempt = million.attempt[job] += i % 4 == 0;
    event.time = At(++million.time);
    if (!million.graph.Apply(event).ok()) return state.SkipWithError("an event is refused");
    ++i;
  }
  plain_event_nanoseconds = std::chrono::duration<double, std::nano>(
                                std::chrono::steady_clock::now() - begin).count() /
                            static_cast<double>(state.iterations());
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(Events);

// Each event about another job than the one before.
void ScatteredEvents(benchmark::State& state) {
  Million& million = TheMillion();
  RandomId(0);
  std::size_t i = 0;
  for (auto _ : state) {
    JobEvent event;
    event.job = RandomId(i++);
    event.kind = EventKind::kCheckpointed;
    event.time = At(++million.time);
    if (!million.graph.Apply(event).ok()) return state.SkipWithError("an event is refused");
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(ScatteredEvents);

// Jobs that come, start, fail and are forgotten, beside a million that stay: four events
// each.
void Lifecycles(benchmark::State& state) {
  Million& million = TheMillion();
  std::int64_t n = 0;
  std::string id = Id(kJobs + 1);
  for (auto _ : state) {
    ++n;
    std::snprintf(id.data(), 17, "%016llx", static_cast<unsigned long long>(n));
    id[16] = '-';
    Submit(million.graph, id, "team-1", "ml/Job/short-" + std::to_string(n / 8), ++million.time);
    JobEvent event;
    event.job = id;
    for (const EventKind kind : {EventKind::kStarted, EventKind::kFailed}) {
      event.kind = kind;
      event.cause = Cause::kOwn;
      event.time = At(++million.time);
      if (!million.graph.Apply(event).ok()) return state.SkipWithError("an event is refused");
    }
    million.graph.Advance(At(million.time));
  }
  state.SetItemsProcessed(state.iterations() * 4);
}
BENCHMARK(Lifecycles);

// A failure at the head of a chain of retries, which all inherit it.
void EventInAChain(benchmark::State& state) {
  LineageGraph graph;
  std::string last = Id(0);
  Submit(graph, last, "team", "", 0);
  for (std::int64_t i = 1; i < state.range(0); ++i) {
    const std::string next = Id(static_cast<std::uint64_t>(i));
    Submit(graph, next, "team", "", i, last, Relation::kRetryOf);
    last = next;
  }
  const std::string head = Id(0);
  std::int32_t attempt = 0;
  const auto begin = std::chrono::steady_clock::now();
  for (auto _ : state) {
    JobEvent event;
    event.job = head;
    event.kind = EventKind::kFailed;
    event.cause = Cause::kOwn;
    event.attempt = ++attempt;
    event.time = At(1000 + attempt);
    if (!graph.Apply(event).ok()) return state.SkipWithError("an event is refused");
  }
  const double each = std::chrono::duration<double, std::nano>(
                          std::chrono::steady_clock::now() - begin).count() /
                      static_cast<double>(state.iterations());
  if (graph.Facts(last)->failure_count != attempt) state.SkipWithError("the last did not inherit");
  state.counters["x"] = each / plain_event_nanoseconds;
  state.counters["x/job"] = each / plain_event_nanoseconds / static_cast<double>(state.range(0));
}
BENCHMARK(EventInAChain)->Arg(1)->Arg(64);

// A parent of so many jobs fails again; they all inherit, or all see how long it ran.
void EventInAFan(benchmark::State& state) {
  const auto relation = static_cast<Relation>(state.range(1));
  LineageGraph graph;
  const std::string parent = Id(0);
  Submit(graph, parent, "team", "", 0);
  for (std::int64_t i = 1; i <= state.range(0); ++i)
    Submit(graph, Id(static_cast<std::uint64_t>(i)), "team", "", i, parent, relation);
  std::int32_t attempt = 0;
  const auto begin = std::chrono::steady_clock::now();
  for (auto _ : state) {
    JobEvent event;
    event.job = parent;
    event.kind = EventKind::kStarted;
    event.attempt = ++attempt;
    event.time = At(100'000 + 10 * attempt);
    if (!graph.Apply(event).ok()) return state.SkipWithError("an event is refused");
    event.kind = EventKind::kPreempted;
    event.time = At(100'001 + 10 * attempt + attempt % 2);
    if (!graph.Apply(event).ok()) return state.SkipWithError("an event is refused");
  }
  const double each = std::chrono::duration<double, std::nano>(
                          std::chrono::steady_clock::now() - begin).count() /
                      static_cast<double>(state.iterations());
  state.counters["x"] = each / plain_event_nanoseconds;
  state.counters["x/job"] = each / plain_event_nanoseconds / static_cast<double>(state.range(0));
}
BENCHMARK(EventInAFan)
    ->Args({10'000, static_cast<int>(Relation::kRetryOf)})
    ->Args({10'000, static_cast<int>(Relation::kDependsOn)})
    ->Unit(benchmark::kMicrosecond);

}  // namespace

BENCHMARK_MAIN();
