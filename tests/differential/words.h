// Texts and numbers that policies and jobs are made of: few enough to meet, and
// chosen for the places where an implementation could differ.
#ifndef PRECEDENT_TESTS_DIFFERENTIAL_WORDS_H_
#define PRECEDENT_TESTS_DIFFERENTIAL_WORDS_H_

#include <string>
#include <vector>

#include "tests/differential/random.h"

namespace precedent::differential {

// Lengths from 1 to some 60 bytes, nested prefixes and suffixes, more than one byte
// a character, line breaks.
std::string RandomWord(Random& random);
// `word` with a character or a piece changed, added or dropped; valid UTF-8, maybe
// empty, maybe with a NUL: jobs may have them, policies not.
std::string Mutated(const std::string& word, Random& random);
// A piece of `word`, cut between characters and not empty.
std::string PrefixOf(const std::string& word, Random& random);
std::string SuffixOf(const std::string& word, Random& random);
std::string PieceOf(const std::string& word, Random& random);

// A pattern made of `words`. Some are literals, prefixes, suffixes or substrings in
// disguise; with `plain_only` all are.
std::string RandomPattern(const std::vector<std::string>& words, bool plain_only, Random& random);

// A bound that suits the attribute (a field of Match or LineageMatch; `metric`).
double RandomBound(const std::string& attribute, Random& random);

}  // namespace precedent::differential

#endif  // PRECEDENT_TESTS_DIFFERENTIAL_WORDS_H_
