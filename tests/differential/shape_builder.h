// Pieces of which the policies of the shapes are made: see shapes.h.
#ifndef PRECEDENT_TESTS_DIFFERENTIAL_SHAPE_BUILDER_H_
#define PRECEDENT_TESTS_DIFFERENTIAL_SHAPE_BUILDER_H_

#include <cstdint>
#include <string>

#include "tests/differential/policy_generator.h"
#include "tests/differential/random.h"

namespace precedent::differential {

class ShapeBuilder {
 public:
  // Texts are made of `names` teams, queues and so on.
  ShapeBuilder(std::size_t names, Random& random);

  Random& random() { return random_; }
  v1::Policy& policy() { return out_.policy; }
  std::size_t Below(std::size_t n) { return random_.Below(n); }
  bool Chance(int percent) { return random_.Chance(percent); }

  v1::Stage* AddStage(bool first_match);
  v1::Rule* AddRule(v1::Stage* stage);
  // Three classes and bounds that no score is clamped by.
  void AddFrame();
  void AddWord(std::string word) { out_.words.push_back(std::move(word)); }

  // org-I-team-J-K: nested prefixes and suffixes that many share.
  std::string Team(std::size_t number) const;
  std::string AnyTeam() { return Team(Below(names_)); }
  std::size_t names() const { return names_; }

  // Few jobs satisfy it: one to three values, a prefix or a suffix of a text.
  void Narrow(v1::Match* match);
  // The same, of one attribute only: several of them are disjoint.
  void NarrowTeam(v1::Match* match);
  // Most jobs satisfy it.
  void Wide(v1::Match* match);
  // One more constraint, on something that Narrow leaves alone.
  void Extra(v1::Match* match);
  // On the wait, the hour or the day.
  void Timed(v1::Match* match);
  // A list of substrings; with `regex` maybe a regular expression.
  void Pattern(v1::Match* match, bool regex);

  // Small points; seldom some at the edge of 32 bits.
  std::int32_t Points(int huge_percent);
  // Any one outcome, or several.
  void Outcome(v1::Rule* rule);
  // set, at_least, at_most, add or add_scaled.
  void AnyScore(v1::Rule* rule);
  void ScaledWait(v1::ScaledAdd* scaled);

  GeneratedPolicy Finish() &&;

 private:
  Random& random_;
  std::size_t names_;
  GeneratedPolicy out_;
  int next_id_ = 0;
};

}  // namespace precedent::differential

#endif  // PRECEDENT_TESTS_DIFFERENTIAL_SHAPE_BUILDER_H_
