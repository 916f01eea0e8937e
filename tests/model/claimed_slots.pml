/* The reload protocol of include/precedent/internal/{published,claimed_slots}.h, as
 * Spin explores it: every interleaving of READERS readers, who read READS times each,
 * and one writer, who publishes PUBLISHES times and then synchronizes.
 *
 * Safety: nobody uses a value that was freed; a slot is never two readers'; when only
 * a narrowed reader is left inside, one value at most is kept.
 * Progress: a reader takes a bounded number of steps (it has no loop but the SLOTS
 * tries), and the writer's wait for the readers of what it replaced ends if they go on
 * at all (weak fairness; -DNP, and a wait that never ends is a non-progress cycle). With
 * ENDLESS that holds even if the readers come again and again, and all of them, with
 * ONLY_OVERFLOW, meet in the overflow counters.
 *
 * One step of the model is one access to shared memory; the processor's order is taken
 * as sequentially consistent here (store_buffer.pml says what happens if it is not).
 *
 * Twins, each of which must fail:
 *   NO_OVERFLOW_CHECK    the writer frees without a look at the overflow counters
 *   STAMP_EARLY          a value is stamped as retired before the epoch grows
 *   NO_NARROW            readers stay OPEN: with STALL, one pins every later value
 *   EXACT_IGNORED        the writer frees what a narrowed reader has
 *   ONE_COUNTER          the writer looks at one overflow counter only
 *   PLAIN_CLAIM          a slot is claimed by a load and a store
 *   EPOCH_FIRST          the epoch grows before the exchange
 *   NO_TURN              newcomers always count in one counter: with ENDLESS and
 *                        ONLY_OVERFLOW, it need never be empty
 */
#ifndef READERS
#define READERS 3
#endif
#ifndef READS
#define READS 1
#endif
#ifndef PUBLISHES
#define PUBLISHES 2
#endif
#ifndef SLOTS
#define SLOTS 2
#endif

#define VALUES (PUBLISHES + 1)
#define OPEN(e) ((e) * 2 + 1)
#define EXACT(v) ((v) * 2 + 2)
#define IS_OPEN(w) ((w) % 2 == 1)
#define NUMBER(w) (((w) - 1) / 2)

/* Values are numbered as they are published; the first is live from the start, and
 * its version is 0. The version of value n is n, as the epoch grows by one each time. */
byte current = 0;
byte epoch = 1;
byte slot[SLOTS];
byte overflow[2];
bit phase = 0;

/* The writer's own. */
byte retired_at[VALUES];  /* 0: not retired */
bool freed[VALUES];
byte turned = 0;
byte drained = 0;

/* For the properties only. */
byte finished = 0;  /* with STALL: readers that are done */
byte owners[SLOTS];
bool stalled = false;  /* with STALL: reader 0 has stopped inside, for good */

/* Values that nobody needs any more are set back: fewer states. */
inline own(k) {
  got = k + 1;
  e = 0;
  owners[k]++;
  assert(owners[k] == 1)
}

/* Tries slot (me + s) % SLOTS. */
inline claim() {
#ifdef PLAIN_CLAIM
  word = slot[(me + s) % SLOTS];
  if
  :: word == 0 -> d_step { slot[(me + s) % SLOTS] = OPEN(e); own((me + s) % SLOTS) }
  :: else
  fi;
  d_step { word = 0; s++ }
#else
  d_step {
    if
    :: slot[(me + s) % SLOTS] == 0 ->
      slot[(me + s) % SLOTS] = OPEN(e);
      own((me + s) % SLOTS)
    :: else
    fi;
    s++
  }
#endif
}

proctype Reader(byte me) {
  byte e, p, got, round, s;
#ifdef PLAIN_CLAIM
  byte word;
#endif
  bit side;
  do
  :: round < READS ->
    e = epoch;
#ifndef ONLY_OVERFLOW
    do
    :: s < SLOTS && got == 0 -> claim()
    :: else -> break
    od;
#endif
    if
    :: got != 0 ->
      p = current;
#ifndef NO_NARROW
      slot[got - 1] = EXACT(p);
#endif
#ifdef STALL
      if
      :: me == 0 -> stalled = true; end_stalled: false
      :: else
      fi;
#endif
      /* What is freed stays freed: it is enough to look at the end. */
      d_step {
        assert(!freed[p]);
        slot[got - 1] = 0;
        owners[got - 1]--;
      }
    :: else ->
      side = phase;
      overflow[side]++;
      p = current;
      d_step { assert(!freed[p]); overflow[side]--; }
    fi;
    d_step {
#ifndef ENDLESS
      round++;
#endif
      e = 0; p = 0; got = 0; s = 0; side = 0;
    }
  :: else -> break
  od
#ifdef STALL
  ; finished++
#endif
}

