// Time zones, expanded so that an image needs no zone database.
#ifndef PRECEDENT_SRC_POLICY_TIME_ZONE_H_
#define PRECEDENT_SRC_POLICY_TIME_ZONE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "precedent/internal/image.h"

namespace precedent::internal {

struct ZoneTransitions {
  std::int64_t initial_offset = 0;      // seconds east of UTC at 1970-01-01
  std::vector<Transition> transitions;  // changes of the offset from 1970 to 2100
};

// Empty is UTC. nullopt for a name that this machine's zone database does not have,
// and for names that mean something else on another machine (`localtime`, paths).
std::optional<ZoneTransitions> ExpandTimeZone(const std::string& name);

}  // namespace precedent::internal

#endif  // PRECEDENT_SRC_POLICY_TIME_ZONE_H_
