// From a file to the events of jobs' lives.
#ifndef PRECEDENT_SRC_CLI_EVENT_INPUT_H_
#define PRECEDENT_SRC_CLI_EVENT_INPUT_H_

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "precedent/aws_batch.h"
#include "precedent/issue.h"
#include "precedent/kubernetes.h"
#include "precedent/v1/lineage.pb.h"
#include "src/cli/pieces.h"
#include "src/text/node.h"

namespace precedent::cli {

struct InputEvent {
  v1::LineageEvent event;
  int line = 0;  // where its object begins
  // A platform said so: every later state of an object repeats its submission.
  bool of_platform = false;
};

// Recognises what an object is by what it holds: a Kubernetes object, its list or the
// event of a watch; a job of AWS Batch or an event about one, or messages that hold
// such; a precedent.v1.LineageEvent or LineageEvents. A JSON list holds any of these. A file
// that is no text is a journal of LineageEvents.
class EventInput {
 public:
  struct Sink {
    std::function<void(InputEvent&&)> event;
    std::function<void(const Issue&)> issue;
  };

  // `definition_json` is the Batch job definition of all jobs; may be empty.
  static absl::StatusOr<EventInput> Create(const v1::AdapterOptions& options,
                                           std::string definition_json);

  // All events of a file, and all that is wrong with it, in order.
  void ReadFile(const std::string& file, const Sink& sink) const;

 private:
  EventInput(kubernetes::Adapter kubernetes, aws::Adapter aws, std::string definition_json)
      : kubernetes_(std::move(kubernetes)),
        aws_(std::move(aws)),
        definition_json_(std::move(definition_json)) {}

  static void ReadJournalFile(const std::string& file, const Sink& sink);
  void ReadAny(const internal::Node& node, Format format, const std::string& prefix,
               kubernetes::DeviceClaims& claims, const Sink& sink) const;
  void ReadItems(const internal::Node& items, const internal::Node* list,
                 const std::string& prefix, kubernetes::DeviceClaims& claims,
                 const Sink& sink) const;
  void ReadPlatform(const internal::Node& object, const std::string& prefix,
                    kubernetes::DeviceClaims& claims, const Sink& sink) const;
  void ReadOwn(const internal::Node& object, Format format, const std::string& prefix,
               const Sink& sink) const;
  void ReadOne(const internal::Node& object, Format format, const std::string& prefix,
               const Sink& sink) const;

  kubernetes::Adapter kubernetes_;
  aws::Adapter aws_;
  std::string definition_json_;
};

}  // namespace precedent::cli

#endif  // PRECEDENT_SRC_CLI_EVENT_INPUT_H_
