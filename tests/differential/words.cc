#include "tests/differential/words.h"

#include <cmath>
#include <map>

#include "re2/re2.h"

namespace precedent::differential {
namespace {

// Byte offsets at which a character of `word` begins, and its end.
std::vector<std::size_t> Cuts(const std::string& word) {
  std::vector<std::size_t> cuts;
  for (std::size_t i = 0; i < word.size(); ++i)
    if ((static_cast<unsigned char>(word[i]) & 0xc0) != 0x80) cuts.push_back(i);
  cuts.push_back(word.size());
  return cuts;
}

}  // namespace

std::string RandomWord(Random& random) {
  static const auto& words = *new std::vector<std::string>{"a",
                                                           "b",
                                                           "c",
                                                           "ab",
                                                           "ba",
                                                           "abc",
                                                           "abcd",
                                                           "bcd",
                                                           "A",
                                                           "aa",
                                                           "aaa",
                                                           "ml",
                                                           "ml-",
                                                           "ml-team",
                                                           "ml-team-a",
                                                           "ml-team-ab",
                                                           "ml-team-b",
                                                           "team-a",
                                                           "research",
                                                           "search",
                                                           "production",
                                                           "staging",
                                                           "inference",
                                                           "training",
                                                           "batch",
                                                           "pretraining",
                                                           "a.b",
                                                           "a*b",
                                                           "a+b",
                                                           "(a)",
                                                           "a\nb",
                                                           "\n",
                                                           " ",
                                                           "a b",
                                                           "é",
                                                           "éa",
                                                           "日本語",
                                                           "日本",
                                                           "本語",
                                                           "registry.example.com/ml/trainer:v1",
                                                           "registry.example.com/ml/trainer:v2",
                                                           "registry.example.com/ml/server:v1"};
  switch (random.Weighted({60, 20, 10, 10})) {
    case 0:
      return random.Pick(words);
    case 1:
      return "team-" + std::to_string(random.Below(40));
    case 2: {  // about the lengths at which a short text becomes a long one
      const std::size_t length = 1 + random.Below(60);
      std::string word;
      while (word.size() < length) word += static_cast<char>('a' + random.Below(3));
      return word;
    }
    default:
      return random.Pick(words) + random.Pick(words);
  }
}

std::string Mutated(const std::string& word, Random& random) {
  const std::vector<std::size_t> cuts = Cuts(word);
  const std::size_t character = random.Below(cuts.size());  // maybe the end
  const std::size_t begin = cuts[character];
  const std::size_t end = character + 1 < cuts.size() ? cuts[character + 1] : begin;
  static const auto& pieces =
      *new std::vector<std::string>{"a", "b", "-", "x", "é", "A", "\n", std::string(1, 0)};
  switch (random.Below(4)) {
    case 0:
      return word.substr(0, begin) + random.Pick(pieces) + word.substr(end);
    case 1:
      return word.substr(0, begin) + random.Pick(pieces) + word.substr(begin);
    case 2:
      return word.substr(0, begin) + word.substr(end);
    default:
      return random.Chance(50) ? word + RandomWord(random) : RandomWord(random) + word;
  }
}

std::string PrefixOf(const std::string& word, Random& random) {
  const std::vector<std::size_t> cuts = Cuts(word);
  if (cuts.size() < 2) return "a";
  return word.substr(0, cuts[1 + random.Below(cuts.size() - 1)]);
}

std::string SuffixOf(const std::string& word, Random& random) {
  const std::vector<std::size_t> cuts = Cuts(word);
  if (cuts.size() < 2) return "a";
  return word.substr(cuts[random.Below(cuts.size() - 1)]);
}

std::string PieceOf(const std::string& word, Random& random) {
  return SuffixOf(PrefixOf(word, random), random);
}

std::string RandomPattern(const std::vector<std::string>& words, bool plain_only, Random& random) {
  const std::string word = RE2::QuoteMeta(random.Pick(words));
  const std::string other = RE2::QuoteMeta(random.Pick(words));
  const std::string piece = RE2::QuoteMeta(PieceOf(random.Pick(words), random));
  switch (random.Below(plain_only ? 10 : 34)) {
    case 0:
      return word;
    case 1:
      return piece + ".*";
    case 2:
      return ".*" + piece;
    case 3:
      return ".*" + piece + ".*";
    case 4:
      return "^" + word + "$";
    case 5:
      return "^" + piece + ".*$";
    case 6:
      return "(" + word + ")";
    case 7:
      return "(?:" + piece + ")(.*)";
    case 8:
      return "(?s)" + piece + ".*";
    case 9:
      return "\\A" + word + "\\z";
    // From here on an implementation may or may not see through it.
    case 10:
      return word + "|" + other;
    case 11:
      return "(" + word + "|" + other + ").*";
    case 12:
      return "(?i)" + word;
    case 13:
      return "(?i)" + piece + ".*";
    case 14:
      return piece + ".+";
    case 15:
      return ".+" + piece;
    case 16:
      return piece + ".?";
    case 17:
      return "(?-s)" + piece + ".*";
    case 18:
      return "(?-s).*" + piece + ".*";
    case 19:
      return "(?m)" + piece + "$.*";
    case 20:
      return "(?m).*^" + piece;
    case 21:
      return ".*";
    case 22:
      return ".+";
    case 23:
      return "";
    case 24:
      return "[a-c]+";
    case 25:
      return piece + "[0-9]{1,3}";
    case 26:
      return "\\b" + piece + ".*";
    case 27:
      return ".*" + piece + ".*" + RE2::QuoteMeta(PieceOf(random.Pick(words), random)) + ".*";
    case 28:
      return piece + "*";
    case 29:
      return "(?U)" + piece + ".*";
    case 30:
      return "..?.?";
    case 31:
      return word + "|";
    case 32:
      return "(" + piece + "){2}";
    default:
      return "[" + std::string(1, static_cast<char>('a' + random.Below(3))) + "].*";
  }
}

double RandomBound(const std::string& attribute, Random& random) {
  static const auto& bounds = *new std::map<std::string, std::vector<double>>{
      {"gpu_count", {0, 0.25, 0.5, 1, 2, 4, 8, 16, 64}},
      {"pod_count", {0, 1, 2, 3, 8}},
      {"dataset_bytes", {0, 1, 1e9, 1e12, 1e12 + 0.0001220703125, 1e15, 1e308}},
      {"max_runtime_seconds", {0, 0.1, 60, 600, 3600, 14400}},
      {"checkpoint_interval_seconds", {0, 30, 300, 600, 600.5}},
      {"wait_seconds", {0, 1e-6, 5e-7, 0.3, 1, 59.999999, 60, 60.0000005, 3600, 86400, 1e9, 1e13}},
      {"hour_of_day", {-1, 0, 1, 2, 2.5, 3, 6, 6.0001, 8.25, 12, 22, 23, 23.9997, 23.9998, 24}},
      {"day_of_week", {0, 1, 1.5, 2, 3, 5, 6, 6.5, 7, 8}},
      {"failure_count", {0, 1, 2, 3}},
      {"preemption_count", {0, 1, 2}},
      {"infrastructure_failure_count", {0, 1, 2}},
      {"attempt", {0, 1, 2, 5}},
      {"depth", {0, 1, 2, 9007199254740992, 9223372036854775807.0}},
      {"step", {0, 1, 10, 11, 1.5}},
      {"predecessor_runtime_seconds", {0, 60, 3600}},
      {"progress", {0, 0.25, 0.5, 0.9, 1}},
      {"reported_priority", {-10, -0.5, 0, 3.5, 100}},
      {"metric", {-1e300, -1, -0.0, 0, 4.9e-324, 1e-310, 0.5, 1, 7}}};
  const std::vector<double>& list = bounds.at(attribute);
  const double bound = random.Pick(list);
  switch (random.Weighted({80, 5, 5, 10})) {
    case 0:
      return bound;
    case 1:
      return bound < 1e308 ? std::nextafter(bound, HUGE_VAL) : bound;
    case 2:
      return bound > -1e308 ? std::nextafter(bound, -HUGE_VAL) : bound;
    default:
      return bound * random.Unit();
  }
}

}  // namespace precedent::differential
