// DescriptorStore: one block of memory for each job. First a Fixed, then the labels and
// metrics as Entry, then all bytes; texts are lengths, in order, so that the block holds
// no pointer and is only as long as what it holds.
#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <vector>

#include "precedent/reprioritiser.h"

namespace precedent {
namespace {

constexpr std::size_t kTexts = 10;
constexpr std::size_t kNumbers = 5;

using Texts = std::array<std::string_view JobDescriptor::*, kTexts>;
constexpr Texts kTextMembers = {
    &JobDescriptor::team,     &JobDescriptor::workload_type,   &JobDescriptor::environment,
    &JobDescriptor::namespace_name, &JobDescriptor::queue,     &JobDescriptor::user,
    &JobDescriptor::image,    &JobDescriptor::accelerator,     &JobDescriptor::requested_class,
    &JobDescriptor::kind};
constexpr std::array<double JobDescriptor::*, kNumbers> kNumberMembers = {
    &JobDescriptor::gpu_count, &JobDescriptor::pod_count, &JobDescriptor::dataset_bytes,
    &JobDescriptor::max_runtime_seconds, &JobDescriptor::checkpoint_interval_seconds};

struct Fixed {
  double numbers[kNumbers];
  TimePoint submitted;
  std::uint32_t texts[kTexts];
  std::uint32_t label_count;
  std::uint32_t metric_count;
  std::uint32_t claimed;
  bool preemptible;
};

struct LabelEntry {
  std::uint32_t key;
  std::uint32_t value;
};
struct MetricEntry {
  double value;
  std::uint32_t name;
};

// Longer ones are cut: no platform has them, and a length is 32 bits.
std::string_view Bounded(std::string_view text) { return text.substr(0, UINT32_MAX); }
std::uint32_t Size(std::string_view text) { return static_cast<std::uint32_t>(text.size()); }

}  // namespace

class DescriptorStore::Impl {
 public:
  void Keep(JobSlot slot, const JobDescriptor& job) {
    Fixed fixed{};
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < kNumbers; ++i) fixed.numbers[i] = job.*kNumberMembers[i];
    for (std::size_t i = 0; i < kTexts; ++i)
      bytes += fixed.texts[i] = Size(Bounded(job.*kTextMembers[i]));
    fixed.submitted = job.submitted;
    fixed.label_count = static_cast<std::uint32_t>(job.labels.size());
    fixed.metric_count = static_cast<std::uint32_t>(job.metrics.size());
    fixed.claimed = job.claimed;
    fixed.preemptible = job.preemptible;
    for (const Label& l : job.labels) bytes += Bounded(l.key).size() + Bounded(l.value).size();
    for (const Metric& m : job.metrics) bytes += Bounded(m.name).size();

    std::string block;
    block.reserve(sizeof fixed + job.labels.size() * sizeof(LabelEntry) +
                  job.metrics.size() * sizeof(MetricEntry) + bytes);
    const auto append = [&](const auto& value) {
      block.append(reinterpret_cast<const char*>(&value), sizeof value);
    };
    append(fixed);
    for (const Metric& m : job.metrics) append(MetricEntry{m.value, Size(Bounded(m.name))});
    for (const Label& l : job.labels)
      append(LabelEntry{Size(Bounded(l.key)), Size(Bounded(l.value))});
    for (std::size_t i = 0; i < kTexts; ++i) block.append(Bounded(job.*kTextMembers[i]));
    for (const Metric& m : job.metrics) block.append(Bounded(m.name));
    for (const Label& l : job.labels) block.append(Bounded(l.key)).append(Bounded(l.value));
    if (slot >= blocks_.size())
      blocks_.resize(std::max<std::size_t>(slot + std::size_t{1}, blocks_.size() * 2));
    blocks_[slot] = std::move(block);
  }

  void Drop(JobSlot slot) {
    if (slot < blocks_.size()) std::string().swap(blocks_[slot]);
  }

  bool Describe(JobSlot slot, JobDescriptor* job) {
    if (slot >= blocks_.size() || blocks_[slot].empty()) return false;
    const char* at = blocks_[slot].data();
    const auto take = [&](auto* value) {
      std::memcpy(value, at, sizeof *value);
      at += sizeof *value;
    };
    Fixed fixed;
    take(&fixed);
    metrics_.resize(fixed.metric_count);
    labels_.resize(fixed.label_count);
    const char* entries = at;
    at += fixed.metric_count * sizeof(MetricEntry) + fixed.label_count * sizeof(LabelEntry);
    const auto text = [&](std::uint32_t size) {
      const std::string_view view(at, size);
      at += size;
      return view;
    };
    const auto entry = [&](auto* value) {
      std::memcpy(value, entries, sizeof *value);
      entries += sizeof *value;
    };
    *job = JobDescriptor();
    for (std::size_t i = 0; i < kNumbers; ++i) job->*kNumberMembers[i] = fixed.numbers[i];
    for (std::size_t i = 0; i < kTexts; ++i) job->*kTextMembers[i] = text(fixed.texts[i]);
    job->submitted = fixed.submitted;
    job->claimed = fixed.claimed;
    job->preemptible = fixed.preemptible;
    for (Metric& metric : metrics_) {
      MetricEntry e;
      entry(&e);
      metric = {text(e.name), e.value};
    }
    for (Label& label : labels_) {
      LabelEntry e;
      entry(&e);
      label.key = text(e.key);
      label.value = text(e.value);
    }
    job->labels = labels_;
    job->metrics = metrics_;
    return true;
  }

 private:
  std::vector<std::string> blocks_;
  // Of the last Describe.
  std::vector<Label> labels_;
  std::vector<Metric> metrics_;
};

DescriptorStore::DescriptorStore() : impl_(std::make_unique<Impl>()) {}
DescriptorStore::~DescriptorStore() = default;

void DescriptorStore::Keep(JobSlot slot, std::string_view, const JobDescriptor& descriptor) {
  impl_->Keep(slot, descriptor);
}
void DescriptorStore::Drop(JobSlot slot) { impl_->Drop(slot); }
bool DescriptorStore::Describe(JobSlot slot, std::string_view, JobDescriptor* descriptor) {
  return impl_->Describe(slot, descriptor);
}

}  // namespace precedent
