#include "src/lineage/core.h"

#include <algorithm>
#include <chrono>

#include "absl/hash/hash.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "precedent/internal/hash.h"

namespace precedent::internal {
namespace {

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
std::uint64_t SeedOf(const LineageOptions& options, const void* object) {
  if (options.hash_seed != 0) return options.hash_seed;
  const auto time = std::chrono::steady_clock::now().time_since_epoch().count();
  return absl::HashOf(object, &object, time);
}

}  // namespace

JobSlot LineageCore::NewJob(std::string_view id, std::uint32_t depth,
                            const lineage::Facts& facts, const Report::Values& values) {
  const JobSlot slot = NewRecord(id, depth, facts, values);
  if (slot == jobs.size()) jobs.Grow();
  return slot;
}

LineageCore::LineageCore(const LineageOptions& wanted)
    : RecordStore(Sane(wanted).max_jobs, SeedOf(wanted, this)),
      options(Sane(wanted)),
      jobs(options.max_jobs),
      edges(MostEdges(options)),
      groups(options.max_jobs),
      summary(SummaryWidth(options.max_jobs)),
      seeds{Mix(SeedOf(options, this) ^ 0x5851f42d4c957f2du, 0x9e3779b97f4a7c15u),
            Mix(SeedOf(options, &seeds) ^ 0x14057b7ef767814fu, 0xd1b54a32d192ed03u)},
      group_by_key_(0, GroupHasher{&groups}, GroupEqual{&groups}) {}

LineageCore::~LineageCore() = default;

std::uint64_t LineageCore::StoredHash(std::string_view a, std::string_view b,
                                      unsigned seed) const {
  const std::uint64_t first = HashBytes(a.data(), a.size(), seeds[seed]);
  return HashBytes(b.data(), b.size(), first ^ seeds[seed]);
}

std::uint64_t LineageCore::JobHash(std::uint64_t owner, std::string_view id) const {
  return HashBytes(id.data(), id.size(), owner ^ seeds[1]);
}

std::size_t LineageCore::bytes() const {
  std::size_t sum = sizeof *this + store_bytes() + jobs.bytes() + edges.bytes() + groups.bytes() +
                    summary.bytes();
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
