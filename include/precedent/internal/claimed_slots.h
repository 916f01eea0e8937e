// Claimed slots: readers say that they read, without a lock; writers see who does.
//
// A reader claims a slot, one word on a cache line of its own, by changing it from 0
// to OPEN(epoch): "I read something that was live at that epoch or later". Once it
// knows what it got it narrows the word to EXACT(version): "I read this and nothing
// else". It leaves by writing 0. If its slots are taken it counts itself in one of two
// overflow counters instead. published.h has the writers' side and the proof.
//
// No thread registers, and nothing is kept for a thread but the number of the slot
// that it tries first: a claim may be left by another thread than the one that made
// it, and threads and shared libraries may go at any time.
//
// INVARIANTS
//  1. A slot's word is 0, OPEN(e) or EXACT(v). From 0 it changes only by one reader's
//     compare-and-swap, and then only that reader's claim changes it, back to 0 at last.
//  2. An overflow counter is the number of claims counted in it and not yet left.
//  3. stamp is 0 from a fork (or the start) to the first claim, then constant, and
//     differs from the stamp of every process that this one was forked from. So a
//     claim made before the fork is told from those of this process, and leaving it
//     touches none of them. (A compare-and-swap from the claim's own word to 0 would
//     do less, as a claim of the child may look the same, and costs a locked
//     instruction: 6 ns more.)
#ifndef PRECEDENT_INTERNAL_CLAIMED_SLOTS_H_
#define PRECEDENT_INTERNAL_CLAIMED_SLOTS_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <thread>

#include "precedent/internal/abi.h"
#include "precedent/internal/wiped_memory.h"

