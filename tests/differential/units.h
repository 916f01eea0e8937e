// Spans of time in microseconds.
#ifndef PRECEDENT_TESTS_DIFFERENTIAL_UNITS_H_
#define PRECEDENT_TESTS_DIFFERENTIAL_UNITS_H_

#include <cstdint>

namespace precedent::differential {

inline constexpr std::int64_t kSecond = 1'000'000;
inline constexpr std::int64_t kDay = 86'400 * kSecond;

}  // namespace precedent::differential

#endif  // PRECEDENT_TESTS_DIFFERENTIAL_UNITS_H_
