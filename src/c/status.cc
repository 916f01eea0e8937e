#include "src/c/status.h"

#include <string_view>

#include "src/c/text.h"

namespace precedent::c {
namespace {

precedent_status StatusOf(absl::StatusCode code) noexcept {
  switch (code) {
    case absl::StatusCode::kOk:
      return PRECEDENT_OK;
    case absl::StatusCode::kInvalidArgument:
      return PRECEDENT_INVALID_INPUT;
    case absl::StatusCode::kUnimplemented:
      return PRECEDENT_UNSUPPORTED;
    case absl::StatusCode::kNotFound:
      return PRECEDENT_NOT_FOUND;
    case absl::StatusCode::kPermissionDenied:
      return PRECEDENT_PERMISSION_DENIED;
    case absl::StatusCode::kAlreadyExists:
      return PRECEDENT_ALREADY_EXISTS;
    case absl::StatusCode::kResourceExhausted:
      return PRECEDENT_EXHAUSTED;
    default:
      return PRECEDENT_INTERNAL;
  }
}

}  // namespace

precedent_status FailWith(const absl::Status& status, char** error) noexcept {
  const std::string_view text(status.message().data(), status.message().size());
  return Fail(StatusOf(status.code()), error, text);
}

}  // namespace precedent::c
