// Which functions belong to a caller and which must not: a path of some dozen nanoseconds
// pays for every call, and for what a compiler keeps ready for a branch seldom taken.
#ifndef PRECEDENT_INTERNAL_INLINING_H_
#define PRECEDENT_INTERNAL_INLINING_H_

#if defined(__GNUC__)
#define PRECEDENT_HOT inline __attribute__((always_inline))
#define PRECEDENT_COLD inline __attribute__((noinline))
#else
#define PRECEDENT_HOT inline
#define PRECEDENT_COLD inline
#endif

#endif  // PRECEDENT_INTERNAL_INLINING_H_
