#include <cmath>
#include <string>

#include "src/policy/checks.h"

namespace precedent::internal {
namespace {

void CheckScaled(const v1::ScaledAdd& scaled, CheckContext* context) {
  if (scaled.source_case() == v1::ScaledAdd::SOURCE_NOT_SET) {
    context->Error("has neither `of` nor `metric`",
                   "say which number is counted, such as `of: FAILURE_COUNT`");
  } else if (scaled.has_of() && scaled.of() == v1::ScaledAdd::SOURCE_UNSPECIFIED) {
    At at(context, "of");
    context->Error("names no number", "such as `FAILURE_COUNT`");
  } else if (scaled.has_metric() && scaled.metric().empty()) {
    At at(context, "metric");
    context->Error("names no metric");
  }
  {
    At at(context, "points");
    if (!std::isfinite(scaled.points())) {
      context->Error("is not a finite number");
    } else if (scaled.points() == 0) {
      context->Warning("0 points: it adds nothing");
    }
  }
  {
    At at(context, "per");
    if (scaled.has_per() && !std::isfinite(scaled.per())) {
      context->Error("is not a finite number");
    } else if (scaled.has_per() && scaled.per() <= 0) {
      context->Error("is not greater than 0", "negative `points` subtract");
    }
  }
  if (scaled.has_min() && scaled.has_max() && scaled.min() > scaled.max()) {
    At at(context, "min");
    context->Error("`min` " + std::to_string(scaled.min()) + " is above `max` " +
                   std::to_string(scaled.max()));
  }
}

// The range of a valid Timestamp, years 1 to 9999.
bool IsValid(const google::protobuf::Timestamp& time) {
  return time.seconds() >= -62'135'596'800 && time.seconds() <= 253'402'300'799 &&
         time.nanos() >= 0 && time.nanos() <= 999'999'999;
}

bool CheckTime(bool has, const google::protobuf::Timestamp& time, std::string_view name,
               CheckContext* context) {
  if (!has) return true;
  At at(context, name);
  if (context->Broken()) return false;
  if (IsValid(time)) return true;
  context->Error("is not a time between the years 1 and 9999");
  return false;
}

}  // namespace

void CheckEffects(const v1::Rule& rule, CheckContext* context) {
  const bool from_ok =
      CheckTime(rule.has_active_from(), rule.active_from(), "active_from", context);
  const bool until_ok =
      CheckTime(rule.has_active_until(), rule.active_until(), "active_until", context);
  if (rule.has_active_from() && rule.has_active_until() && from_ok && until_ok) {
    const auto& from = rule.active_from();
    const auto& until = rule.active_until();
    if (from.seconds() > until.seconds() ||
        (from.seconds() == until.seconds() && from.nanos() >= until.nanos())) {
      At at(context, "active_until");
      context->Error("is not after `active_from`", "the rule would never be active");
    }
  }
  if (rule.has_add_scaled()) {
    At at(context, "add_scaled");
    CheckScaled(rule.add_scaled(), context);
  }
  if (rule.has_priority_class()) {
    At at(context, "priority_class");
    context->CheckClassName(rule.priority_class());
  }
  if (rule.has_limit_runtime_seconds() && rule.limit_runtime_seconds() <= 0) {
    At at(context, "limit_runtime_seconds");
    context->Error("is not greater than 0", "leave it out for no limit");
  }
}

}  // namespace precedent::internal
