// From the files on the command line to job descriptors.
#ifndef PRECEDENT_SRC_CLI_INPUT_H_
#define PRECEDENT_SRC_CLI_INPUT_H_

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "precedent/aws_batch.h"
#include "precedent/described_job.h"
#include "precedent/issue.h"
#include "precedent/kubernetes.h"
#include "precedent/v1/job.pb.h"
#include "src/cli/pieces.h"
#include "src/text/node.h"

namespace precedent::cli {

struct InputJob : DescribedJob {
  std::string file;
  int line = 0;  // where its object begins
};

// Recognises what an object is by what it holds, and describes it: a Kubernetes
// object or list, an AWS Batch request, definition, description or event (or messages
// that hold such), or a JobDescriptor.
class JobInput {
 public:
  struct Sink {
    std::function<void(InputJob&&)> job;
    std::function<void(const Issue&)> issue;
  };

  // `definition_json` is the Batch job definition for all requests; may be empty.
  static absl::StatusOr<JobInput> Create(const v1::AdapterOptions& options,
                                         std::string definition_json);

  // All jobs of a file, and all that is wrong with it, in order. Resource claims and
  // their templates anywhere in the file are no jobs, but tell what those hold that
  // name them.
  void ReadFile(const std::string& file, const Sink& sink) const;

  // All jobs of one document.
  void ReadNode(const internal::Node& root, Format format, const Sink& sink) const;

 private:
  JobInput(kubernetes::Adapter kubernetes, aws::Adapter aws, std::string definition_json)
      : kubernetes_(std::move(kubernetes)),
        aws_(std::move(aws)),
        definition_json_(std::move(definition_json)) {}

  class Claims;
  void ReadDocument(const internal::Node& root, Format format, const Sink& sink,
                    Claims& claims) const;
  void ReadList(const internal::Node& list, const Sink& sink, Claims& claims) const;
  void ReadObject(const internal::Node& object, const std::string& prefix, const Sink& sink,
                  Claims& claims) const;
  void ReadDescriptor(const internal::Node& object, Format format, const Sink& sink) const;

  kubernetes::Adapter kubernetes_;
  aws::Adapter aws_;
  std::string definition_json_;
};

}  // namespace precedent::cli

#endif  // PRECEDENT_SRC_CLI_INPUT_H_
