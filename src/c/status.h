// What the libraries behind the C API report, as a status and a text.
#ifndef PRECEDENT_SRC_C_STATUS_H_
#define PRECEDENT_SRC_C_STATUS_H_

#include "absl/status/status.h"
#include "precedent/c.h"

namespace precedent::c {

precedent_status FailWith(const absl::Status& status, char** error) noexcept;

}  // namespace precedent::c

#endif  // PRECEDENT_SRC_C_STATUS_H_
