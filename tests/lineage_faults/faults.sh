# fault NAME FILE OLD NEW CHECK
#
# Replaces OLD, which occurs once in src/lineage/FILE, by NEW; then CHECK of
# tests/unit/lineage/readers_test.cc has to fail. CHECK with `tsan:` in front: under
# ThreadSanitizer, with a data race.
# shellcheck shell=bash

fault live-copy-filled store.h '1 - header.live()' 'header.live()' \
  Readers.ThatStoppedForOneChangeGoOn
fault never-torn store.h \
  'if (!header.StoodUntil(record.LoadHeader())) return torn = true;
        result' 'result' Readers.ThatStoppedForTwoChangesTryAgain
fault one-change-too-many record.h '<= 2;' '<= 3;' Readers.TryAgainOnlyAfterTwoChanges
fault reader-waits record.h '~std::uint64_t{1}) <= 2' '~std::uint64_t{1}) <= 0' \
  Readers.DoNotWaitForAWriterThatStopped
fault id-not-compared store.h 'if (!wanted.Equals(words)) return false;' '' Readers.CompareIds
fault counter-starts-again store.h '    header.counter += 4;
    header.length = 0;' '    header.counter = 0;
    header.length = 0;' Readers.ThatStoppedForAnotherJobDoNotTellOfIt
fault gap-stays id_table.h 'Overwrite(table, gap, entry);' '' Readers.FindWhatMovesUp
fault leaves-before-it-stands id_table.h 'Overwrite(table, gap, entry);' \
  'Overwrite(table, at, kFree), hash_of((entry & SlotMask()) - 1), Overwrite(table, gap, entry);' \
  Readers.FindWhatMovesUp
fault moves-ignored id_table.h \
  'if (table->moves.load(std::memory_order_acquire) == moves) return false;' 'return false;' \
  Readers.LookAgainWhereJobsMoved
fault table-published-relaxed id_table.h \
  'current_.store(tables_.back().get(), std::memory_order_release)' \
  'current_.store(tables_.back().get(), std::memory_order_relaxed)' tsan:Readers.BesideAWriter
