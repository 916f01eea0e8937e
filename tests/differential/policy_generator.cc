#include "tests/differential/policy_generator.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "tests/differential/fields.h"
#include "tests/differential/words.h"
#include "tests/reference/clock.h"
#include "tests/differential/units.h"

namespace precedent::differential {
namespace {


class Generator {
 public:
  explicit Generator(Random& random) : random_(random) {}

  GeneratedPolicy Make() {
    constexpr Style kStyles[] = {Style::kTiny,    Style::kMixed,       Style::kTimed,
                                 Style::kIndexed, Style::kBreakpoints, Style::kCrowded,
                                 Style::kHuge};
    out_.style = kStyles[random_.Weighted({300, 380, 220, 60, 20, 20, 6})];
    may_need_re2_ = random_.Chance(25);
    timed_ = out_.style == Style::kTimed || random_.Chance(15);
    MakeVocabulary();
    MakeFrame();
    MakeStages();
    return std::move(out_);
  }

 private:
  v1::Policy& policy() { return out_.policy; }
  bool Is(Style style) const { return out_.style == style; }

  void MakeVocabulary() {
    std::size_t words = 3 + random_.Below(8);
    if (Is(Style::kIndexed)) words = 20 + random_.Below(60);
    if (Is(Style::kHuge)) words = 100 + random_.Below(300);
    for (std::size_t i = 0; i < words; ++i) out_.words.push_back(RandomWord(random_));
    if (Is(Style::kHuge))
      for (int i = 0; i < 200; ++i) out_.words.push_back("team-" + std::to_string(i));

    // The attributes it looks at: few, so that constraints and jobs meet.
    const auto choose = [&](const std::vector<std::string>& all, std::size_t count) {
      std::vector<std::string> chosen;
      for (std::size_t i = 0; i < count; ++i) chosen.push_back(random_.Pick(all));
      return chosen;
    };
    const bool tiny = Is(Style::kTiny);
    texts_ = choose(TextAttributes(), 1 + random_.Below(tiny ? 2 : 5));
    numbers_ = choose(NumberAttributes(), 1 + random_.Below(tiny ? 1 : 4));
    lineage_ = choose(LineageNumbers(), 1 + random_.Below(tiny ? 1 : 4));
    if (Is(Style::kIndexed) || Is(Style::kHuge)) texts_.insert(texts_.begin(), "team");
    for (std::size_t i = 0, n = 1 + random_.Below(tiny ? 1 : 5); i < n; ++i)
      label_keys_.push_back(random_.Chance(50) ? random_.Pick(out_.words)
                                               : "app.kubernetes.io/part-" + std::to_string(i));
  }

