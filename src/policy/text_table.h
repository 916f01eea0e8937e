// A perfect hash table of the texts that jobs are compared with.
#ifndef PRECEDENT_SRC_POLICY_TEXT_TABLE_H_
#define PRECEDENT_SRC_POLICY_TEXT_TABLE_H_

#include <vector>

#include "src/policy/image_parts.h"

namespace precedent::internal {

// Writes slots and seeds such that each entry is in the one slot in which it is looked
// for. False if none was found: then two texts have one hash. REQUIRES: no text twice
// in a dictionary. Linear in expectation.
bool WriteTextTable(const std::vector<DictionaryEntry>& entries, ImageParts* parts);

}  // namespace precedent::internal

#endif  // PRECEDENT_SRC_POLICY_TEXT_TABLE_H_
