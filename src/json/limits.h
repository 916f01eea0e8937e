// Limits on JSON input, checked before memory is spent on it.
#ifndef PRECEDENT_SRC_JSON_LIMITS_H_
#define PRECEDENT_SRC_JSON_LIMITS_H_

#include <cstddef>

namespace precedent::json {

// What a Kubernetes API server may send a webhook: object and oldObject of about
// 3 MiB each, and the envelope.
inline constexpr std::size_t kMaxBytes = std::size_t{7} << 20;
// Arrays and objects inside each other. Real objects stay under 20; the walks over
// a document are recursive and rely on this bound.
inline constexpr int kMaxDepth = 64;

}  // namespace precedent::json

#endif  // PRECEDENT_SRC_JSON_LIMITS_H_
