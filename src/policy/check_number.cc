#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "src/policy/checks.h"

namespace precedent::internal {
namespace {

constexpr double kLargest = std::numeric_limits<double>::max();

// The values that an attribute can have.
struct Domain {
  double least;
  double greatest;
  bool whole;           // whole numbers only
  bool always_present;
  std::string_view text;  // for messages
};

constexpr Domain kCount{0, kLargest, true, true, "a whole number, not negative"};
constexpr Domain kAmount{0, kLargest, false, false, "not negative"};
constexpr Domain kAny{-kLargest, kLargest, false, false, "any finite number"};
constexpr Domain kHour{0, 86399.0 / 3600, false, true, "from 0 to below 24"};
constexpr Domain kDay{1, 7, true, true, "from 1 (Monday) to 7 (Sunday)"};

const Domain& DomainOf(std::string_view attribute) {
  if (attribute.empty() || attribute == "reported_priority") return kAny;
  if (attribute == "hour_of_day") return kHour;
  if (attribute == "day_of_week") return kDay;
  constexpr std::array<std::string_view, 6> kCounts = {
      "failure_count", "preemption_count", "infrastructure_failure_count",
      "attempt",       "depth",            "step"};
  return std::find(kCounts.begin(), kCounts.end(), attribute) != kCounts.end() ? kCount : kAmount;
}

bool CheckFinite(bool has, double value, std::string_view name, CheckContext* context) {
  if (!has || std::isfinite(value)) return true;
  At at(context, name);
  context->Error("is not a finite number");
  return false;
}

}  // namespace

void CheckNumber(const v1::NumberMatch& number, std::string_view attribute,
                 CheckContext* context) {
  const bool has_bounds =
      number.has_above() || number.has_at_least() || number.has_below() || number.has_at_most();
  if (!has_bounds && !number.has_present()) {
    context->Error("constrains nothing",
                   "give `above`, `at_least`, `below`, `at_most` or `present`");
    return;
  }
  if (number.has_present() && !number.present() && has_bounds) {
    context->Error("`present: false` stands beside another constraint",
                   "an absent number has no value to compare");
    return;
  }
  // Every bound is looked at: each can have an error of its own.
  bool finite = CheckFinite(number.has_above(), number.above(), "above", context);
  finite = CheckFinite(number.has_at_least(), number.at_least(), "at_least", context) && finite;
  finite = CheckFinite(number.has_below(), number.below(), "below", context) && finite;
  finite = CheckFinite(number.has_at_most(), number.at_most(), "at_most", context) && finite;
  if (!finite) return;
  const Domain& domain = DomainOf(attribute);
  const auto warn = [&](std::string_view what) {
    const std::string name = attribute.empty() ? "a metric" : std::string(attribute);
    context->Warning("can never hold: " + name + " is " + std::string(what));
  };
  if (number.has_present() && !number.present()) {
    if (domain.always_present) warn("never absent");
    return;
  }
  // As a closed range of doubles.
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  double least = -kInfinity, greatest = kInfinity;
  if (number.has_above()) least = std::nextafter(number.above(), kInfinity);
  if (number.has_at_least()) least = std::max(least, number.at_least());
  if (number.has_below()) greatest = std::nextafter(number.below(), -kInfinity);
  if (number.has_at_most()) greatest = std::min(greatest, number.at_most());
  if (least > greatest) {
    context->Error("no number is within these bounds",
                   "for values outside of a range, use two entries of `when`");
    return;
  }
  least = std::max(least, domain.least);
  greatest = std::min(greatest, domain.greatest);
  if (domain.whole) {
    least = std::ceil(least);
    greatest = std::floor(greatest);
  }
  if (least > greatest) warn(domain.text);
}

}  // namespace precedent::internal
