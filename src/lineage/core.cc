#include "src/lineage/core.h"

#include <chrono>
#include <cstring>
#include <utility>

#include "absl/hash/hash.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "precedent/internal/hash.h"

namespace precedent::internal {
namespace {

using lineage::Facts;
using lineage::Header;
using lineage::IdWords;
using lineage::kInlineIdBytes;
using lineage::Word;

LineageOptions Sane(LineageOptions options) {
  options.max_jobs = std::clamp<std::size_t>(options.max_jobs, 1, (std::size_t{1} << 30) - 2);
  options.max_depth = std::min<std::uint32_t>(options.max_depth, 0xffff);
  options.retention = std::max(options.retention, std::chrono::seconds{0});
  options.retry_window = std::max(options.retry_window, std::chrono::seconds{0});
  options.keep_events = std::max(options.keep_events, std::chrono::seconds{0});
  return options;
}

std::size_t MostEdges(const LineageOptions& options) {
  const std::size_t parents = std::max<std::uint32_t>(options.max_parents, 1);
  return options.max_jobs < kNoEdge / parents ? options.max_jobs * parents : kNoEdge;
}

std::size_t SummaryWidth(std::size_t max_jobs) {
  std::size_t width = 1 << 8;
  while (width < max_jobs / 16 && width < (1 << 16)) width *= 2;
  return width;
}

// Where memory is differs from run to run, as does the time; that is all that is asked.
std::uint64_t Entropy(const void* object) {
  const auto time = std::chrono::steady_clock::now().time_since_epoch().count();
  return absl::HashOf(object, &object, time);
}

}  // namespace

// Blocks for ids that do not fit a record. Never given back before the graph goes: a
// reader may look at one that has become another's.
struct LineageCore::LongIds {
  static constexpr std::size_t kClasses = 4;
  static constexpr std::size_t kBlocks = 64;  // allocated at once

  static std::size_t ClassOf(std::size_t length) {
    std::size_t c = 0;
    while ((std::size_t{64} << c) < length) ++c;
    return c;
  }
  Word* Take(std::size_t length) {
    const std::size_t c = ClassOf(length);
    if (free[c].empty()) {
      const std::size_t words = std::size_t{8} << c;
      memory.emplace_back(new Word[words * kBlocks]());
      held += words * kBlocks * sizeof(Word);
      for (std::size_t i = kBlocks; i-- > 0;) free[c].push_back(memory.back().get() + i * words);
    }
    Word* const block = free[c].back();
    free[c].pop_back();
    return block;
  }
  void Give(Word* block, std::size_t length) { free[ClassOf(length)].push_back(block); }

