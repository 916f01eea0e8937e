// Published<T>: one live T that writers replace and readers use without waiting.
//
// Readers announce themselves in claimed slots (claimed_slots.h). A writer exchanges
// the live node, remembers the old one as retired, and frees a retired node once no
// announcement can stand for it.
//
// INVARIANTS
//  1. current_ is null or a node that is not in the retired list. A node's version is
//     what epoch_ was before the exchange that made it live; epoch_ grows by one after
//     each exchange, so versions differ.
//  2. A retired node's retired_at is epoch_ after the exchange that replaced it.
//  3. Who reads a node has announced OPEN(e) with e < retired_at, EXACT(its version),
//     or stands in an overflow counter, from before its load of current_ to its leave.
//  4. A retired node is freed only after the overflow counters were each seen at 0,
//     and a scan saw no OPEN(e) with e < retired_at and no EXACT(version), all after
//     the exchange.
// Why 3 and 4 suffice: the announcement, the reader's load of current_, the exchange
// and the writer's looks at slots and counters are all sequentially consistent. A
// reader that got the node loaded current_ before the exchange in that order, so it
// announced before, and the writer looks after: it sees the announcement or what
// followed it. e < retired_at because the epoch is read first and stored last: who
// reads the new epoch finds the new node. tests/model checks this exhaustively, and
// that it fails when a step is left out.
//
// Progress: Read and leaving are wait-free. Publish waits for other writers only and
// does work linear in the slots. A reader stopped for ever inside pins one node if it
// narrowed, which is all but a few instructions of its time; stopped in those, or in
// overflow, it pins every later one, so there is a cap on retired nodes.
#ifndef PRECEDENT_INTERNAL_PUBLISHED_H_
#define PRECEDENT_INTERNAL_PUBLISHED_H_

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <mutex>
#include <new>
#include <thread>
#include <utility>

#include "precedent/internal/abi.h"
#include "precedent/internal/claimed_slots.h"

