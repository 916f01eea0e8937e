// Seeded random jobs, aimed at one policy: half of them are made to satisfy one of
// its Matches, numbers hit its bounds exactly, times lie where it changes.
#ifndef PRECEDENT_TESTS_DIFFERENTIAL_JOB_GENERATOR_H_
#define PRECEDENT_TESTS_DIFFERENTIAL_JOB_GENERATOR_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tests/differential/policy_generator.h"
#include "tests/reference/conditions.h"
#include "tests/reference/job.h"

namespace precedent::differential {

struct JobAtTime {
  reference::Job job;
  std::int64_t now = 0;  // microseconds
};

class JobGenerator {
 public:
  // `generated` must outlive this.
  JobGenerator(const GeneratedPolicy& generated, Random& random);

  JobAtTime Make();

 private:
  void CollectTexts(const std::string& attribute, const v1::TextMatch& match);
  void CollectNumbers(const std::string& attribute, const v1::NumberMatch& match);
  std::string Text(const std::string& attribute);
  double Number(const std::string& attribute);
  std::int64_t Now();
  // A time of submission: the wait at `now` is a bound, about a bound, or anything.
  std::optional<std::int64_t> Submitted(std::int64_t now);
  void AddLists(reference::Job* job);
  void Satisfy(const v1::Match& match, JobAtTime* out);
  void Spoil(reference::Job* job);

  const GeneratedPolicy& generated_;
  Random& random_;
  reference::Conditions conditions_;
  std::vector<const v1::Match*> matches_;
  std::vector<std::int64_t> limits_;  // where temporary rules begin and end
  // By attribute; for labels `labels/KEY`, for metrics `metrics/NAME`.
  std::map<std::string, std::vector<std::string>> texts_;
  std::map<std::string, std::vector<double>> numbers_;
  std::vector<std::string> label_keys_, metric_names_;
};

}  // namespace precedent::differential

#endif  // PRECEDENT_TESTS_DIFFERENTIAL_JOB_GENERATOR_H_
