// Random numbers that are the same on every machine: 64-bit integer arithmetic only.
#ifndef PRECEDENT_BENCH_WORKLOAD_RANDOM_H_
#define PRECEDENT_BENCH_WORKLOAD_RANDOM_H_

#include <cstdint>

namespace precedent::bench {

// Sebastiano Vigna's splitmix64.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t Next() {
    state_ += 0x9E3779B97F4A7C15u;
    std::uint64_t mixed = state_;
    mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9u;
    mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBu;
    return mixed ^ (mixed >> 31);
  }

  // 0 to limit - 1.
  std::uint32_t Below(std::uint32_t limit) {
    return static_cast<std::uint32_t>(((Next() >> 32) * limit) >> 32);
  }

  // True `permille` times in a thousand.
  bool Permille(std::uint32_t permille) { return Below(1000) < permille; }

  // 0 to limit - 1, small ones more often: a product of two uniform numbers, as a
  // few teams have most of the jobs.
  std::uint32_t Skewed(std::uint32_t limit) {
    const std::uint64_t first = Next() >> 32;
    const std::uint64_t second = Next() >> 32;
    return static_cast<std::uint32_t>((((first * second) >> 32) * limit) >> 32);
  }

 private:
  std::uint64_t state_;
};

}  // namespace precedent::bench

#endif  // PRECEDENT_BENCH_WORKLOAD_RANDOM_H_
