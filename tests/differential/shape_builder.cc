#include "tests/differential/shape_builder.h"

#include <limits>
#include <utility>
#include <vector>

#include "tests/differential/fields.h"
#include "tests/differential/units.h"

namespace precedent::differential {

ShapeBuilder::ShapeBuilder(std::size_t names, Random& random) : random_(random), names_(names) {
  out_.style = Style::kIndexed;
  out_.base_time = random.Between(10 * 365, 100 * 365) * kDay + random.Between(0, kDay - 1);
  for (int i = 0; i < 30; ++i) out_.words.push_back(AnyTeam());
  for (const char* word : {"org-1", "org-", "", "x", "org-1-team-2-0-more", "training", "a"})
    out_.words.emplace_back(word);
}

std::string ShapeBuilder::Team(std::size_t number) const {
  return "org-" + std::to_string(number % 7) + "-team-" + std::to_string(number / 7) + "-" +
         std::to_string(number % 3);
}

v1::Stage* ShapeBuilder::AddStage(bool first_match) {
  v1::Stage* stage = policy().add_stages();
  stage->set_name("stage-" + std::to_string(policy().stages_size()));
  if (first_match) stage->set_mode(v1::Stage::FIRST_MATCH);
  return stage;
}

v1::Rule* ShapeBuilder::AddRule(v1::Stage* stage) {
  v1::Rule* rule = stage->add_rules();
  rule->set_id(std::to_string(next_id_++));
  return rule;
}

void ShapeBuilder::AddFrame() {
  policy().mutable_bounds()->set_min(std::numeric_limits<std::int32_t>::min());
  policy().mutable_bounds()->set_max(std::numeric_limits<std::int32_t>::max());
  for (int i = 0; i < 3; ++i) {
    v1::PriorityClass* added = policy().add_priority_classes();
    added->set_name("class-" + std::to_string(i));
    added->set_at_least(i == 0 ? std::numeric_limits<std::int32_t>::min() : 20 * i - 30);
  }
}

void ShapeBuilder::NarrowTeam(v1::Match* match) {
  v1::TextMatch* team = match->mutable_team();
  switch (random_.Weighted({60, 15, 10, 10, 5})) {
    case 0:
      team->add_in(AnyTeam());
      break;
    case 1:
      for (int i = 0; i < 3; ++i) team->add_in(AnyTeam());
      break;
    case 2: {  // nested with others, and sometimes within one list
      const std::string name = AnyTeam();
      team->add_prefix(name.substr(0, name.find("-team")));
      if (Chance(50)) team->add_prefix(name.substr(0, name.size() - 2));
      if (Chance(30)) team->add_prefix(AnyTeam());
      break;
    }
    case 3: {
      const std::string name = AnyTeam();
      team->add_suffix(name.substr(name.find("-team")));
      if (Chance(50)) team->add_suffix(name.substr(name.size() - 1));
      if (Chance(30)) team->add_not_in(AnyTeam());
      break;
    }
    default:  // kinds mixed
      team->add_in(AnyTeam());
      team->add_prefix(AnyTeam().substr(0, 12));
      team->add_suffix(AnyTeam().substr(6));
      break;
  }
}

void ShapeBuilder::Narrow(v1::Match* match) {
  switch (random_.Weighted({60, 15, 10, 15})) {
    case 0:
      NarrowTeam(match);
      break;
    case 1:
      match->mutable_queue()->add_in(AnyTeam());
      break;
    case 2:
      match->mutable_image()->add_prefix(AnyTeam().substr(0, 8 + Below(4)));
      break;
    default:
      (*match->mutable_labels())["cost-center"].add_in(AnyTeam());
      break;
  }
}

void ShapeBuilder::Wide(v1::Match* match) {
  switch (random_.Below(6)) {
    case 0:
      match->mutable_team()->add_not_in(AnyTeam());
      if (Chance(30)) match->mutable_team()->add_not_in(AnyTeam());
      break;
    case 1:
      match->mutable_gpu_count()->set_at_least(static_cast<double>(Below(3)));
      break;
    case 2:
      match->mutable_pod_count()->set_at_most(static_cast<double>(20 + Below(30)));
      break;
    case 3:
      (*match->mutable_labels())["tier"].add_not_in(AnyTeam());
      break;
    case 4:
      match->set_preemptible(false);
      break;
    default:
      match->mutable_environment()->add_not_in(Chance(50) ? "production" : AnyTeam());
      break;
  }
}

void ShapeBuilder::Extra(v1::Match* match) {
  switch (random_.Below(9)) {
    case 0:
      match->mutable_gpu_count()->set_above(static_cast<double>(Below(16)));
      break;
    case 1:
      match->mutable_pod_count()->set_at_most(static_cast<double>(3 + Below(40)));
      if (Chance(50)) match->mutable_pod_count()->set_at_least(1);
      break;
    case 2:
      match->set_preemptible(Chance(50));
      break;
    case 3:
      match->mutable_workload_type()->add_in(Chance(50) ? "training" : "inference");
      break;
    case 4:
      match->mutable_lineage()->mutable_attempt()->set_at_most(static_cast<double>(Below(5)));
      break;
    case 5:
      match->mutable_lineage()->set_retry_of_preempted(Chance(50));
      break;
    case 6:
      (*match->mutable_metrics())["fair"].set_below(static_cast<double>(Below(50)) / 4);
      break;
    case 7: {
      v1::TextMatch& zone = (*match->mutable_labels())["zone"];
      for (std::size_t i = 1 + Below(3); i > 0; --i) zone.add_in(AnyTeam());
      break;
    }
    default:
      (*match->mutable_labels())["tier"].add_not_in(AnyTeam());
      break;
  }
}

void ShapeBuilder::Timed(v1::Match* match) {
  static const auto& names =
      *new std::vector<std::string>{"wait_seconds", "hour_of_day", "day_of_week"};
  const std::string& name = random_.Pick(names);
  *MutableNumber(match, name) = RandomNumberMatch(name, random_);
}

void ShapeBuilder::Pattern(v1::Match* match, bool regex) {
  v1::TextMatch* user = match->mutable_user();
  const std::string name = AnyTeam();
  if (regex && Chance(50)) {
    user->add_regex("org-[0-3]-team-.[0-9]*-" + name.substr(name.size() - 1));
  } else {
    user->add_contains(name.substr(3 + Below(3), 4 + Below(6)));
    if (Chance(30)) user->add_contains(AnyTeam());
  }
  if (Chance(20)) user->add_not_in(AnyTeam());
}

std::int32_t ShapeBuilder::Points(int huge_percent) {
  if (!Chance(huge_percent)) return static_cast<std::int32_t>(random_.Between(-30, 40));
  using Limits = std::numeric_limits<std::int32_t>;
  switch (random_.Below(4)) {
    case 0:
      return Limits::max() - static_cast<std::int32_t>(random_.Between(0, 2000));
    case 1:
      return Limits::min() + static_cast<std::int32_t>(random_.Between(0, 1));
    case 2:
      return 1 << 30;
    default:
      return -(1 << 29);
  }
}

void ShapeBuilder::Outcome(v1::Rule* rule) { AddRandomOutcomes(policy(), rule, random_); }

void ShapeBuilder::ScaledWait(v1::ScaledAdd* scaled) {
  static const auto& points = *new std::vector<double>{1, -1, 10, 0.5, -0.3, 1e6, 0, 3};
  static const auto& per = *new std::vector<double>{1, 60, 1800, 3600, 0.7, 86400, 1e-6};
  scaled->set_of(v1::ScaledAdd::WAIT_SECONDS);
  scaled->set_points(random_.Pick(points));
  scaled->set_per(random_.Pick(per));
  if (Chance(30)) scaled->set_min(static_cast<std::int32_t>(random_.Between(-30, 5)));
  if (Chance(30)) scaled->set_max(static_cast<std::int32_t>(random_.Between(5, 60)));
}

void ShapeBuilder::AnyScore(v1::Rule* rule) {
  switch (random_.Weighted({20, 20, 20, 25, 15})) {
    case 0:
      rule->set_set(Points(3));
      break;
    case 1:
      rule->set_at_least(Points(3));
      break;
    case 2:
      rule->set_at_most(Points(3));
      break;
    case 3:
      rule->set_add(Points(3));
      break;
    default:
      if (Chance(60)) {
        ScaledWait(rule->mutable_add_scaled());
      } else {
        rule->mutable_add_scaled()->set_metric("fair");
        rule->mutable_add_scaled()->set_points(random_.Unit() * 9 - 4);
        if (Chance(50)) rule->mutable_add_scaled()->set_per(0.1 + random_.Unit());
      }
      break;
  }
}

GeneratedPolicy ShapeBuilder::Finish() && { return std::move(out_); }

}  // namespace precedent::differential
