// Which of its formats a policy is written in.
#ifndef PRECEDENT_SRC_POLICY_DETECT_H_
#define PRECEDENT_SRC_POLICY_DETECT_H_

#include <string_view>

#include "precedent/policy.h"

namespace precedent::internal {

// Never kDetect. By content: `{` or `[` first is JSON; a control byte or invalid
// UTF-8 near the start is binary; between YAML and protobuf text the first line that
// only one of them can have decides, and where there is none it is protobuf text.
PolicyFormat DetectFormat(std::string_view bytes);

}  // namespace precedent::internal

#endif  // PRECEDENT_SRC_POLICY_DETECT_H_