/* One look at everything; frees what nobody has. `kept` is what is left. */
inline reclaim() {
#ifndef NO_OVERFLOW_CHECK
#ifdef ONE_COUNTER
  drained = 0;
  if
  :: overflow[1 - phase] == 0 -> d_step { drained = epoch; phase = 1 - phase; }
  :: else
  fi;
#else
  if
  :: overflow[1 - phase] == 0 ->
    d_step { drained = turned; }
#ifndef NO_TURN
    d_step { phase = 1 - phase; turned = epoch; }
    if
    :: overflow[1 - phase] == 0 -> drained = epoch
    :: else
    fi
#else
    if
    :: overflow[phase] == 0 -> drained = epoch
    :: else
    fi
#endif
  :: else
  fi;
#endif
#else
  drained = epoch;
#endif
  d_step {
    oldest = 255;
    i = 0;
  }
  do
  :: i < SLOTS ->
    d_step {
      word = slot[i];
      if
      :: word != 0 && IS_OPEN(word) && NUMBER(word) < oldest -> oldest = NUMBER(word)
#ifndef EXACT_IGNORED
      :: word != 0 && !IS_OPEN(word) -> pinned[NUMBER(word)] = true
#endif
      :: else
      fi;
      word = 0;
      i++
    }
  :: else -> break
  od;
  skip;  /* Spin lets no loop end in a d_step */
  d_step {
    i = 0;
    kept = 0;
    v = 0;
    do
    :: v < VALUES ->
      if
      :: retired_at[v] != 0 && !freed[v] && drained >= retired_at[v] &&
         oldest >= retired_at[v] && !pinned[v] -> freed[v] = true
      :: retired_at[v] != 0 && !freed[v] && !(drained >= retired_at[v] &&
         oldest >= retired_at[v] && !pinned[v]) -> kept++
      :: else
      fi;
      v++
    :: else -> break
    od;
    v = 0;
    oldest = 0;
    do
    :: v < VALUES -> pinned[v] = false; v++
    :: else -> break
    od;
    v = 0;
  }
}

proctype Writer() {
  byte n = 1, i, v, word, oldest, kept, old;
  bool pinned[VALUES];
  do
  :: n <= PUBLISHES ->
#ifdef EPOCH_FIRST
    epoch++;
    d_step { old = current; current = n; }
    d_step { retired_at[old] = epoch; old = 0; n++; }
#else
    d_step { old = current; current = n; }
#ifdef STAMP_EARLY
    d_step { retired_at[old] = epoch; old = 0; n++; epoch++; }
#else
    epoch++;
    d_step { retired_at[old] = epoch; old = 0; n++; }
#endif
#endif
    reclaim();
  :: else -> break
  od;
  /* Synchronize. */
#ifdef STALL
end_not_stalled:  /* it was in overflow, or is at the end */
  stalled && finished == READERS - 1;
  reclaim();
  reclaim();
  assert(kept <= 1);  /* a stalled reader that has narrowed pins one */
#else
  kept = 1;
  do
  :: kept != 0 -> reclaim()
  :: kept == 0 -> break
  od;
  do
  :: v < PUBLISHES -> assert(freed[v]); v++
  :: else -> break
  od;
  assert(!freed[PUBLISHES]);
  v = 0;
#ifdef ENDLESS
  /* The readers never end, so neither does the run: this end of it is the progress. */
progress_synchronized:
  v = 1 - v;
  goto progress_synchronized
#endif
#endif
}

init {
  atomic {
    byte r = 0;
    do
    :: r < READERS -> run Reader(r); r++
    :: else -> break
    od;
    run Writer();
  }
}
