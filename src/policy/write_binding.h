// The part of an image that binds jobs.
#ifndef PRECEDENT_SRC_POLICY_WRITE_BINDING_H_
#define PRECEDENT_SRC_POLICY_WRITE_BINDING_H_

#include "src/policy/image_parts.h"
#include "src/policy/vocabulary.h"

namespace precedent::internal {

// Writes sources, dictionaries and cuts. False if no perfect hash table was found,
// which only texts made to collide bring about.
bool WriteBinding(const Vocabulary& vocabulary, ImageParts* parts);

}  // namespace precedent::internal

#endif  // PRECEDENT_SRC_POLICY_WRITE_BINDING_H_
