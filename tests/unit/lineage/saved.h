// A graph's snapshot as bytes: equal bytes are equal graphs.
#ifndef PRECEDENT_TESTS_UNIT_LINEAGE_SAVED_H_
#define PRECEDENT_TESTS_UNIT_LINEAGE_SAVED_H_

#include <sstream>
#include <string>

#include "gtest/gtest.h"
#include "precedent/lineage_journal.h"

namespace precedent {

inline std::string Saved(const LineageGraph& graph) {
  std::ostringstream out;
  EXPECT_TRUE(SaveLineage(graph, out).ok());
  return out.str();
}

}  // namespace precedent

#endif  // PRECEDENT_TESTS_UNIT_LINEAGE_SAVED_H_
