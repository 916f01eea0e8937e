// What an event about a job says of it. It says the same as a message of a queue that
// holds the event, and a message that cannot be read touches no other.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "precedent/aws_batch.h"
#include "src/json/writer.h"

namespace {

using precedent::aws::Adapter;
using precedent::aws::DescribedItem;
using Items = absl::StatusOr<std::vector<DescribedItem>>;

void Check(bool holds) {
  if (!holds) std::abort();
}

bool IsKnown(const absl::Status& status) {
  return !status.message().empty() && (status.code() == absl::StatusCode::kInvalidArgument ||
                                       status.code() == absl::StatusCode::kUnimplemented);
}

bool IsOne(const Items& items) {
  Check(items.ok() || IsKnown(items.status()));
  if (!items.ok()) return false;
  Check(items->size() == 1 && (items->front().job.ok() || IsKnown(items->front().job.status())));
  return items->front().job.ok();
}

void CheckLineage(const precedent::v1::Lineage& lineage) {
  Check(lineage.failure_count() >= 0 && lineage.preemption_count() >= 0);
  Check(lineage.infrastructure_failure_count() >= 0 && lineage.attempt() >= 0);
}

std::string Event(const char* type, std::string_view detail) {
  return R"({"source":"aws.batch","detail-type":")" + std::string(type) + R"(","detail":)" +
         std::string(detail) + "}";
}

// The event as the first of two messages, the second of which is no JSON.
std::string Messages(const std::string& event) {
  std::string json = R"({"Records":[{"eventSource":"aws:sqs","messageId":"1","body":)";
  precedent::json::AppendString(event, &json);
  return json + R"(},{"eventSource":"aws:sqs","messageId":"2","body":"{"}]})";
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const auto* const adapter = new absl::StatusOr<Adapter>(Adapter::Create());
  const std::string_view detail(reinterpret_cast<const char*>(data), size);
  for (const char* type : {"Batch Job State Change", "Batch Service Job State Change"}) {
    const std::string event = Event(type, detail);
    const Items alone = (*adapter)->DescribeAll(event);
    const bool good = IsOne(alone);
    if (good) CheckLineage(alone->front().job->job.lineage());
    const auto update = (*adapter)->PrepareUpdate(event, nullptr, precedent::TimePoint());
    Check(update.ok() ? good : IsKnown(update.status()));

    const Items queued = (*adapter)->DescribeAll(Messages(event));
    // A text that is no UTF-8 makes no message.
    if (!queued.ok()) {
      Check(!good && IsKnown(queued.status()));
      continue;
    }
    Check(queued->size() == 2 && !queued->back().job.ok());
    Check(queued->front().job.ok() == good);
    const std::string failures = precedent::aws::BatchItemFailures(*queued);
    Check(failures.find(R"("itemIdentifier":"2")") != std::string::npos);
    Check((failures.find(R"("itemIdentifier":"1")") == std::string::npos) == good);
    if (!good) continue;
    const auto& one = alone->front().job->job;
    const auto& other = queued->front().job->job;
    Check(one.name() == other.name() && one.lineage_key() == other.lineage_key());
    Check(one.gpu_count() == other.gpu_count() && one.labels_size() == other.labels_size());
    Check(one.lineage().failure_count() == other.lineage().failure_count());
  }
  return 0;
}
