#include "src/aws/shape.h"

#include <string_view>

namespace precedent::aws {

Shape ShapeOf(json::Value object) {
  struct Mark {
    std::string_view member;
    Shape shape;
  };
  // The first that is there decides. A description has what its request has, and more.
  constexpr Mark kMarks[] = {
      {"Records", Shape::kRecords},
      {"detail-type", Shape::kEvent},
      {"jobs", Shape::kJobList},
      {"serviceJobType", Shape::kSubmitServiceJob},
      {"serviceRequestPayload", Shape::kSubmitServiceJob},
      {"jobId", Shape::kJob},
      {"jobName", Shape::kSubmitJob},
      {"jobQueue", Shape::kSubmitJob},
      {"jobDefinition", Shape::kSubmitJob},
      {"jobDefinitionName", Shape::kDefinition},
      {"containerProperties", Shape::kDefinition},
      {"nodeProperties", Shape::kDefinition},
      {"ecsProperties", Shape::kDefinition},
      {"eksProperties", Shape::kDefinition},
  };
  for (const Mark& mark : kMarks) {
    if (!object.Get(mark.member).present()) continue;
    const bool described = mark.shape == Shape::kSubmitServiceJob && object.Get("jobId").present();
    return described ? Shape::kServiceJob : mark.shape;
  }
  return Shape::kUnknown;
}

}  // namespace precedent::aws
