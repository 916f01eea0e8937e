// Arrays that grow without moving what they hold: in chunks that are freed with the
// array and not before, so that a reader may look at an element whenever it likes.
#ifndef PRECEDENT_SRC_LINEAGE_CHUNKS_H_
#define PRECEDENT_SRC_LINEAGE_CHUNKS_H_

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace precedent::lineage {

// Elements are default-initialised. `Grow` is the writer's; operator[] is anybody's
// for an index that was handed over with release and acquire.
template <typename T, unsigned kLogChunk>
class Chunks {
 public:
  static constexpr std::uint32_t kChunk = 1u << kLogChunk;

  // `limit`: elements at most.
  explicit Chunks(std::size_t limit)
      : limit_(limit), chunks_(limit / kChunk + 1), directory_(new std::atomic<T*>[chunks_]()) {}
  Chunks(const Chunks&) = delete;
  Chunks& operator=(const Chunks&) = delete;
  ~Chunks() {
    for (std::size_t i = 0; i < chunks_; ++i) delete[] directory_[i].load(std::memory_order_relaxed);
  }

  // The index of a new element at the end.
  // REQUIRES: fewer than `limit` elements.
  std::uint32_t Grow() {
    if (size_ % kChunk == 0) {
      // relaxed: the index reaches readers later, with release (id_table.h, record.h).
      const std::size_t elements = std::min<std::size_t>(kChunk, limit_ - size_);
      directory_[size_ / kChunk].store(new T[elements](), std::memory_order_relaxed);
    }
    return size_++;
  }

  T& operator[](std::uint32_t i) const {
    return directory_[i / kChunk].load(std::memory_order_relaxed)[i % kChunk];
  }

  std::uint32_t size() const { return size_; }
  std::size_t limit() const { return limit_; }
  std::size_t bytes() const {
    const std::size_t used = (static_cast<std::size_t>(size_) + kChunk - 1) / kChunk;
    return std::min(used * kChunk, limit_) * sizeof(T) + chunks_ * sizeof(T*);
  }

 private:
  const std::size_t limit_;
  const std::size_t chunks_;
  const std::unique_ptr<std::atomic<T*>[]> directory_;
  std::uint32_t size_ = 0;
};

// Chunks with a list of the elements that are free again.
template <typename T, unsigned kLogChunk>
class Pool {
 public:
  explicit Pool(std::size_t limit) : chunks_(limit) {}

  std::uint32_t Take() {
    if (free_.empty()) return chunks_.Grow();
    const std::uint32_t i = free_.back();
    free_.pop_back();
    return i;
  }
  void Give(std::uint32_t i) { free_.push_back(i); }

  T& operator[](std::uint32_t i) const { return chunks_[i]; }
  std::uint32_t size() const { return chunks_.size(); }
  // How many Take can give.
  std::size_t left() const { return chunks_.limit() - chunks_.size() + free_.size(); }
  std::size_t bytes() const { return chunks_.bytes() + free_.capacity() * sizeof(std::uint32_t); }

 private:
  Chunks<T, kLogChunk> chunks_;
  std::vector<std::uint32_t> free_;
};

}  // namespace precedent::lineage

#endif  // PRECEDENT_SRC_LINEAGE_CHUNKS_H_
