// Runs policies of one shape against the reference.
#ifndef PRECEDENT_TESTS_DIFFERENTIAL_SHAPE_RUNNER_H_
#define PRECEDENT_TESTS_DIFFERENTIAL_SHAPE_RUNNER_H_

#include <functional>
#include <string>

#include "tests/differential/image_facts.h"
#include "tests/differential/job_generator.h"
#include "tests/differential/policy_generator.h"
#include "tests/differential/subject.h"

namespace precedent::differential {

struct Shape {
  std::function<GeneratedPolicy(Random&)> make;
  int policies = 10;  // at the default number of pairs; more and fewer with it
  int jobs = 60;      // for each
  // What is done to a job that JobGenerator made.
  std::function<void(const GeneratedPolicy&, Random&, JobAtTime*)> adjust = {};
};

// Fails the test where anything differs. Returns what the images have; empty after a
// failure.
ImageFacts RunShape(const Shape& shape);

// Whether enough policies were made to expect everything of them.
bool AtFullSize();

}  // namespace precedent::differential

#endif  // PRECEDENT_TESTS_DIFFERENTIAL_SHAPE_RUNNER_H_