namespace precedent {
namespace internal {
inline namespace PRECEDENT_ABI {

// The slot that this thread tries first; 0 before its first claim. Hidden: a symbol
// shared between libraries would be unique in the process, and would keep a library
// that uses it from being unloaded. Initial-exec: the C library sets the other kinds
// aside on first use, with malloc (musl refuses to load this one, so only glibc).
#if defined(__GLIBC__)
[[gnu::tls_model("initial-exec")]]
#endif
[[gnu::visibility("hidden")]] inline thread_local std::uint32_t first_slot = 0;

// A reader's announcement: a value to hand back to ClaimedSlots::Leave, once.
struct Claim {
  std::atomic<std::uint64_t>* word = nullptr;
  std::uint32_t stamp = 0;
  bool counted = false;  // in an overflow counter
};

class ClaimedSlots {
 public:
  // How many slots a reader tries.
  static constexpr std::uint32_t kProbes = 8;

  // Enough that overflow is rare: four a core, and 64 at least.
  static std::uint32_t DefaultCount() noexcept {
    std::uint32_t count = 64;
    while (count < 4 * std::thread::hardware_concurrency() && count < (1u << 20)) count *= 2;
    return count;
  }

  // Throws std::bad_alloc. REQUIRES: `count` is a power of two.
  explicit ClaimedSlots(std::uint32_t count)
      : memory_(sizeof(Shared) + count * sizeof(Slot)), mask_(count - 1) {
    auto* bytes = static_cast<std::byte*>(memory_.data());
    shared_ = new (bytes) Shared;
    slots_ = reinterpret_cast<Slot*>(bytes + sizeof(Shared));
    for (std::uint32_t i = 0; i < count; ++i) new (&slots_[i]) Slot;
  }

  // The reader's side. Wait-free: kProbes compare-and-swaps and a few additions at most.

  // Announces. What the caller loads (sequentially consistent) from where writers
  // exchange is then safe until Leave.
  Claim Enter(const std::atomic<std::uint64_t>& epoch) noexcept {
    Claim claim;
    claim.stamp = Stamp();
    // acquire, with Published::Publish's store: who reads an epoch finds nothing that
    // was replaced before it. Relaxed, OPEN could say more than is true.
    const std::uint64_t open = Open(epoch.load(std::memory_order_acquire));
    const std::uint32_t first = FirstSlot();
    for (std::uint32_t k = 0; k < kProbes; ++k) {
      claim.word = &slots_[(first + k) & mask_].word;
      std::uint64_t expected = 0;
      // seq_cst, with Scan's load: before the caller's load of what is live in the one
      // order that also has the writer's exchange and scan. Weaker, the store may still
      // be on its way when the writer looks, and the writer frees what is being read.
      // It also acquires what the slot's last owner released, for Scan (see Narrow).
      if (claim.word->compare_exchange_strong(expected, open, std::memory_order_seq_cst,
                                              std::memory_order_relaxed)) {
        if (k != 0) first_slot = first + k;  // somebody else is at home there: move
        return claim;
      }
    }
    // relaxed: either counter is right; the phase only says which one drains.
    Counter& counter = shared_->overflow[shared_->phase.load(std::memory_order_relaxed) & 1];
    counter.total.fetch_add(1, std::memory_order_relaxed);
    claim.word = &counter.readers;
    claim.counted = true;
    // seq_cst, with DrainedUpTo's loads, for the reason given above.
    counter.readers.fetch_add(1, std::memory_order_seq_cst);
    return claim;
  }

  // From now on the claim stands for `version` only. release, with Scan's load: orders
  // nothing of this reader's own, but carries on what its Enter acquired, so that the
  // writer that sees this word also sees that the slot's earlier owners are done.
  void Narrow(const Claim& claim, std::uint64_t version) noexcept {
    if (!claim.counted) claim.word->store(Exact(version), std::memory_order_release);
  }

  // Ends the claim. release, with the loads of Scan and DrainedUpTo: the writer frees after
  // the reader's last use. Relaxed, it might free before.
  void Leave(const Claim& claim) noexcept {
    // relaxed: constant while this process has claims (invariant 3).
    if (shared_->stamp.load(std::memory_order_relaxed) != claim.stamp) return;
    if (claim.counted) {
      claim.word->fetch_sub(1, std::memory_order_release);
    } else {
      claim.word->store(0, std::memory_order_release);
    }
  }

  // The writer's side: one at a time.

  // An epoch such that whoever was in overflow while it, or an earlier one, began has
  // left. `epoch`: the current one. Newcomers are sent to the other counter, so that
  // both run empty in turn, and the result grows, even if the stream of them never ends.
  std::uint64_t DrainedUpTo(std::uint64_t epoch) noexcept {
    const std::uint32_t phase = shared_->phase.load(std::memory_order_relaxed) & 1;
    // seq_cst, with Enter's addition: in the one order after the writer's exchange, so
    // a reader of what was replaced is seen. acquire is in it, with Leave's release.
    if (shared_->overflow[1 - phase].readers.load(std::memory_order_seq_cst) != 0) return drained_;
    // Both were seen empty since the phase was turned to what it is.
    drained_ = turned_;
    shared_->phase.store(1 - phase, std::memory_order_relaxed);
    turned_ = epoch;
    if (shared_->overflow[phase].readers.load(std::memory_order_seq_cst) == 0) drained_ = epoch;
    return drained_;
  }

  // Calls on_open(epoch) or on_exact(version) for every slot that is claimed.
  template <typename OnOpen, typename OnExact>
  void Scan(OnOpen&& on_open, OnExact&& on_exact) const noexcept {
    for (std::uint32_t i = 0; i <= mask_; ++i) {
      // seq_cst: as in DrainedUpTo.
      const std::uint64_t word = slots_[i].word.load(std::memory_order_seq_cst);
      if (word == 0) continue;
      if ((word & 3) == kOpen) {
        on_open(word >> 2);
      } else {
        on_exact(word >> 2);
      }
    }
  }

  // Readers that found no slot, ever (in this process).
  std::uint64_t overflows() const noexcept {
    return shared_->overflow[0].total.load(std::memory_order_relaxed) +
           shared_->overflow[1].total.load(std::memory_order_relaxed);
  }
  std::uint32_t count() const noexcept { return mask_ + 1; }
  bool wiped_on_fork() const noexcept { return memory_.wiped(); }

 private:
  static constexpr std::uint64_t kOpen = 1;
  static constexpr std::uint64_t kExact = 2;
  static constexpr std::uint64_t Open(std::uint64_t epoch) { return epoch << 2 | kOpen; }
  static constexpr std::uint64_t Exact(std::uint64_t version) { return version << 2 | kExact; }

  // 128 bytes apart: x86 fetches lines in pairs.
  struct alignas(128) Slot {
    std::atomic<std::uint64_t> word{0};
  };
  struct alignas(128) Counter {
    std::atomic<std::uint64_t> readers{0};
    std::atomic<std::uint64_t> total{0};
  };
  // With the slots in the memory that a fork wipes; zero is right for all of it.
  struct Shared {
    // Read by all, written after a fork and by reclaiming writers.
    alignas(128) std::atomic<std::uint32_t> stamp{0};
    std::atomic<std::uint32_t> phase{0};
    Counter overflow[2];
  };

  // relaxed throughout: the value is one process's own, and a claim that is handed to
  // another thread takes it along.
  std::uint32_t Stamp() noexcept {
    const std::uint32_t stamp = shared_->stamp.load(std::memory_order_relaxed);
    return stamp != 0 ? stamp : NewStamp();
  }
  std::uint32_t NewStamp() noexcept {
    // forks_ is not wiped and grows before the stamp is set: stamp <= forks_ here and
    // in every ancestor, so the number is new to all of them.
    const std::uint32_t stamp = forks_.fetch_add(1, std::memory_order_relaxed) + 1;
    std::uint32_t expected = 0;
    return shared_->stamp.compare_exchange_strong(expected, stamp, std::memory_order_relaxed)
               ? stamp
               : expected;
  }

  std::uint32_t FirstSlot() noexcept {
    if (first_slot == 0) first_slot = threads_.fetch_add(1, std::memory_order_relaxed) + 1;
    return first_slot;
  }

  WipedMemory memory_;
  Shared* shared_;
  Slot* slots_;
  const std::uint32_t mask_;
  std::atomic<std::uint32_t> forks_{0};
  std::atomic<std::uint32_t> threads_{0};  // written once a thread
  // The writer's: when the phase was turned last, and DrainedUpTo's last result.
  std::uint64_t turned_ = 0;
  std::uint64_t drained_ = 0;
};

}  // namespace PRECEDENT_ABI
}  // namespace internal
}  // namespace precedent

#endif  // PRECEDENT_INTERNAL_CLAIMED_SLOTS_H_
