// What is left of jobs that were forgotten: greatest counts by a hash, in a space that
// does not grow. Two that share cells in every row read the greater counts of both;
// none ever reads less than its own.
#ifndef PRECEDENT_SRC_LINEAGE_SUMMARY_H_
#define PRECEDENT_SRC_LINEAGE_SUMMARY_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "src/lineage/counts.h"

namespace precedent::lineage {

class Summary {
 public:
  static constexpr std::size_t kRows = 4;

  // `width`: cells in a row, a power of 2. Takes memory at the first Note.
  explicit Summary(std::size_t width) : width_(width) {}

  // REQUIRES: counts.attempt is not 0.
  void Note(std::uint64_t hash, const Counts& counts);

  // Nothing: nobody with this hash was noted since the last Rotate but one.
  std::optional<Counts> Find(std::uint64_t hash) const;

  // Forgets what was noted before the last Rotate.
  void Rotate();

  std::size_t bytes() const {
    return (current_.capacity() + previous_.capacity()) * sizeof(Counts);
  }

  // For snapshots: kRows rows of width() cells each, one after the other; or empty.
  std::size_t width() const { return width_; }
  const std::vector<Counts>& current() const { return current_; }
  const std::vector<Counts>& previous() const { return previous_; }
  // REQUIRES: each empty or of kRows * width cells; `width` is a power of 2.
  void Restore(std::size_t width, std::vector<Counts> current, std::vector<Counts> previous);

 private:
  std::size_t Cell(std::uint64_t hash, std::size_t row) const;

  std::size_t width_;
  std::vector<Counts> current_;
  std::vector<Counts> previous_;
};

}  // namespace precedent::lineage

#endif  // PRECEDENT_SRC_LINEAGE_SUMMARY_H_
