#ifndef PRECEDENT_TESTS_UNIT_DESCHEDULER_TIMES_H_
#define PRECEDENT_TESTS_UNIT_DESCHEDULER_TIMES_H_

#include <chrono>
#include <cstdint>

#include "precedent/time.h"

namespace precedent::descheduler {

inline constexpr std::int64_t kNow = 1'700'000'000;

inline TimePoint At(std::int64_t seconds) { return TimePoint(std::chrono::seconds(seconds)); }

}  // namespace precedent::descheduler

#endif  // PRECEDENT_TESTS_UNIT_DESCHEDULER_TIMES_H_
