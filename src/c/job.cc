#include "src/c/job.h"

#include <iterator>
#include <string>

#include "src/c/text.h"

namespace precedent::c {
namespace {

constexpr const char* kTextNames[] = {
    "team", "workload_type", "environment", "namespace_name",  "queue",
    "user", "image",         "accelerator", "requested_class", "kind"};

std::string Indexed(const char* list, std::size_t i, const char* member) {
  return std::string(list) + "[" + std::to_string(i) + "]." + member;
}

// A count and the list that it counts.
precedent_status CheckList(const void* list, std::size_t count, const char* name, char** error) {
  if (count >= kMaxListed)
    return Fail(
        PRECEDENT_WRONG_SIZE, error,
        std::string(name) + ": " + std::to_string(count) + " is no count of them: was it set?");
  if (count != 0 && list == nullptr)
    return Fail(PRECEDENT_NULL_ARGUMENT, error, std::string(name) + ": is NULL, and not counted 0");
  return PRECEDENT_OK;
}

}  // namespace

bool IsGoodJob(const precedent_policy& policy, const precedent_job& job) noexcept {
  unsigned char preemptible, retry;
  std::memcpy(&preemptible, &job.preemptible, 1);
  std::memcpy(&retry, &job.lineage.retry_of_preempted, 1);
  const TextsRead& read = policy.read;
  if ((preemptible | retry) > 1 || (job.label_count | job.metric_count) >= kMaxListed ||
      (job.metric_count != 0 && job.metrics == nullptr) ||
      (read.labels && job.label_count != 0 && job.labels == nullptr))
    return false;
  const auto* texts = reinterpret_cast<const unsigned char*>(&job.team);
  for (std::uint32_t i = 0; i < read.built_in_count; ++i)
    if (CheckText(*reinterpret_cast<const precedent_text*>(texts + read.built_in[i]))) return false;
  for (std::size_t i = 0; read.labels && i < job.label_count; ++i)
    if (CheckText(job.labels[i].key) || CheckText(job.labels[i].value)) return false;
  for (std::size_t i = 0; read.metrics && i < job.metric_count; ++i)
    if (CheckText(job.metrics[i].name)) return false;
  return true;
}

precedent_status CheckJob(const precedent_policy* policy, const precedent_job& job, char** error) {
  precedent_status status;
  if ((status = CheckBool(&job.preemptible, "preemptible", error))) return status;
  if ((status = CheckBool(&job.lineage.retry_of_preempted, "lineage.retry_of_preempted", error)))
    return status;
  const precedent_text* texts = &job.team;
  for (std::size_t i = 0; i < std::size(kTextNames); ++i) {
    if (policy != nullptr && !policy->read.Reads(i)) continue;
    if ((status = CheckText(texts[i], kTextNames[i], error))) return status;
  }
  const bool labels = policy == nullptr || policy->read.labels;
  const void* label_list = labels ? static_cast<const void*>(job.labels) : &job;
  if ((status = CheckList(label_list, job.label_count, "labels", error))) return status;
  for (std::size_t i = 0; labels && i < job.label_count; ++i) {
    if ((status = CheckText(job.labels[i].key, Indexed("labels", i, "key"), error))) return status;
    if ((status = CheckText(job.labels[i].value, Indexed("labels", i, "value"), error)))
      return status;
  }
  if ((status = CheckList(job.metrics, job.metric_count, "metrics", error))) return status;
  const bool metrics = policy == nullptr || policy->read.metrics;
  for (std::size_t i = 0; metrics && i < job.metric_count; ++i)
    if ((status = CheckText(job.metrics[i].name, Indexed("metrics", i, "name"), error)))
      return status;
  return PRECEDENT_OK;
}

precedent_job UnknownJob() noexcept {
  precedent_job job;
  std::memset(static_cast<void*>(&job), 0, sizeof job);
  job.struct_size = sizeof job;
  const JobDescriptor unknown;
  std::memcpy(reinterpret_cast<unsigned char*>(&job) + kHead, &unknown, sizeof unknown);
  return job;
}

const precedent_job* TakeJob(const precedent_job* job, precedent_job* copy) noexcept {
  if (job->struct_size == sizeof *job) return job;
  *copy = UnknownJob();
  return TakeStruct(job, copy) ? copy : nullptr;
}

}  // namespace precedent::c

using namespace precedent::c;

precedent_status precedent_job_init(precedent_job* job, size_t size) {
  if (job == nullptr) return PRECEDENT_NULL_ARGUMENT;
  if (!IsStructSize(size)) return PRECEDENT_WRONG_SIZE;
  const std::uint64_t size64 = size;
  std::memcpy(job, &size64, sizeof size64);
  return GiveStruct(UnknownJob(), job) ? PRECEDENT_OK : PRECEDENT_WRONG_SIZE;
}

precedent_status precedent_job_check(const precedent_job* job, char** error) {
  return Guarded(error, [&] {
    if (job == nullptr) return Fail(PRECEDENT_NULL_ARGUMENT, error, "job: is NULL");
    precedent_job copy;
    const precedent_job* taken = TakeJob(job, &copy);
    if (taken == nullptr)
      return Fail(PRECEDENT_WRONG_SIZE, error,
                  "struct_size: " + std::to_string(job->struct_size) +
                      " is that of no precedent_job, or of a later release's with a field that "
                      "this library does not know: call precedent_job_init, or use the library "
                      "that belongs to the header");
    return CheckJob(nullptr, *taken, error);
  });
}
