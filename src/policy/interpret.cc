#include "src/policy/interpret.h"

#include <algorithm>
#include <charconv>
#include <map>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/time.h"
#include "precedent/internal/bind.h"
#include "precedent/internal/claims.h"
#include "precedent/internal/number.h"
#include "re2/re2.h"
#include "src/policy/attributes.h"

namespace precedent::internal {
namespace {

absl::string_view View(std::string_view text) { return {text.data(), text.size()}; }

std::string TextOf(const std::optional<std::string_view>& text) {
  return text.has_value() ? absl::StrCat("`", View(*text), "`") : "absent";
}

bool TextHolds(const v1::TextMatch& match, const ValueSets& sets,
               const std::optional<std::string_view>& text) {
  const bool has_list = match.in_size() + match.in_set_size() + match.prefix_size() +
                            match.suffix_size() + match.contains_size() + match.regex_size() >
                        0;
  if (!text.has_value()) return match.has_present() ? !match.present() : !has_list;
  if (match.has_present() && !match.present()) return false;
  const absl::string_view value = View(*text);
  const auto equals = [&](const std::string& v) { return v == value; };
  if (std::any_of(match.not_in().begin(), match.not_in().end(), equals)) return false;
  if (!has_list) return true;
  const auto any = [](const auto& list, auto holds) {
    return std::any_of(list.begin(), list.end(), holds);
  };
  return any(match.in(), equals) ||
         any(match.in_set(),
             [&](const std::string& name) { return any(sets.at(name)->values(), equals); }) ||
         any(match.prefix(), [&](const std::string& p) { return absl::StartsWith(value, p); }) ||
         any(match.suffix(), [&](const std::string& s) { return absl::EndsWith(value, s); }) ||
         any(match.contains(), [&](const std::string& c) { return absl::StrContains(value, c); }) ||
         any(match.regex(), [&](const std::string& r) {
           RE2::Options options;
           options.set_dot_nl(true);
           options.set_log_errors(false);
           return RE2::FullMatch(re2::StringPiece(value.data(), value.size()), RE2(r, options));
         });
}

std::string Wanted(const v1::TextMatch& match) {
  std::vector<std::string> parts;
  const auto list = [&](absl::string_view name, const auto& values) {
    if (values.empty()) return;
    constexpr int kShown = 4;
    std::string text = absl::StrCat(name, " ");
    for (int i = 0; i < values.size() && i < kShown; ++i)
      absl::StrAppend(&text, i > 0 ? ", " : "", "`", values.Get(i), "`");
    if (values.size() > kShown)
      absl::StrAppend(&text, " or ", values.size() - kShown, " more");
    parts.push_back(std::move(text));
  };
  list("in", match.in());
  list("in set", match.in_set());
  list("prefix", match.prefix());
  list("suffix", match.suffix());
  list("contains", match.contains());
  list("regex", match.regex());
  std::string wanted = absl::StrJoin(parts, " or ");
  parts.clear();
  if (!wanted.empty()) parts.push_back(std::move(wanted));
  list("not in", match.not_in());
  if (match.has_present()) parts.push_back(match.present() ? "present" : "absent");
  return absl::StrJoin(parts, " and ");
}

bool NumberHolds(const v1::NumberMatch& match, double number) {
  if (IsAbsent(number)) return match.has_present() && !match.present();
  if (match.has_present() && !match.present()) return false;
  return !(match.has_above() && number <= match.above()) &&
         !(match.has_at_least() && number < match.at_least()) &&
         !(match.has_below() && number >= match.below()) &&
         !(match.has_at_most() && number > match.at_most());
}

std::string Wanted(const v1::NumberMatch& match) {
  std::vector<std::string> parts;
  if (match.has_above()) parts.push_back(absl::StrCat("above ", NumberText(match.above())));
  if (match.has_at_least()) parts.push_back(absl::StrCat("at least ", NumberText(match.at_least())));
  if (match.has_below()) parts.push_back(absl::StrCat("below ", NumberText(match.below())));
  if (match.has_at_most()) parts.push_back(absl::StrCat("at most ", NumberText(match.at_most())));
  if (match.has_present()) parts.push_back(match.present() ? "present" : "absent");
  return absl::StrJoin(parts, " and ");
}

std::string Quoted(absl::string_view map, const std::string& key) {
  return absl::StrCat(map, "[\"", key, "\"]");
}

double NumberOfJob(const Subject& subject, Number number) {
  return BuiltInNumber(subject.job, static_cast<std::uint32_t>(number));
}

double MetricOf(const Subject& subject, const std::string& name) {
  for (const Metric& metric : subject.job.metrics)
    if (metric.name == name) return metric.value;
  return kAbsent;
}

// Collects what a Match looks at until something does not hold.
class MatchReader {
 public:
  explicit MatchReader(std::vector<SeenValue>* seen) : seen_(seen) {}

  bool Check(std::string attribute, bool holds, std::string wanted, std::string value) {
    if (!holds) {
      unmet_ = UnmetConstraint{std::move(attribute), std::move(wanted), std::move(value)};
    } else {
      seen_->push_back({std::move(attribute), std::move(value)});
    }
    return holds;
  }
  bool Text(std::string attribute, const v1::TextMatch& match, const ValueSets& sets,
            const std::optional<std::string_view>& text) {
    return Check(std::move(attribute), TextHolds(match, sets, text), Wanted(match), TextOf(text));
  }
  bool Number(std::string attribute, const v1::NumberMatch& match, double number) {
    return Check(std::move(attribute), NumberHolds(match, number), Wanted(match),
                 NumberText(number));
  }
  bool Boolean(std::string attribute, bool wanted, bool value) {
    return Check(std::move(attribute), wanted == value, wanted ? "true" : "false",
                 value ? "true" : "false");
  }
  std::optional<UnmetConstraint> unmet() && { return std::move(unmet_); }

