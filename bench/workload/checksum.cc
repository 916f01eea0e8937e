#include "bench/workload/checksum.h"

namespace precedent::bench {

void Checksum::Add(std::string_view text) {
  Add(static_cast<std::int64_t>(text.size()));
  for (const char c : text) value_ = (value_ ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
}

void Checksum::Add(std::int64_t number) {
  for (int shift = 0; shift < 64; shift += 8)
    value_ = (value_ ^ ((static_cast<std::uint64_t>(number) >> shift) & 0xff)) * 0x100000001b3u;
}

std::uint64_t ChecksumOf(const std::vector<Job>& jobs) {
  Checksum sum;
  for (const Job& job : jobs) {
    for (const std::string* text : {&job.team, &job.name_space, &job.workload, &job.environment})
      sum.Add(*text);
    for (const std::int64_t number : {job.gpus, job.dataset_gb, job.failures}) sum.Add(number);
    sum.Add(std::int64_t{job.preemptible});
    for (const auto& [key, value] : job.labels) {
      sum.Add(key);
      sum.Add(value);
    }
  }
  return sum.value();
}

std::uint64_t ChecksumOf(const std::vector<Rule>& rules) {
  Checksum sum;
  for (const Rule& rule : rules) {
    for (const Conditions& conditions : rule.when)
      for (const Condition& condition : conditions) {
        sum.Add(static_cast<std::int64_t>(condition.field));
        sum.Add(static_cast<std::int64_t>(condition.relation));
        for (const std::string& text : condition.texts) sum.Add(text);
        sum.Add(condition.key);
        for (const std::int64_t number : {condition.low, condition.high}) sum.Add(number);
        sum.Add(std::int64_t{condition.flag});
      }
    sum.Add(rule.points);
  }
  return sum.value();
}

}  // namespace precedent::bench
