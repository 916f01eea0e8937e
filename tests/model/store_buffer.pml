/* Why a reader announces itself with a sequentially consistent compare-and-swap, and a
 * writer replaces with a sequentially consistent exchange: on a processor whose stores
 * wait in a buffer (x86's order, TSO), plain stores are seen too late. No test on such a
 * machine and no ThreadSanitizer finds that reliably.
 *
 * One slot per reader; each stores its announcement and loads what is live; the writer
 * stores the new value, looks at the slots and frees. A process sees its own buffered
 * store; others see it when the memory takes it, which may be at any time.
 *
 * READER_FENCE, WRITER_FENCE: the buffer is empty before the next load, as a locked
 * instruction makes sure. With both there is no error; each twin without one must fail.
 */
#ifndef READERS
#define READERS 3
#endif

#define NONE 255

byte current = 0;
bool freed[2];
byte slot[READERS];

/* A store on its way: NONE, or the value. One is enough: nothing here stores twice
 * without a load, and a longer buffer only waits longer. */
byte reader_buffer[READERS] = NONE;
byte writer_buffer = NONE;

proctype Reader(byte me) {
  byte p;
  reader_buffer[me] = 1;
#ifdef READER_FENCE
  reader_buffer[me] == NONE;
#endif
  p = current;
  assert(!freed[p]);
  /* Leaving may come late: then only the writer waits. */
  reader_buffer[me] == NONE;
  reader_buffer[me] = 0
}

proctype Writer() {
  byte i;
  bool pinned;
  writer_buffer = 1;
#ifdef WRITER_FENCE
  writer_buffer == NONE;
#endif
  do
  :: i < READERS ->
    d_step {
      pinned = pinned || slot[i] != 0;
      i++
    }
  :: else -> break
  od;
  if
  :: !pinned -> freed[0] = true
  :: else
  fi
}

/* The memory takes the stores, in an order of its own. */
proctype Memory() {
  byte i;
end:
  do
  :: d_step { reader_buffer[0] != NONE -> slot[0] = reader_buffer[0]; reader_buffer[0] = NONE }
#if READERS > 1
  :: d_step { reader_buffer[1] != NONE -> slot[1] = reader_buffer[1]; reader_buffer[1] = NONE }
#endif
#if READERS > 2
  :: d_step { reader_buffer[2] != NONE -> slot[2] = reader_buffer[2]; reader_buffer[2] = NONE }
#endif
  :: d_step { writer_buffer != NONE -> current = writer_buffer; writer_buffer = NONE }
  od
}

init {
  atomic {
    byte r = 0;
    do
    :: r < READERS -> run Reader(r); r++
    :: else -> break
    od;
    run Writer();
    run Memory();
  }
}