namespace precedent {
namespace internal {

struct PublishedPeer;  // of the tests: stops readers where they cannot be stopped

inline namespace PRECEDENT_ABI {

enum class Publication { kDone, kRefused, kFull };

template <typename T>
class Published {
  struct Node {
    explicit Node(T v) : value(std::move(v)) {}
    T value;
    std::uint64_t version = 0;
    // The rest is the writers', under mutex_.
    std::uint64_t retired_at = 0;
    bool pinned = false;
    Node* next = nullptr;
  };

 public:
  // Keeps what was live when it was made. Empty if nothing was. May be moved to
  // another thread and dropped there. REQUIRES: gone before the Published is.
  class Reader {
   public:
    Reader(Reader&& other) noexcept
        : slots_(std::exchange(other.slots_, nullptr)),
          claim_(other.claim_),
          value_(std::exchange(other.value_, nullptr)) {}
    Reader& operator=(Reader&& other) noexcept {
      if (this == &other) return *this;
      Leave();
      slots_ = std::exchange(other.slots_, nullptr);
      claim_ = other.claim_;
      value_ = std::exchange(other.value_, nullptr);
      return *this;
    }
    Reader(const Reader&) = delete;
    Reader& operator=(const Reader&) = delete;
    ~Reader() { Leave(); }

    // Null if nothing was live, or after a move.
    const T* get() const noexcept { return value_; }

   private:
    friend class Published;
    Reader() noexcept = default;
    void Leave() noexcept {
      if (slots_ != nullptr) slots_->Leave(claim_);
    }

    ClaimedSlots* slots_ = nullptr;
    Claim claim_;
    const T* value_ = nullptr;
  };

  struct Counts {
    std::uint64_t published = 0;
    std::uint64_t refused = 0;  // times that Publish said kRefused
    std::uint64_t full = 0;     // and kFull
    std::uint64_t retired = 0;  // replaced and not yet freed
    std::uint64_t freed = 0;
    std::uint64_t overflows = 0;
  };

  // `max_retired`: see above; 1 at least. Throws std::bad_alloc.
  Published(std::uint32_t slots, std::size_t max_retired)
      : slots_(slots), max_retired_(max_retired < 1 ? 1 : max_retired) {}
  Published(const Published&) = delete;
  Published& operator=(const Published&) = delete;
  ~Published() {
    Free(retired_);
    delete current_.load(std::memory_order_relaxed);
  }

  Reader Read() noexcept {
    Reader reader;
    const Claim claim = slots_.Enter(epoch_);
    // seq_cst, with Publish's exchange: behind the announcement in the one order (see
    // above). acquire is in it: the node's content was written before the exchange.
    const Node* node = current_.load(std::memory_order_seq_cst);
    if (node == nullptr) {
      slots_.Leave(claim);
      return reader;
    }
    slots_.Narrow(claim, node->version);
    reader.slots_ = &slots_;
    reader.claim_ = claim;
    reader.value_ = &node->value;
    return reader;
  }

  // Makes `value` live if accept(live value or null) is true. kFull: max_retired nodes
  // are still being read (or there is no memory). What is not accepted changes nothing.
  template <typename Accept>
  Publication Publish(T value, Accept&& accept) noexcept {
    Node* node = new (std::nothrow) Node(std::move(value));
    Node* freed = nullptr;
    Publication result = Publication::kDone;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      // relaxed, here and below: only writers change these, under the lock.
      Node* old = current_.load(std::memory_order_relaxed);
      if (node == nullptr || retired_count_ >= max_retired_) freed = Reclaim();
      if (node == nullptr || retired_count_ >= max_retired_) {
        result = Publication::kFull;
        ++full_;
      } else if (!accept(old == nullptr ? nullptr : &old->value)) {
        result = Publication::kRefused;
        ++refused_;
      } else {
        const std::uint64_t epoch = epoch_.load(std::memory_order_relaxed);
        node->version = epoch;
        // seq_cst, with Read's load: see above.
        current_.exchange(node, std::memory_order_seq_cst);
        // release, with Enter's load: who reads the new epoch does not find `old`.
        epoch_.store(epoch + 1, std::memory_order_release);
        node = nullptr;
        ++published_;
        if (old != nullptr) Retire(old, epoch + 1);
        freed = Concatenate(freed, Reclaim());
      }
    }
    // Outside the lock: a large policy takes a while to free.
    delete node;
    Free(freed);
    return result;
  }

  // Waits until whatever was replaced before the call is freed: nobody uses it any
  // more. False where `deadline` came first. Looks once even if it has passed.
  bool Synchronize(std::chrono::steady_clock::time_point deadline) noexcept {
    std::uint64_t target = 0;
    for (int round = 0;; ++round) {
      Node* freed = nullptr;
      bool done = true;
      {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (round == 0) target = epoch_.load(std::memory_order_relaxed);
        freed = Reclaim();
        for (const Node* node = retired_; node != nullptr; node = node->next)
          if (node->retired_at <= target) done = false;
      }
      Free(freed);
      if (done) return true;
      if (std::chrono::steady_clock::now() >= deadline) return false;
      // Readers are mostly gone within microseconds; one that is not may stay long.
      if (round < 100) {
        std::this_thread::yield();
      } else {
        std::this_thread::sleep_for(std::chrono::microseconds(100));
      }
    }
  }

  // Waits for writers.
  Counts counts() const noexcept {
    const std::lock_guard<std::mutex> lock(mutex_);
    return {published_, refused_, full_, retired_count_, freed_, slots_.overflows()};
  }

 private:
  friend struct internal::PublishedPeer;

  void Retire(Node* node, std::uint64_t epoch) noexcept {
    node->retired_at = epoch;
    node->next = retired_;
    retired_ = node;
    ++retired_count_;
  }

  // Takes the nodes out of the retired list that nobody reads; returns them.
  Node* Reclaim() noexcept {
    if (retired_ == nullptr) return nullptr;
    const std::uint64_t drained = slots_.DrainedUpTo(epoch_.load(std::memory_order_relaxed));
    std::uint64_t oldest = std::numeric_limits<std::uint64_t>::max();
    for (Node* node = retired_; node != nullptr; node = node->next) node->pinned = false;
    slots_.Scan([&](std::uint64_t epoch) { oldest = epoch < oldest ? epoch : oldest; },
                [&](std::uint64_t version) {
                  for (Node* node = retired_; node != nullptr; node = node->next)
                    if (node->version == version) node->pinned = true;
                });
    Node* freed = nullptr;
    for (Node** link = &retired_; *link != nullptr;) {
      Node* node = *link;
      if (drained < node->retired_at || oldest < node->retired_at || node->pinned) {
        link = &node->next;
        continue;
      }
      *link = node->next;
      node->next = freed;
      freed = node;
      --retired_count_;
      ++freed_;
    }
    return freed;
  }

  static Node* Concatenate(Node* first, Node* second) noexcept {
    if (first == nullptr) return second;
    Node* last = first;
    while (last->next != nullptr) last = last->next;
    last->next = second;
    return first;
  }

  static void Free(Node* list) noexcept {
    while (list != nullptr) delete std::exchange(list, list->next);
  }

  // Read by every reader, written by a publish only.
  alignas(128) std::atomic<Node*> current_{nullptr};
  std::atomic<std::uint64_t> epoch_{1};
  ClaimedSlots slots_;

  // The writers'.
  alignas(128) mutable std::mutex mutex_;
  const std::size_t max_retired_;
  Node* retired_ = nullptr;
  std::size_t retired_count_ = 0;
  std::uint64_t published_ = 0;
  std::uint64_t refused_ = 0;
  std::uint64_t full_ = 0;
  std::uint64_t freed_ = 0;
};

}  // namespace PRECEDENT_ABI
}  // namespace internal
}  // namespace precedent

#endif  // PRECEDENT_INTERNAL_PUBLISHED_H_
