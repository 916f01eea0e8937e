#include "tests/differential/job_generator.h"

#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "tests/differential/fields.h"
#include "tests/differential/units.h"
#include "tests/differential/words.h"
#include "tests/reference/clock.h"

namespace precedent::differential {
namespace {

// A protobuf map has another order in every process.
template <typename Value>
std::map<std::string, Value> InOrder(const google::protobuf::Map<std::string, Value>& map) {
  return {map.begin(), map.end()};
}


template <typename T>
const T& FieldOf(const google::protobuf::Message& message, const std::string& name) {
  return static_cast<const T&>(
      message.GetReflection()->GetMessage(message, message.GetDescriptor()->FindFieldByName(name)));
}

bool Has(const google::protobuf::Message& message, const std::string& name) {
  return message.GetReflection()->HasField(message, message.GetDescriptor()->FindFieldByName(name));
}

// The same fields for every attribute: those of the Match that are there.
template <typename F>
void EachNumber(const v1::Match& match, F f) {
  for (const std::string& name : NumberAttributes())
    if (Has(match, name)) f(name, FieldOf<v1::NumberMatch>(match, name));
  for (const std::string& name : LineageNumbers())
    if (Has(match.lineage(), name)) f(name, FieldOf<v1::NumberMatch>(match.lineage(), name));
}

}  // namespace

JobGenerator::JobGenerator(const GeneratedPolicy& generated, Random& random)
    : generated_(generated), random_(random), conditions_(generated.policy) {
  std::set<std::string> keys{"other"}, names{"other"};
  for (const v1::Stage& stage : generated.policy.stages()) {
    for (const v1::Rule& rule : stage.rules()) {
      for (const auto* limit : {&rule.active_from(), &rule.active_until()})
        if (limit->seconds() != 0)
          limits_.push_back(limit->seconds() * kSecond + limit->nanos() / 1000);
      if (rule.add_scaled().source_case() == v1::ScaledAdd::kMetric)
        names.insert(rule.add_scaled().metric());
      for (const v1::Match& match : rule.when()) {
        matches_.push_back(&match);
        for (const std::string& name : TextAttributes())
          if (Has(match, name)) CollectTexts(name, FieldOf<v1::TextMatch>(match, name));
        EachNumber(match, [&](const std::string& name, const v1::NumberMatch& number) {
          CollectNumbers(name, number);
        });
        CollectNumbers("wait_seconds", match.wait_seconds());
        CollectNumbers("hour_of_day", match.hour_of_day());
        for (const auto& [key, text] : InOrder(match.labels())) {
          CollectTexts("labels/" + key, text);
          keys.insert(key);
        }
        for (const auto& [name, number] : InOrder(match.metrics())) {
          CollectNumbers("metrics/" + name, number);
          names.insert(name);
        }
      }
    }
  }
  label_keys_.assign(keys.begin(), keys.end());
  metric_names_.assign(names.begin(), names.end());
}

void JobGenerator::CollectTexts(const std::string& attribute, const v1::TextMatch& match) {
  std::vector<std::string>& texts = texts_[attribute];
  const auto add = [&](const google::protobuf::RepeatedPtrField<std::string>& list) {
    texts.insert(texts.end(), list.begin(), list.end());
  };
  add(match.in());
  add(match.prefix());
  add(match.suffix());
  add(match.contains());
  add(match.not_in());
  for (const std::string& name : match.in_set())
    for (const v1::ValueSet& set : generated_.policy.sets())
      if (set.name() == name) add(set.values());
}

void JobGenerator::CollectNumbers(const std::string& attribute, const v1::NumberMatch& match) {
  std::vector<double>& numbers = numbers_[attribute];
  if (match.has_above()) numbers.push_back(match.above());
  if (match.has_at_least()) numbers.push_back(match.at_least());
  if (match.has_below()) numbers.push_back(match.below());
  if (match.has_at_most()) numbers.push_back(match.at_most());
}

std::string JobGenerator::Text(const std::string& attribute) {
  const auto known = texts_.find(attribute);
  std::string word;
  if (known != texts_.end() && !known->second.empty() && random_.Chance(60)) {
    word = random_.Pick(known->second);
  } else {
    word = random_.Pick(generated_.words);
  }
  switch (random_.Weighted({70, 15, 8, 7})) {
    case 0:
      return word;
    case 1:
      return Mutated(word, random_);
    case 2:
      return word + random_.Pick(generated_.words);
    default:
      return random_.Pick(generated_.words) + word;
  }
}

double JobGenerator::Number(const std::string& attribute) {
  const auto known = numbers_.find(attribute);
  if (known == numbers_.end() || known->second.empty() || random_.Chance(20)) {
    static const auto& any =
        *new std::vector<double>{0, 0.5, 1, 2, 3, 5, 10, 60, 4000, 1e12, 1e300};
    return random_.Chance(70) ? random_.Pick(any) : random_.Unit() * 100;
  }
  const double bound = random_.Pick(known->second);
  switch (random_.Weighted({50, 15, 15, 10, 10})) {
    case 0:
      return bound;
    case 1:
      return bound < 1e308 ? std::nextafter(bound, HUGE_VAL) : bound;
    case 2:
      return bound > -1e308 ? std::nextafter(bound, -HUGE_VAL) : bound;
    case 3:
      return bound + 1;
    default:
      return bound - 1;
  }
}

std::int64_t JobGenerator::Now() {
  static const auto& steps = *new std::vector<std::int64_t>{
      0, 1, -1, kSecond, -kSecond, 3600 * kSecond, -3600 * kSecond, kDay, -kDay};
  if (!limits_.empty() && random_.Chance(25)) return random_.Pick(limits_) + random_.Between(-1, 2);
  std::int64_t now = generated_.base_time;
  switch (random_.Weighted({30, 30, 30, 10})) {
    case 0:
      now += random_.Pick(steps);
      break;
    case 1:
      now += random_.Between(-kDay, kDay);
      break;
    case 2:
      now += random_.Between(-10 * kDay, 10 * kDay);
      break;
    default:
      now += random_.Between(-400 * kDay, 400 * kDay);
      break;
  }
  const auto hours = numbers_.find("hour_of_day");
  if (hours != numbers_.end() && !hours->second.empty() && random_.Chance(40)) {
    const std::int64_t offset = conditions_.zone().OffsetAt(now);
    const double second = std::ceil(random_.Pick(hours->second) * 3600);
    now = reference::Midnight(now, offset) + static_cast<std::int64_t>(second) * kSecond +
          random_.Between(-1, 1) * (random_.Chance(50) ? 1 : kSecond);
  }
  return now;
}

std::optional<std::int64_t> JobGenerator::Submitted(std::int64_t now) {
  constexpr std::int64_t kYearOne = -62'135'596'800 * kSecond;
  if (random_.Chance(20)) return std::nullopt;
  std::int64_t wait = random_.Between(-10 * kSecond, 3 * kDay);
  const auto waits = numbers_.find("wait_seconds");
  if (waits != numbers_.end() && !waits->second.empty() && random_.Chance(50)) {
    const double bound = random_.Pick(waits->second) * 1e6;
    if (bound < 1e17) wait = static_cast<std::int64_t>(bound) + random_.Between(-1, 2);
  } else if (random_.Chance(30)) {
    wait = 1800 * kSecond * random_.Between(0, 60) + random_.Between(-1, 1);
  } else if (random_.Chance(5)) {
    wait = random_.Between(0, 1900LL * 365 * kDay);
  }
  return std::max(now - wait, kYearOne);
}

void JobGenerator::AddLists(reference::Job* job) {
  std::size_t labels = random_.Below(4);
  if (random_.Chance(2)) labels = 50;
  for (std::size_t i = 0; i < labels; ++i) {
    const std::string key = random_.Chance(85)   ? random_.Pick(label_keys_)
                            : random_.Chance(50) ? random_.Pick(generated_.words)
                                                 : Mutated(random_.Pick(label_keys_), random_);
    job->labels.emplace_back(key, random_.Chance(8) ? "" : Text("labels/" + key));
  }
  for (std::size_t i = random_.Below(4); i > 0; --i) {
    const std::string& name = random_.Pick(metric_names_);
    const bool absent = random_.Chance(5);
    job->metrics.emplace_back(
        name, absent ? std::numeric_limits<double>::quiet_NaN() : Number("metrics/" + name));
  }
}

// Sets what `match` constrains to values that satisfy it, as far as a few tries find
// some.
void JobGenerator::Satisfy(const v1::Match& match, JobAtTime* out) {
  constexpr int kTries = 12;
  v1::JobDescriptor* facts = &out->job.facts;
  for (const std::string& name : TextAttributes()) {
    if (!Has(match, name)) continue;
    const v1::TextMatch& constraint = FieldOf<v1::TextMatch>(match, name);
    if (conditions_.TextHolds(constraint, std::nullopt)) {
      SetText(facts, name, "");
      continue;
    }
    for (int i = 0; i < kTries; ++i) {
      const std::string text = Text(name);
      if (text.empty() || !conditions_.TextHolds(constraint, text)) continue;
      SetText(facts, name, text);
      break;
    }
  }
  EachNumber(match, [&](const std::string& name, const v1::NumberMatch& constraint) {
    google::protobuf::Message* owner = facts;
    if (v1::Lineage::descriptor()->FindFieldByName(name) != nullptr)
      owner = facts->mutable_lineage();
    if (reference::NumberHolds(constraint, std::nullopt)) {
      owner->GetReflection()->ClearField(owner, owner->GetDescriptor()->FindFieldByName(name));
      return;
    }
    for (int i = 0; i < kTries; ++i) {
      const double number = Number(name);
      if (number < 0 && name != "reported_priority") continue;
      if (!reference::NumberHolds(constraint, number)) continue;
      SetNumber(owner, name, number);
      break;
    }
  });
  if (match.has_preemptible()) facts->set_preemptible(match.preemptible());
  if (match.lineage().has_retry_of_preempted())
    facts->mutable_lineage()->set_retry_of_preempted(match.lineage().retry_of_preempted());
  for (const auto& [key, constraint] : InOrder(match.labels())) {
    if (conditions_.TextHolds(constraint, std::nullopt)) continue;
    for (int i = 0; i < kTries; ++i) {
      const std::string text = Text("labels/" + key);
      if (!conditions_.TextHolds(constraint, text)) continue;
      out->job.labels.emplace(out->job.labels.begin(), key, text);
      break;
    }
  }
  for (const auto& [name, constraint] : InOrder(match.metrics())) {
    if (reference::NumberHolds(constraint, std::nullopt)) continue;
    for (int i = 0; i < kTries; ++i) {
      const double number = Number("metrics/" + name);
      if (!reference::NumberHolds(constraint, number)) continue;
      out->job.metrics.emplace(out->job.metrics.begin(), name, number);
      break;
    }
  }
}

// Makes the job one that there cannot be, or whose claims nobody verified.
void JobGenerator::Spoil(reference::Job* job) {
  v1::JobDescriptor* facts = &job->facts;
  if (random_.Chance(25)) {
    for (std::size_t i = 1 + random_.Below(10); i > 0; --i)
      facts->add_claimed(static_cast<v1::Attribute>(1 + random_.Below(20)));
    // Numbers that no attribute has yet mean nothing.
    if (random_.Chance(10)) facts->add_claimed(static_cast<v1::Attribute>(31));
    if (random_.Chance(10)) facts->add_claimed(static_cast<v1::Attribute>(0));
  }
  if (!random_.Chance(3)) return;
  static const auto& numbers =
      *new std::vector<double>{-1, -0.5, -4.9e-324, -1e300, HUGE_VAL, -HUGE_VAL,
                               // These two are fine: absent, and zero.
                               std::numeric_limits<double>::quiet_NaN(), -0.0};
  const double number = random_.Pick(numbers);
  switch (random_.Below(3)) {
    case 0:
      SetNumber(facts, random_.Pick(NumberAttributes()), number);
      break;
    case 1:
      SetNumber(facts->mutable_lineage(), random_.Pick(LineageNumbers()), number);
      break;
    default:
      job->metrics.emplace_back(random_.Pick(metric_names_), number);
      break;
  }
}

JobAtTime JobGenerator::Make() {
  JobAtTime out;
  out.now = Now();
  v1::JobDescriptor* facts = &out.job.facts;
  for (const std::string& name : TextAttributes())
    if (random_.Chance(70)) SetText(facts, name, Text(name));
  for (const std::string& name : NumberAttributes())
    if (random_.Chance(70)) SetNumber(facts, name, std::fabs(Number(name)));
  for (const std::string& name : LineageNumbers()) {
    if (!random_.Chance(50)) continue;
    const double number = Number(name);
    SetNumber(facts->mutable_lineage(), name,
              name == "reported_priority" ? number : std::fabs(number));
  }
  facts->set_preemptible(random_.Chance(30));
  if (random_.Chance(20)) facts->mutable_lineage()->set_retry_of_preempted(true);
  AddLists(&out.job);
  for (int i = random_.Chance(20) ? 2 : 1; i > 0 && !matches_.empty(); --i)
    if (random_.Chance(60)) Satisfy(*random_.Pick(matches_), &out);
  out.job.submitted_us = Submitted(out.now);
  Spoil(&out.job);
  return out;
}

}  // namespace precedent::differential
