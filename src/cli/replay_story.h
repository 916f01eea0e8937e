// What `precedent replay` prints.
#ifndef PRECEDENT_SRC_CLI_REPLAY_STORY_H_
#define PRECEDENT_SRC_CLI_REPLAY_STORY_H_

#include <string>
#include <vector>

#include "precedent/v1/lineage.pb.h"

namespace precedent::cli {

// Two tables for people: the changes in their order, one line each, and what is known of
// every job in the end. A job is shown by its name where no other has that, else by its
// id.
std::string FormatStory(const std::vector<v1::PriorityChange>& changes,
                        const std::vector<v1::JobFacts>& facts);

}  // namespace precedent::cli

#endif  // PRECEDENT_SRC_CLI_REPLAY_STORY_H_
