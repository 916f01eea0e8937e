// Policies and times for the reference's own tests.
#ifndef PRECEDENT_TESTS_REFERENCE_TEST_POLICIES_H_
#define PRECEDENT_TESTS_REFERENCE_TEST_POLICIES_H_

#include <cstdint>
#include <string>

#include "absl/time/time.h"
#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"
#include "precedent/v1/policy.pb.h"
#include "tests/reference/job.h"

namespace precedent::reference {

inline v1::Policy PolicyOf(const std::string& text) {
  v1::Policy policy;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &policy)) << text;
  return policy;
}

inline Job JobOf(const std::string& text) {
  v1::JobDescriptor message;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &message)) << text;
  return FromMessage(message);
}

// Microseconds of an RFC 3339 time.
inline std::int64_t At(const std::string& text) {
  absl::Time time;
  std::string error;
  EXPECT_TRUE(absl::ParseTime(absl::RFC3339_full, text, &time, &error)) << text << ": " << error;
  return absl::ToUnixMicros(time);
}

inline constexpr char kSeedPolicy[] = R"(
  name: "gpu-fleet"
  stages { name: "base" mode: FIRST_MATCH
    rules { id: "production" when { environment { in: "production" } } set: 1000 }
    rules { id: "everyone-else" set: 500 } }
  stages { name: "urgency" mode: FIRST_MATCH
    rules { id: "inference" when { workload_type { in: "inference" } } add: 200 }
    rules { id: "large" when { gpu_count { above: 4 } } add: -50 } }
  stages { name: "size"
    rules { id: "huge-dataset"
            when { workload_type { in: "training" } dataset_bytes { above: 1e12 } } add: -5 } }
  stages { name: "lineage"
    rules { id: "own-failures" add_scaled { of: FAILURE_COUNT points: -10 } } }
  stages { name: "aging"
    rules { id: "waiting" order_only: true
            add_scaled { of: WAIT_SECONDS points: 1 per: 1800 max: 40 } } }
  stages { name: "consent"
    rules { id: "preemptible" when { preemptible: true } set: 0 final: true } }
  bounds { min: 0 max: 9999 }
  fallback { priority: 500 }
  priority_classes { name: "critical" at_least: 1200 }
  priority_classes { name: "production" at_least: 800 }
  priority_classes { name: "experimental" at_least: 1 }
  priority_classes { name: "preemptible" at_least: 0 })";

}  // namespace precedent::reference

#endif  // PRECEDENT_TESTS_REFERENCE_TEST_POLICIES_H_