  std::vector<std::unique_ptr<Word[]>> memory;
  std::vector<Word*> free[kClasses];
  std::size_t held = 0;
};

LineageCore::LineageCore(const LineageOptions& wanted)
    : options(Sane(wanted)),
      records(options.max_jobs),
      reports(options.max_jobs + 1),
      jobs(options.max_jobs),
      edges(MostEdges(options)),
      groups(options.max_jobs),
      ids(options.max_jobs),
      summary(SummaryWidth(options.max_jobs)),
      id_seed(options.hash_seed != 0 ? options.hash_seed : Entropy(this)),
      seeds{Mix(id_seed ^ 0x5851f42d4c957f2du, 0x9e3779b97f4a7c15u),
            Mix(id_seed ^ 0x14057b7ef767814fu, 0xd1b54a32d192ed03u)},
      long_ids_(std::make_unique<LongIds>()),
      group_by_key_(0, GroupHasher{&groups}, GroupEqual{&groups}) {
  reports.Take();  // 0: nothing was reported
}

LineageCore::~LineageCore() = default;

std::uint64_t LineageCore::IdHash(std::string_view id) const {
  return absl::HashOf(id_seed, absl::string_view(id.data(), id.size()));
}

std::uint64_t LineageCore::StoredHash(std::string_view a, std::string_view b,
                                      unsigned seed) const {
  const std::uint64_t first = HashBytes(a.data(), a.size(), seeds[seed]);
  return HashBytes(b.data(), b.size(), first ^ seeds[seed]);
}

std::uint64_t LineageCore::JobHash(std::uint64_t owner, std::string_view id) const {
  return HashBytes(id.data(), id.size(), owner ^ seeds[1]);
}

std::optional<JobSlot> LineageCore::Find(std::string_view wanted) const {
  std::optional<JobSlot> found;
  ids.Search(IdHash(wanted), [&](JobSlot slot) {
    if (id(slot) != wanted) return false;
    found = slot;
    return true;
  });
  return found;
}

std::string_view LineageCore::id(JobSlot slot) const {
  const Record& record = records[slot];
  const std::uint32_t length = record.LoadHeader().length;
  const Word* words = record.id;
  if (length > kInlineIdBytes)
    words = reinterpret_cast<const Word*>(record.id[0].load(std::memory_order_relaxed));
  // The words are stored by this thread alone, and nobody stores them meanwhile.
  static_assert(sizeof(Word) == sizeof(std::uint64_t));
  return {reinterpret_cast<const char*>(words), length};
}

Facts LineageCore::FactsOf(JobSlot slot) const {
  const Record& record = records[slot];
  return record.LoadFacts(record.LoadHeader().live());
}

Report::Values LineageCore::ReportOf(JobSlot slot, const Facts& facts) const {
  if (facts.report == 0) return {facts.step, kAbsent, kAbsent};
  return reports[facts.report].Load(records[slot].LoadHeader().live());
}

Lineage LineageCore::LineageOf(JobSlot slot) const {
  const Facts facts = FactsOf(slot);
  return lineage::Compose(facts, ReportOf(slot, facts), records[slot].LoadHeader().depth);
}

void LineageCore::StoreFacts(JobSlot slot, const Facts& facts, const Report::Values& values) {
  Record& record = records[slot];
  Header header = record.LoadHeader();
  const unsigned idle = 1 - header.live();
  // See record.h. Between the two headers the counter is odd.
  ++header.counter;
  record.StoreHeader(header);
  record.StoreFacts(idle, facts);
  if (facts.report != 0) reports[facts.report].Store(idle, values);
  ++header.counter;
  record.StoreHeader(header);
}

bool LineageCore::IsPlain(const Report::Values& values) {
  return IsAbsent(values.progress) && IsAbsent(values.priority) && values.step >= 0 &&
         values.step <= INT32_MAX;
}

JobSlot LineageCore::NewRecord(std::string_view id, std::uint32_t depth, const Facts& facts,
                               const Report::Values& values) {
  const JobSlot slot = records.Take();
  if (slot == jobs.size()) jobs.Grow();
  Record& record = records[slot];
  Header header = record.LoadHeader();
  Word* words = record.id;
  if (id.size() > kInlineIdBytes) {
    words = long_ids_->Take(id.size());
    record.id[0].store(reinterpret_cast<std::uint64_t>(words), std::memory_order_release);
  }
  IdWords(id).Store(words);
  header.counter += 4;
  header.length = static_cast<std::uint32_t>(id.size());
  header.depth = depth;
  record.StoreFacts(header.live(), facts);
  if (facts.report != 0) reports[facts.report].Store(header.live(), values);
  record.StoreHeader(header);
  ids.Insert(IdHash(id), slot, [this](JobSlot other) { return HashOf(other); });
  return slot;
}

void LineageCore::FreeRecord(JobSlot slot) {
  Record& record = records[slot];
  ids.Erase(HashOf(slot), slot);
  const std::uint32_t report = FactsOf(slot).report;
  Header header = record.LoadHeader();
  const std::uint32_t length = header.length;
  header.counter += 4;
  header.length = 0;
  record.StoreHeader(header);
  // Only now: whoever reads these for the job that is gone sees that it is.
  if (report != 0) reports.Give(report);
  if (length > kInlineIdBytes) {
    long_ids_->Give(reinterpret_cast<Word*>(record.id[0].load(std::memory_order_relaxed)), length);
  }
  records.Give(slot);
}

std::size_t LineageCore::bytes() const {
  std::size_t sum = sizeof *this + records.bytes() + reports.bytes() + jobs.bytes() +
                    edges.bytes() + groups.bytes() + ids.bytes() + summary.bytes() +
                    long_ids_->held;
  sum += group_by_key_.capacity() * (sizeof(std::uint32_t) + 1);
  for (const KeptEvent& event : kept) sum += sizeof event + event.job.capacity();
  return sum;
}

std::string Quoted(std::string_view text) {
  constexpr std::size_t kMost = 80;
  const absl::string_view shown(text.data(), std::min(text.size(), kMost));
  return absl::StrCat("`", shown, text.size() > kMost ? "..." : "", "`");
}

}  // namespace precedent::internal