 private:
  std::vector<SeenValue>* const seen_;
  std::optional<UnmetConstraint> unmet_;
};

bool ReadMatch(const Subject& subject, const v1::Match& match, MatchReader* reader) {
  const JobDescriptor& job = subject.job;
  for (const TextAttribute& attribute : kTextAttributes) {
    if (!(match.*attribute.has)()) continue;
    const std::string_view value = job.*attribute.value;
    if (!reader->Text(std::string(attribute.name), (match.*attribute.get)(), subject.sets,
                      value.empty() ? std::nullopt : std::make_optional(value)))
      return false;
  }
  for (const NumberAttribute& attribute : kNumberAttributes) {
    const v1::NumberMatch* number = attribute.In(match);
    if (number == nullptr) continue;
    std::string name(attribute.name);
    if (attribute.has == nullptr) name = "lineage." + name;
    if (!reader->Number(std::move(name), *number, NumberOfJob(subject, attribute.number)))
      return false;
  }
  if (match.has_wait_seconds() &&
      !reader->Number("wait_seconds", match.wait_seconds(), subject.wait_seconds))
    return false;
  if (match.has_hour_of_day() &&
      !reader->Number("hour_of_day", match.hour_of_day(), subject.hour_of_day))
    return false;
  if (match.has_day_of_week() &&
      !reader->Number("day_of_week", match.day_of_week(), subject.day_of_week))
    return false;
  if (match.has_preemptible() &&
      !reader->Boolean("preemptible", match.preemptible(), job.preemptible))
    return false;
  if (match.lineage().has_retry_of_preempted() &&
      !reader->Boolean("lineage.retry_of_preempted", match.lineage().retry_of_preempted(),
                       job.lineage.retry_of_preempted))
    return false;
  // Maps in the order of their keys: the same story every time.
  for (const auto& [key, text] :
       std::map<std::string, v1::TextMatch>(match.labels().begin(), match.labels().end())) {
    std::optional<std::string_view> value;
    for (const Label& label : job.labels) {
      if (label.key != key) continue;
      value = label.value;
      break;
    }
    if (!reader->Text(Quoted("labels", key), text, subject.sets, value)) return false;
  }
  for (const auto& [name, number] :
       std::map<std::string, v1::NumberMatch>(match.metrics().begin(), match.metrics().end()))
    if (!reader->Number(Quoted("metrics", name), number, MetricOf(subject, name))) return false;
  return true;
}

}  // namespace

std::string NumberText(double number) {
  if (IsAbsent(number)) return "absent";
  char buffer[64];
  // Whole numbers in full as far as a double is exact, such as bytes.
  constexpr double kExact = 9007199254740992;
  const bool whole = number > -kExact && number < kExact &&
                     number == static_cast<double>(static_cast<std::int64_t>(number));
  const std::to_chars_result end =
      whole ? std::to_chars(buffer, buffer + sizeof buffer, static_cast<std::int64_t>(number))
            : std::to_chars(buffer, buffer + sizeof buffer, number);
  return std::string(buffer, end.ptr);
}

Subject MakeSubject(const v1::Policy& policy, const JobDescriptor& job, TimePoint now) {
  Subject subject;
  subject.job = job;
  subject.now = now;
  std::uint32_t required = 0;
  for (int attribute : policy.require_verified()) required |= 1u << attribute;
  DropClaims(job.claimed & required, &subject.job);
  if (subject.job.submitted != kNoTime)
    subject.wait_seconds = WaitSeconds(WaitMicroseconds(
        subject.job.submitted.time_since_epoch().count(), now.time_since_epoch().count()));
  absl::TimeZone zone = absl::UTCTimeZone();
  absl::LoadTimeZone(policy.time_zone(), &zone);  // checked when the policy was compiled
  const absl::CivilSecond local =
      absl::ToCivilSecond(absl::FromUnixMicros(now.time_since_epoch().count()), zone);
  subject.hour_of_day =
      static_cast<double>(local.hour() * 3600 + local.minute() * 60 + local.second()) / 3600;
  subject.day_of_week = static_cast<int>(absl::GetWeekday(local)) + 1;
  for (const v1::ValueSet& set : policy.sets()) subject.sets.emplace(set.name(), &set);
  return subject;
}

double ScaledSource(const Subject& subject, const v1::ScaledAdd& scaled, std::string* name) {
  if (scaled.source_case() == v1::ScaledAdd::kMetric) {
    *name = Quoted("metrics", scaled.metric());
    return MetricOf(subject, scaled.metric());
  }
  for (const NumberAttribute& attribute : kNumberAttributes) {
    if (attribute.source != scaled.of()) continue;
    *name = std::string(attribute.name);
    if (attribute.has == nullptr) *name = "lineage." + *name;
    return NumberOfJob(subject, attribute.number);
  }
  *name = "wait_seconds";
  return subject.wait_seconds;
}

std::optional<UnmetConstraint> FirstUnmet(const Subject& subject, const v1::Match& match,
                                          std::vector<SeenValue>* seen) {
  std::vector<SeenValue> looked_at;
  MatchReader reader(&looked_at);
  if (ReadMatch(subject, match, &reader))
    seen->insert(seen->end(), looked_at.begin(), looked_at.end());
  return std::move(reader).unmet();
}

}  // namespace precedent::internal