  void MakeFrame() {
    policy().set_name("generated");
    policy().set_generation(static_cast<std::int64_t>(random_.Below(3)));
    static const auto& zones = *new std::vector<std::string>{
        "UTC",          "Europe/Berlin",     "America/New_York",  "Australia/Lord_Howe",
        "Asia/Kolkata", "America/St_Johns",  "Africa/Casablanca", "Pacific/Apia",
        "Etc/GMT+5",    "America/Sao_Paulo", "Antarctica/Troll"};
    if (timed_ && random_.Chance(80)) policy().set_time_zone(random_.Pick(zones));
    // Some time from 1975 to 2099; half of the times near a change of offset.
    out_.base_time = random_.Between(5 * 365, 129 * 365) * kDay + random_.Between(0, kDay - 1);
    // Before 1970 nobody promises to know local times.
    if (policy().time_zone().empty() && random_.Chance(2))
      out_.base_time = -random_.Between(0, 120 * 365) * kDay;
    const auto transition =
        reference::Zone::Named(policy().time_zone()).NextTransition(out_.base_time);
    if (transition && random_.Chance(50)) out_.base_time = *transition;

    if (random_.Chance(50)) {
      const std::size_t sets = 1 + random_.Below(3);
      for (std::size_t i = 0; i < sets; ++i) {
        v1::ValueSet* set = policy().add_sets();
        set->set_name("set" + std::to_string(i));
        const std::size_t values = 1 + random_.Below(Is(Style::kHuge) ? 60 : 6);
        for (std::size_t j = 0; j < values; ++j) set->add_values(random_.Pick(out_.words));
        sets_.push_back(set->name());
      }
    }
    std::int64_t min = 0, max = 9999;
    const auto set_bounds = [&](bool set_min, std::int64_t new_min, bool set_max,
                                std::int64_t new_max) {
      if (set_min) policy().mutable_bounds()->set_min(static_cast<std::int32_t>(min = new_min));
      if (set_max) policy().mutable_bounds()->set_max(static_cast<std::int32_t>(max = new_max));
    };
    switch (random_.Weighted({25, 25, 40, 10})) {
      case 0:
        break;
      case 1:  // often clamped
        set_bounds(random_.Chance(70), random_.Between(-100, 100), random_.Chance(70),
                   random_.Between(100, 200));
        break;
      case 2:  // never clamped but by the largest points, so that no wrong score can hide
        set_bounds(true, -10'000'000, true, 10'000'000);
        break;
      default:
        set_bounds(true, INT32_MIN, true, INT32_MAX);
        break;
    }
    if (random_.Chance(60)) {
      std::vector<std::int64_t> starts{
          std::max<std::int64_t>(min - random_.Between(0, 3), INT32_MIN)};
      for (std::size_t i = random_.Below(5); i > 0; --i)
        starts.push_back(min + random_.Between(1, random_.Chance(70) ? 40 : 4000));
      std::sort(starts.begin(), starts.end());
      starts.erase(std::unique(starts.begin(), starts.end()), starts.end());
      for (std::int64_t start : starts) {
        v1::PriorityClass* added = policy().add_priority_classes();
        added->set_name("class-" + std::to_string(policy().priority_classes_size()));
        added->set_at_least(static_cast<std::int32_t>(start));
      }
      for (int i = policy().priority_classes_size() - 1; i > 0; --i)
        policy().mutable_priority_classes()->SwapElements(i,
                                                          static_cast<int>(random_.Below(i + 1)));
    }
    if (random_.Chance(50) || min > 500 || max < 500)
      policy().mutable_fallback()->set_priority(static_cast<std::int32_t>(
          random_.Between(min, std::min(max, min + random_.Between(0, 100)))));
    if (policy().priority_classes_size() > 0 && random_.Chance(30))
      policy().mutable_fallback()->set_priority_class(policy().priority_classes(0).name());
    if (random_.Chance(25)) {
      std::vector<int> attributes;
      for (std::size_t i = 1 + random_.Below(8); i > 0; --i)
        attributes.push_back(1 + static_cast<int>(random_.Below(20)));
      std::sort(attributes.begin(), attributes.end());
      attributes.erase(std::unique(attributes.begin(), attributes.end()), attributes.end());
      for (int attribute : attributes)
        policy().add_require_verified(static_cast<v1::Attribute>(attribute));
    }
  }

  void MakeStages() {
    std::size_t stages = 1 + random_.Below(5), rules = 0;
    switch (out_.style) {
      case Style::kTiny:
        stages = 1 + random_.Below(2);
        rules = 1 + random_.Below(4);
        break;
      case Style::kMixed:
        rules = 3 + random_.Below(38);
        break;
      case Style::kTimed:
        rules = 1 + random_.Below(12);
        break;
      case Style::kIndexed:
        rules = 50 + random_.Below(350);
        break;
      case Style::kBreakpoints:
      case Style::kCrowded:
        rules = 150 + random_.Below(700);
        break;
      case Style::kHuge:
        rules = 1001 + random_.Below(1500);
        break;
    }
    for (std::size_t i = 0; i < stages; ++i) {
      v1::Stage* stage = policy().add_stages();
      stage->set_name("stage" + std::to_string(i));
      const std::size_t first = Is(Style::kCrowded) ? 10 : 40;
      if (random_.Chance(static_cast<int>(first))) {
        stage->set_mode(v1::Stage::FIRST_MATCH);
      } else if (random_.Chance(50)) {
        stage->set_mode(v1::Stage::EVERY_MATCH);
      }
    }
    for (std::size_t i = 0; i < rules; ++i) {
      v1::Rule* rule = policy().mutable_stages(static_cast<int>(i * stages / rules))->add_rules();
      rule->set_id("rule" + std::to_string(i));
      MakeRule(rule);
    }
  }

