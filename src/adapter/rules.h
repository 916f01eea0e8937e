// Rules on a draft that both platforms share, applied after its metadata were read.
#ifndef PRECEDENT_SRC_ADAPTER_RULES_H_
#define PRECEDENT_SRC_ADAPTER_RULES_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "src/adapter/draft.h"
#include "src/adapter/options.h"

namespace precedent::adapter {

// Sets what the options bind to the namespace or to one of the user's verified
// groups. A claim that says otherwise loses, with a remark. Needs the namespace in
// the draft.
void ApplyBindings(const Options& options, Draft& draft,
                   const std::vector<std::string_view>& groups = {});

// A requested class that means consent makes the job preemptible. Needs the
// requested class in the draft.
void ApplyPreemptibleClasses(const Options& options, Draft& draft);

// A limit that the platform enforces: the job's own is the shorter of the two. It is
// no claim where it is what counts.
void ShortenRuntime(std::int64_t seconds, Draft& draft);

}  // namespace precedent::adapter

#endif  // PRECEDENT_SRC_ADAPTER_RULES_H_
