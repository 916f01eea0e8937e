// Points in time, as the library takes and gives them.
#ifndef PRECEDENT_TIME_H_
#define PRECEDENT_TIME_H_

#include <chrono>

namespace precedent {

// Microseconds since 1970-01-01 00:00 UTC. The library never asks for the time:
// the caller says what time it is.
using TimePoint = std::chrono::time_point<std::chrono::system_clock, std::chrono::microseconds>;

// "No such time": an absent submission.
inline constexpr TimePoint kNoTime = TimePoint::min();
// "For ever": a decision that no passing of time can change.
inline constexpr TimePoint kForever = TimePoint::max();

}  // namespace precedent

#endif  // PRECEDENT_TIME_H_