  void MakeRule(v1::Rule* rule) {
    AddRandomEffects(policy(), out_.style, rule, random_);
    if (timed_ && random_.Chance(25)) MakeTemporary(rule);
    if (Is(Style::kBreakpoints)) {
      v1::NumberMatch* match = MutableNumber(rule->add_when(), random_.Pick(numbers_));
      const double bound = static_cast<double>(random_.Below(3000)) / 8;
      switch (random_.Below(3)) {
        case 0:
          match->set_above(bound);
          break;
        case 1:
          match->set_at_least(bound);
          break;
        default:
          match->set_at_most(bound);
          break;
      }
      return;
    }
    int matches = static_cast<int>(random_.Weighted({10, 60, 15, 10, 5}));
    if ((Is(Style::kIndexed) || Is(Style::kHuge)) && matches == 0 && random_.Chance(90))
      matches = 1;
    for (int i = 0; i < matches; ++i) MakeMatch(rule->add_when());
  }

  void MakeTemporary(v1::Rule* rule) {
    const auto near = [&](google::protobuf::Timestamp* time, std::int64_t us) {
      static const auto& nanos = *new std::vector<int>{0, 0, 1, 500, 999};
      const std::int64_t second = us >= 0 ? us / kSecond : -((-us + kSecond - 1) / kSecond);
      time->set_seconds(second);
      time->set_nanos(static_cast<int>((us - second * kSecond) * 1000) + random_.Pick(nanos));
    };
    const std::int64_t from = out_.base_time + random_.Between(-3, 3) * 3600 * kSecond;
    const std::int64_t until =
        from + (random_.Chance(50) ? random_.Between(1, 3) : random_.Between(1, 5 * kDay));
    const std::size_t sides = random_.Below(3);
    if (sides != 0) near(rule->mutable_active_from(), from);
    if (sides != 1) near(rule->mutable_active_until(), until);
  }

  void MakeMatch(v1::Match* match) {
    const std::size_t constraints = 1 + random_.Below(random_.Chance(70) ? 2 : 4);
    int mixed_left = 2;
    if (Is(Style::kCrowded) && random_.Chance(90)) {  // nearly everything satisfies it
      match->mutable_team()->add_not_in(random_.Pick(out_.words));
      return;
    }
    if ((Is(Style::kIndexed) || Is(Style::kHuge)) && random_.Chance(85)) {
      v1::TextMatch* team = match->mutable_team();
      for (std::size_t i = random_.Chance(85) ? 1 : 4; i > 0; --i)
        random_.Chance(90) ? team->add_in(random_.Pick(out_.words))
                           : team->add_prefix(PrefixOf(random_.Pick(out_.words), random_));
      if (constraints == 1) return;
    }
    for (std::size_t i = 0; i < constraints; ++i) {
      const int timed = timed_ ? (Is(Style::kTimed) ? 60 : 15) : 0;
      switch (random_.Weighted({40, 20, 10, 10, 8, 6, 5, timed})) {
        case 0: {
          const std::string& name = random_.Pick(texts_);
          *MutableText(match, name) =
              RandomTextMatch(out_.words, sets_, may_need_re2_, &mixed_left, random_);
          break;
        }
        case 1: {
          const std::string& name = random_.Pick(numbers_);
          *MutableNumber(match, name) = RandomNumberMatch(name, random_);
          break;
        }
        case 2: {
          const std::string& name = random_.Pick(lineage_);
          *MutableNumber(match->mutable_lineage(), name) = RandomNumberMatch(name, random_);
          break;
        }
        case 3:
          (*match->mutable_labels())[random_.Pick(label_keys_)] =
              RandomTextMatch(out_.words, sets_, may_need_re2_, &mixed_left, random_);
          break;
        case 4:
          (*match->mutable_metrics())[random_.Chance(80) ? "m" : "fair"] =
              RandomNumberMatch("metric", random_);
          break;
        case 5:
          match->set_preemptible(random_.Chance(50));
          break;
        case 6:
          match->mutable_lineage()->set_retry_of_preempted(random_.Chance(50));
          break;
        default: {
          static const auto& names =
              *new std::vector<std::string>{"wait_seconds", "hour_of_day", "day_of_week"};
          const std::string& name = random_.Pick(names);
          *MutableNumber(match, name) = RandomNumberMatch(name, random_);
          break;
        }
      }
    }
  }

  Random& random_;
  GeneratedPolicy out_;
  bool may_need_re2_ = false;
  bool timed_ = false;
  std::vector<std::string> sets_, texts_, numbers_, lineage_, label_keys_;
};

}  // namespace

GeneratedPolicy RandomPolicy(Random& random) { return Generator(random).Make(); }

}  // namespace precedent::differential
