// Shape: which of AWS Batch's documents a JSON object is, by what it holds.
#ifndef PRECEDENT_SRC_AWS_SHAPE_H_
#define PRECEDENT_SRC_AWS_SHAPE_H_

#include "src/json/document.h"

namespace precedent::aws {

enum class Shape {
  kUnknown,
  kSubmitJob,         // body of SubmitJob
  kDefinition,        // body of RegisterJobDefinition
  kSubmitServiceJob,  // body of SubmitServiceJob
  kJob,               // one job of DescribeJobs, or the detail of its event
  kServiceJob,        // result of DescribeServiceJob, or the detail of its event
  kJobList,           // result of DescribeJobs
  kEvent,             // an event of EventBridge
  kRecords,           // messages of SQS as Lambda gets them
};

// Of an object; reports nothing.
Shape ShapeOf(json::Value object);

}  // namespace precedent::aws

#endif  // PRECEDENT_SRC_AWS_SHAPE_H_
