# fault NAME FILE OLD NEW TEST CHECK
#
# Replaces OLD, which occurs once in include/precedent/FILE, by NEW; then CHECK of
# tests/unit/live/TEST_test.cc has to fail. TEST with `tsan:` in front: under
# ThreadSanitizer, with a data race.
# shellcheck shell=bash disable=SC2016

fault open-ignored internal/published.h \
  'oldest < node->retired_at || ' '' \
  protocol Protocol.ReaderStoppedBeforeNarrowingKeepsAllUpToTheCap
fault exact-ignored internal/published.h \
  'if (node->version == version) node->pinned = true;' '(void)version;' \
  protocol Protocol.GuardKeepsItsValueAndNoOther
fault no-narrowing internal/published.h \
  'slots_.Narrow(claim, node->version);' '' \
  protocol Protocol.GuardKeepsItsValueAndNoOther
fault overflow-ignored internal/published.h \
  'drained < node->retired_at || ' '(void)drained, ' \
  protocol Overflow.KeepsTheValue
fault one-overflow-counter internal/claimed_slots.h \
  'if (shared_->overflow[phase].readers.load(std::memory_order_seq_cst) == 0) drained_' 'drained_' \
  protocol Overflow.KeepsTheValue
fault phase-never-turned internal/claimed_slots.h \
  'shared_->phase.store(1 - phase, std::memory_order_relaxed);' '' \
  protocol Overflow.KeepsTheValue
fault newcomers-in-one-counter internal/claimed_slots.h \
  'shared_->overflow[shared_->phase.load(std::memory_order_relaxed) & 1]' 'shared_->overflow[0]' \
  protocol Overflow.ThatNeverEndsStillLetsValuesGo
fault retired-too-early internal/published.h \
  'Retire(old, epoch + 1)' 'Retire(old, epoch)' \
  protocol Protocol.ReaderStoppedBeforeNarrowingKeepsAllUpToTheCap
fault no-cap internal/published.h \
  'if (node == nullptr || retired_count_ >= max_retired_) {' 'if (node == nullptr) {' \
  protocol Protocol.ReaderStoppedBeforeNarrowingKeepsAllUpToTheCap
fault moved-guard-leaves-too internal/published.h \
  ': slots_(std::exchange(other.slots_, nullptr))' ': slots_(other.slots_)' \
  protocol Protocol.GuardsMove
fault inherited-guard-leaves internal/claimed_slots.h \
  'if (shared_->stamp.load(std::memory_order_relaxed) != claim.stamp) return;' '' \
  fork Fork.InheritedGuardsAreDroppedWithoutHarm
fault not-wiped internal/wiped_memory.h \
  'wiped_ = madvise(pages, size, MADV_WIPEONFORK) == 0;' 'wiped_ = true;' \
  fork Fork.ChildDoesNotWaitForTheParentsReaders
fault symbol-of-the-process internal/claimed_slots.h \
  '[[gnu::visibility("hidden")]] inline' 'inline' \
  dlopen Dlopen.TwoHundredTimesWithThreadsThatOutliveTheLibrary
fault leave-relaxed internal/claimed_slots.h \
  'claim.word->store(0, std::memory_order_release)' 'claim.word->store(0, std::memory_order_relaxed)' \
  tsan:stress Stress.ReadersAndAWriter
fault overflow-leave-relaxed internal/claimed_slots.h \
  'fetch_sub(1, std::memory_order_release)' 'fetch_sub(1, std::memory_order_relaxed)' \
  tsan:stress Stress.PublishUnderOverflow
fault claim-relaxed internal/claimed_slots.h \
  'compare_exchange_strong(expected, open, std::memory_order_seq_cst,' \
  'compare_exchange_strong(expected, open, std::memory_order_relaxed,' \
  tsan:stress Stress.OneSlotForAll
fault claim-without-exchange internal/claimed_slots.h \
  'if (claim.word->compare_exchange_strong(expected, open, std::memory_order_seq_cst,
                                              std::memory_order_relaxed)) {' \
  'if (claim.word->load() == expected) {
        claim.word->store(open);' \
  tsan:stress Stress.PublishUnderOverflow
