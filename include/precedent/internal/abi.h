// The inline namespace that keeps the headers of one release from running an image
// or linking a library of another.
#ifndef PRECEDENT_INTERNAL_ABI_H_
#define PRECEDENT_INTERNAL_ABI_H_

// First number: layout of the public C++ types. Second: kFormat of image.h. Raise
// the one that changes.
#define PRECEDENT_ABI abi1_format3

#endif  // PRECEDENT_INTERNAL_ABI_H_
