// A small generator whose sequence is the same on every machine (the distributions
// of the standard library are not).
#ifndef PRECEDENT_TESTS_DIFFERENTIAL_RANDOM_H_
#define PRECEDENT_TESTS_DIFFERENTIAL_RANDOM_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace precedent::differential {

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  // SplitMix64: neighbouring seeds give unrelated sequences.
  std::uint64_t Next() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  // 0 to n - 1. REQUIRES: n > 0.
  std::size_t Below(std::size_t n) { return static_cast<std::size_t>(Next() % n); }
  // min to max, both inclusive.
  std::int64_t Between(std::int64_t min, std::int64_t max) {
    return min + static_cast<std::int64_t>(Next() % (static_cast<std::uint64_t>(max - min) + 1));
  }
  bool Chance(int percent) { return Below(100) < static_cast<std::size_t>(percent); }
  // 0 <= x < 1.
  double Unit() { return static_cast<double>(Next() >> 11) / 9007199254740992.0; }

  template <typename T>
  const T& Pick(const std::vector<T>& values) {
    return values[Below(values.size())];
  }
  // The index of a weight, with a probability proportional to it.
  std::size_t Weighted(std::initializer_list<int> weights) {
    int sum = 0;
    for (int weight : weights) sum += weight;
    int left = static_cast<int>(Below(static_cast<std::size_t>(sum)));
    std::size_t index = 0;
    for (int weight : weights) {
      if (left < weight) return index;
      left -= weight;
      ++index;
    }
    return index;
  }

 private:
  std::uint64_t state_;
};

}  // namespace precedent::differential

#endif  // PRECEDENT_TESTS_DIFFERENTIAL_RANDOM_H_
