// Shapes of small policies: tables, and texts that are nearly the same.
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/differential/fields.h"
#include "tests/differential/shape_builder.h"
#include "tests/differential/shapes.h"

namespace precedent::differential {
namespace {

// The greater `scaled_percent`, the more of them depend on a number.
void TableScore(int scaled_percent, v1::Rule* rule, ShapeBuilder& b) {
  static const auto& sources = *new std::vector<v1::ScaledAdd::Source>{
      v1::ScaledAdd::GPU_COUNT, v1::ScaledAdd::FAILURE_COUNT, v1::ScaledAdd::REPORTED_PRIORITY};
  switch (b.random().Weighted({30, 20, 20 + scaled_percent, 20 + scaled_percent, 3, 3})) {
    case 0:
      rule->set_add(b.Points(6));
      break;
    case 1:
      rule->set_set(b.Points(4));
      break;
    case 2:
      b.ScaledWait(rule->mutable_add_scaled());
      break;
    case 3: {
      v1::ScaledAdd* scaled = rule->mutable_add_scaled();
      if (b.Chance(30)) {
        scaled->set_metric("fair");
      } else {
        scaled->set_of(b.random().Pick(sources));
      }
      scaled->set_points(b.random().Unit() * 20 - 10);
      if (b.Chance(50)) scaled->set_per(0.25 + b.random().Unit());
      break;
    }
    case 4:
      rule->set_at_least(b.Points(0));
      break;
    default:
      rule->set_at_most(b.Points(0));
      break;
  }
}

std::string Length(std::size_t size, ShapeBuilder& b) {
  std::string text(size, 'a');
  for (char& c : text) c = static_cast<char>('a' + b.Below(2));
  return text;
}

std::string WithOneByteChanged(std::string text, Random& random) {
  if (!text.empty()) text[random.Below(text.size())] ^= static_cast<char>(1 << random.Below(5));
  for (char& c : text)
    if (c == 0) c = 'z';
  return text;
}

}  // namespace

GeneratedPolicy TablePolicy(Random& random) {
  ShapeBuilder b(7, random);
  b.AddFrame();
  const bool large = b.Chance(40);
  const std::size_t rules = 1 + b.Below(large ? 14 : 6);
  const int scaled_percent = b.Chance(20) ? 400 : 0;
  v1::Stage* stage = b.AddStage(b.Chance(30));
  for (std::size_t i = 0; i < rules; ++i) {
    if (i > 0 && b.Chance(35)) stage = b.AddStage(b.Chance(30));
    v1::Rule* rule = b.AddRule(stage);
    for (std::size_t n = b.Below(3); n > 0; --n) {
      v1::Match* match = rule->add_when();
      switch (b.random().Weighted({30, 20, 20, 15, 15})) {
        case 0:
          match->mutable_team()->add_in(b.Team(b.Below(4)));
          break;
        case 1:
          match->mutable_gpu_count()->set_above(static_cast<double>(b.Below(large ? 8 : 3)));
          break;
        case 2:
          (*match->mutable_labels())["tier"].add_in(b.Team(b.Below(3)));
          break;
        case 3:
          b.Pattern(match, false);
          break;
        default:
          match->set_preemptible(b.Chance(50));
          break;
      }
      if (b.Chance(30)) match->mutable_queue()->add_not_in(b.Team(b.Below(3)));
      if (large && b.Chance(30))
        match->mutable_pod_count()->set_at_most(static_cast<double>(b.Below(6)));
    }
    TableScore(scaled_percent, rule, b);
    rule->set_order_only(b.Chance(20));
    if (b.Chance(25)) b.Outcome(rule);
    if (b.Chance(6)) rule->set_final(true);
  }
  return std::move(b).Finish();
}

GeneratedPolicy LiteralsPolicy(Random& random) {
  ShapeBuilder b(7, random);
  b.AddFrame();
  v1::Stage* stage = b.AddStage(false);
  // Without a table: some rule depends on the time.
  if (b.Chance(50)) {
    v1::Rule* rule = b.AddRule(stage);
    rule->mutable_active_from()->set_seconds(1'000'000'000);
    rule->set_add(1);
  }
  static const auto& sizes = *new std::vector<std::size_t>{1, 2,  3,  4,  5,  7,  8,  9, 11,
                                                           12, 15, 16, 17, 24, 31, 40};
  static const auto& names = *new std::vector<std::string>{"team", "queue", "user"};
  int points = 1;
  const auto text_of = [&](v1::Rule* rule, std::size_t which) {
    v1::Match* match = rule->add_when();
    return which < names.size() ? MutableText(match, names[which])
                                : &(*match->mutable_labels())["label" + std::to_string(which)];
  };
  const std::size_t texts = 1 + b.Below(5);
  for (std::size_t n = 0; n < texts; ++n) {
    const std::size_t which = texts > 2 ? n : b.Below(5);
    const std::string base = Length(b.random().Pick(sizes), b);
    std::set<std::string> literals;
    for (std::size_t size = b.Below(6); literals.size() < size;) {
      const bool is_label = which >= names.size();
      std::string text = b.Chance(70) ? WithOneByteChanged(base, random)
                                      : Length(b.random().Pick(sizes), b);
      if (is_label && b.Chance(5)) text.clear();
      literals.insert(text);
    }
    for (const std::string& literal : literals) {
      v1::Rule* rule = b.AddRule(stage);
      text_of(rule, which)->add_in(literal);
      rule->set_add(points *= 2);
      if (!literal.empty()) b.AddWord(literal);
    }
    if (!b.Chance(40)) continue;
    const std::string longest = Length(40, b);
    const std::size_t lengths = 1 + b.Below(10);
    const bool suffix = b.Chance(50);
    for (std::size_t i = 0; i < lengths; ++i) {
      const std::string affix = suffix ? longest.substr(40 - 3 * i - 1) : longest.substr(0, 3 * i + 1);
      v1::Rule* rule = b.AddRule(stage);
      v1::TextMatch* text = text_of(rule, which);
      suffix ? text->add_suffix(affix) : text->add_prefix(affix);
      if (b.Chance(20)) text->add_not_in(affix);
      rule->set_add(points = points < (1 << 28) ? points * 2 : 3);
      b.AddWord(affix);
    }
    b.AddWord(longest);
    if (points > 1 << 20) points = 1;
  }
  return std::move(b).Finish();
}

void MakeTextsAlike(const GeneratedPolicy& generated, Random& random, JobAtTime* job) {
  for (const std::string& name : TextAttributes()) {
    if (!random.Chance(50)) continue;
    std::string text = random.Pick(generated.words);
    if (random.Chance(50)) text = WithOneByteChanged(text, random);
    SetText(&job->job.facts, name, text);
  }
  for (int i = random.Chance(10) ? 50 : 4; i > 0; --i) {
    std::string text = random.Chance(8) ? "" : random.Pick(generated.words);
    if (random.Chance(40)) text = WithOneByteChanged(text, random);
    job->job.labels.emplace_back("label" + std::to_string(3 + random.Below(3)), text);
  }
}

}  // namespace precedent::differential
