// The documents that hold jobs, taken apart.
#ifndef PRECEDENT_SRC_AWS_DOCUMENTS_H_
#define PRECEDENT_SRC_AWS_DOCUMENTS_H_

#include <memory>
#include <string_view>
#include <vector>

#include "precedent/aws_batch.h"
#include "precedent/v1/lineage.pb.h"
#include "src/aws/job_reader.h"
#include "src/aws/shape.h"
#include "src/json/document.h"

namespace precedent::aws {

// The object of a text, or why it is none.
absl::StatusOr<std::unique_ptr<json::Document>> ParseObject(std::string_view text,
                                                            std::string_view what = {});

// One job of `document`, which is `job`. Reports the first error of reading it, and
// forgets it, so that the document's next job can be read.
struct ReadResult {
  DescribedJob job;
  v1::Lineage carried;  // see Draft
  std::optional<std::int64_t> limit;  // see ReadJob
};
absl::StatusOr<ReadResult> ReadOne(const Tables& tables, Shape shape, const Bodies& bodies,
                                   json::Document& document, json::Document* definition);

// A job, and what Batch tells of its life: see Adapter::Events.
struct ReadItem : DescribedItem {
  // What is wrong with these alone does not touch the job.
  absl::StatusOr<std::vector<v1::LineageEvent>> events;
};

// All jobs of a text, see Adapter::DescribeAll.
absl::StatusOr<std::vector<ReadItem>> ReadAll(const Tables& tables, std::string_view text,
                                                   std::string_view definition_text);

// Bodies of a document of one job: a description or a definition is its own definition.
Bodies BodiesOf(Shape shape, json::Value object, json::Value definition);

}  // namespace precedent::aws

#endif  // PRECEDENT_SRC_AWS_DOCUMENTS_H_
