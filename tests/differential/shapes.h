// Random policies each of which is aimed at one mechanism of the evaluator, that
// policies of a few rules hardly meet. shapes_test.cc says which it must have met.
#ifndef PRECEDENT_TESTS_DIFFERENTIAL_SHAPES_H_
#define PRECEDENT_TESTS_DIFFERENTIAL_SHAPES_H_

#include <cstddef>

#include "tests/differential/job_generator.h"
#include "tests/differential/policy_generator.h"
#include "tests/differential/random.h"

namespace precedent::differential {

// Long runs of `add` across the borders of stages: nested prefixes, long lists,
// alternatives that overlap and that do not, order-only rules, points that a sum of 32
// bits cannot hold, and rules in between that a sum cannot count.
GeneratedPolicy SumPolicy(Random& random);
// First-match stages of 65 to 600 rules, most of which match often or seldom.
GeneratedPolicy FirstPolicy(Random& random);
// Hundreds of rules whose order counts, and of which many depend on the time.
GeneratedPolicy OrderedPolicy(Random& random);

// What reads the matrix of rows: a sum, a first-match stage, or ordered rules.
enum class RowsOf { kSum, kFirst, kOrdered };
// `clauses` clauses that no text selects; `not_in`: nearly every job satisfies each.
GeneratedPolicy RowsPolicy(RowsOf of, std::size_t clauses, bool not_in, Random& random);
// The same with more than 512 bounds on one number.
GeneratedPolicy BoundsPolicy(RowsOf of, Random& random);
// The same on 45 attributes, of which some are rare.
GeneratedPolicy ManyColumnsPolicy(RowsOf of, Random& random);

// Clauses of one team that also look at up to six labels.
GeneratedPolicy LabelsPolicy(RowsOf of, Random& random);
// The same, and more small columns than one word of bits holds.
GeneratedPolicy SmallColumnsPolicy(RowsOf of, Random& random);

// About 4,096 combinations of classes, at most.
GeneratedPolicy TablePolicy(Random& random);
// One to five literals of almost the same bytes, with and without a table; lists of
// prefixes and suffixes of one to ten lengths.
GeneratedPolicy LiteralsPolicy(Random& random);
void MakeTextsAlike(const GeneratedPolicy& generated, Random& random, JobAtTime* job);

}  // namespace precedent::differential

#endif  // PRECEDENT_TESTS_DIFFERENTIAL_SHAPES_H_
