// Random TextMatch and NumberMatch.
#include <cmath>
#include <utility>

#include "tests/differential/policy_generator.h"
#include "tests/differential/words.h"

namespace precedent::differential {
namespace {

// One value of kind `kind`: in, in_set, prefix, suffix, contains, regex.
void AddPositive(std::size_t kind, const std::vector<std::string>& words,
                 const std::vector<std::string>& sets, bool may_need_re2, v1::TextMatch* match,
                 Random& random) {
  const std::string& word = random.Pick(words);
  switch (kind) {
    case 0:
      match->add_in(word);
      break;
    case 1:
      if (sets.empty()) {
        match->add_in(word);
      } else {
        match->add_in_set(random.Pick(sets));
      }
      break;
    case 2:
      match->add_prefix(PrefixOf(word, random));
      break;
    case 3:
      match->add_suffix(SuffixOf(word, random));
      break;
    case 4:
      match->add_contains(PieceOf(word, random));
      break;
    default:
      match->add_regex(RandomPattern(words, !may_need_re2, random));
      break;
  }
}

}  // namespace

v1::TextMatch RandomTextMatch(const std::vector<std::string>& words,
                              const std::vector<std::string>& sets, bool may_need_re2,
                              int* mixed_left, Random& random) {
  v1::TextMatch match;
  const std::size_t shape = random.Weighted({40, 6, 10, 8, 8, 10, 10, 4, 5, 14});
  if (shape <= 5) {  // one kind of list
    const std::size_t count = 1 + random.Below(random.Chance(80) ? 2 : 5);
    for (std::size_t i = 0; i < count; ++i)
      AddPositive(shape, words, sets, may_need_re2, &match, random);
  } else if (shape == 6) {
    const std::size_t count = 1 + random.Below(3);
    for (std::size_t i = 0; i < count; ++i) match.add_not_in(random.Pick(words));
    return match;
  } else if (shape == 7) {
    match.set_present(true);
  } else if (shape == 8) {
    match.set_present(false);
    return match;
  } else {  // several kinds; they multiply over the texts of a Match, so not too often
    const bool mixed = (*mixed_left)-- > 0;
    const std::size_t count = mixed ? 2 + random.Below(5) : 1;
    for (std::size_t i = 0; i < count; ++i)
      AddPositive(random.Below(6), words, sets, may_need_re2, &match, random);
  }
  if (random.Chance(15)) match.add_not_in(random.Pick(words));
  if (random.Chance(6)) match.set_present(true);
  return match;
}

v1::NumberMatch RandomNumberMatch(const std::string& attribute, Random& random) {
  v1::NumberMatch match;
  const std::size_t shape = random.Weighted({15, 15, 15, 15, 25, 4, 5});
  double low = RandomBound(attribute, random);
  switch (shape) {
    case 0:
      match.set_above(low);
      break;
    case 1:
      match.set_at_least(low);
      break;
    case 2:
      match.set_below(low);
      break;
    case 3:
      match.set_at_most(low);
      break;
    case 4: {  // a range that some number is in
      double high = RandomBound(attribute, random);
      if (high < low) std::swap(low, high);
      if (std::nextafter(low, HUGE_VAL) < std::nextafter(high, -HUGE_VAL)) {
        random.Chance(50) ? match.set_above(low) : match.set_at_least(low);
        random.Chance(50) ? match.set_below(high) : match.set_at_most(high);
        if (random.Chance(10)) match.set_at_least(low);
        if (random.Chance(10)) match.set_at_most(high);
      } else {
        match.set_at_least(low);
        match.set_at_most(high);
      }
      break;
    }
    case 5:
      match.set_present(true);
      break;
    default:
      match.set_present(false);
      return match;
  }
  if (random.Chance(5)) match.set_present(true);
  return match;
}

}  // namespace precedent::differential
