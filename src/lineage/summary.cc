#include "src/lineage/summary.h"

#include <algorithm>
#include <utility>

#include "precedent/internal/hash.h"

namespace precedent::lineage {
namespace {

constexpr std::uint64_t kRowSeeds[Summary::kRows] = {
    0x9e3779b97f4a7c15u, 0xbf58476d1ce4e5b9u, 0x94d049bb133111ebu, 0xd6e8feb86659fd93u};

}  // namespace

std::size_t Summary::Cell(std::uint64_t hash, std::size_t row) const {
  return row * width_ + (internal::Mix(hash ^ kRowSeeds[row], kRowSeeds[row]) & (width_ - 1));
}

void Summary::Note(std::uint64_t hash, const Counts& counts) {
  if (current_.empty()) current_.resize(kRows * width_);
  for (std::size_t row = 0; row < kRows; ++row) Raise(current_[Cell(hash, row)], counts);
}

std::optional<Counts> Summary::Find(std::uint64_t hash) const {
  std::optional<Counts> found;
  for (const std::vector<Counts>* cells : {&current_, &previous_}) {
    if (cells->empty()) continue;
    Counts least{kMaxCount, kMaxCount, kMaxCount, kMaxCount};
    for (std::size_t row = 0; row < kRows; ++row) {
      const Counts& cell = (*cells)[Cell(hash, row)];
      least.failure = std::min(least.failure, cell.failure);
      least.preemption = std::min(least.preemption, cell.preemption);
      least.infrastructure = std::min(least.infrastructure, cell.infrastructure);
      least.attempt = std::min(least.attempt, cell.attempt);
    }
    if (least.attempt == 0) continue;
    if (!found.has_value()) found.emplace();
    Raise(*found, least);
  }
  return found;
}

void Summary::Rotate() {
  previous_ = std::move(current_);
  current_.clear();
}

void Summary::Restore(std::size_t width, std::vector<Counts> current,
                      std::vector<Counts> previous) {
  width_ = width;
  current_ = std::move(current);
  previous_ = std::move(previous);
}

}  // namespace precedent::lineage
