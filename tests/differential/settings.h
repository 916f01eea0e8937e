// How much the differential tests do, and from which seed.
//
//   random_policies_test --seed=17 --pairs=1000000
//
// or PRECEDENT_SEED and PRECEDENT_PAIRS in the environment; --full or
// PRECEDENT_FULL=1 for the larger universe of small_universe_test.
#ifndef PRECEDENT_TESTS_DIFFERENTIAL_SETTINGS_H_
#define PRECEDENT_TESTS_DIFFERENTIAL_SETTINGS_H_

#include <cstdint>

namespace precedent::differential {

// Under a sanitizer everything takes ten times as long, and is done a tenth as often.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr int kLess = 10;
#else
inline constexpr int kLess = 1;
#endif

struct Settings {
  std::uint64_t seed = 20260101;
  std::uint64_t pairs = 1'000'000 / kLess;
  bool full = false;
  bool shrink = true;  // PRECEDENT_SHRINK=0: print a failure as it was found
};

// From the environment, and then as ParseFlags found it.
Settings& TheSettings();
// False on an unknown argument, which it names on standard error.
bool ParseFlags(int argc, char** argv);

}  // namespace precedent::differential

#endif  // PRECEDENT_TESTS_DIFFERENTIAL_SETTINGS_H_
