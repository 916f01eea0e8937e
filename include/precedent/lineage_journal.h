// A lineage graph that outlives its process: events as messages, a journal of them, and
// snapshots.
//
//   precedent::AppendToJournal(event, file);              // and flush as you see fit
//   precedent::ApplyTo(graph, event);
//   ...
//   auto graph = precedent::RestoreLineage(snapshot, options);
//   precedent::JournalEnd end = precedent::ReadJournal(journal, [&](const auto& event) {
//     precedent::ApplyTo(**graph, event).IgnoreError();   // a repetition changes nothing
//   });
//   // go on writing behind end.bytes; end.damage says what is wrong with the rest
//
// A record is the payload's length, a CRC-32C of length and payload (4 bytes each, the
// low one first), and the payload, a serialized message. So a journal that was cut, or
// whose end was damaged, at any byte gives all records before it. Nothing here opens,
// flushes or closes a file. Streams: given open and binary; their exceptions are the
// caller's choice. Target precedent::lineage.
#ifndef PRECEDENT_LINEAGE_JOURNAL_H_
#define PRECEDENT_LINEAGE_JOURNAL_H_

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "precedent/lineage.h"
#include "precedent/v1/lineage.pb.h"

namespace precedent {

// INTERNAL: the stream failed; what it holds now ends with part of a record, perhaps.
// INVALID_ARGUMENT: the message is larger than 64 MiB.
absl::Status AppendToJournal(const v1::LineageEvent& event, std::ostream& out);

struct JournalEnd {
  std::uint64_t records = 0;  // whole ones, all given to the caller
  std::uint64_t bytes = 0;    // that these take
  std::string damage;         // what is wrong with what follows; empty: nothing follows
};

// Calls `take` for each record up to the first that is not whole. Memory: one record.
JournalEnd ReadJournal(std::istream& in,
                       const std::function<void(const v1::LineageEvent&)>& take);

// Submits or applies. INVALID_ARGUMENT besides: the message holds neither, or a kind,
// cause or relation that this version does not know; a time outside the years 1 to 9999.
// `touched`: see LineageGraph.
absl::StatusOr<Applied> ApplyTo(LineageGraph& graph, const v1::LineageEvent& event,
                                std::vector<JobSlot>* touched = nullptr);

// All that `graph` knows. Waits for writers, and they for it; readers do not.
// INTERNAL: the stream failed.
absl::Status SaveLineage(const LineageGraph& graph, std::ostream& out);

// A graph that goes on where the saved one stood. Of `options`, hash_seed does not count
// for what the snapshot hashed. DATA_LOSS: the snapshot is cut or damaged, and where.
// RESOURCE_EXHAUSTED: it holds more than options.max_jobs.
absl::StatusOr<std::unique_ptr<LineageGraph>> RestoreLineage(std::istream& in,
                                                             const LineageOptions& options = {});

// The metadata (labels, annotations or tags: key and value) from which the adapters,
// asked for these keys, read the same counts again: failure and preemption count by
// default, the others if AdapterOptions.metadata_keys name them. Zeros, absent numbers
// and what changes while a job runs (progress, reported priority, step) are left out.
// `parent`: id of the job that this one retries; empty: none.
std::vector<std::pair<std::string, std::string>> LineageMetadata(const Lineage& lineage,
                                                                 std::string_view parent);

}  // namespace precedent

#endif  // PRECEDENT_LINEAGE_JOURNAL_H_
