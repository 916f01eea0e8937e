#include "src/adapter/rules.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "src/json/path.h"

namespace precedent::adapter {

void ApplyBindings(const Options& options, Draft& draft,
                   const std::vector<std::string_view>& groups) {
  v1::JobDescriptor& job = draft.out.job;
  bool bound[2] = {false, false};
  for (const Binding& binding : options.bindings) {
    // Groups are known only from a review.
    if (!binding.user_group.empty() &&
        std::find(groups.begin(), groups.end(), binding.user_group) == groups.end()) {
      continue;
    }
    if (binding.namespace_name.has_value() &&
        (job.namespace_().empty() || !binding.namespace_name->Matches(job.namespace_()))) {
      continue;
    }
    const bool is_team = binding.attribute == v1::TEAM;
    if (std::exchange(bound[is_team ? 0 : 1], true)) continue;
    std::string& value = is_team ? *job.mutable_team() : *job.mutable_environment();
    if (!value.empty() && value != binding.value) {
      const std::string binder =
          binding.namespace_name.has_value()
              ? absl::StrCat("namespace `", json::Printable(job.namespace_()), "`")
          : !binding.user_group.empty()
              ? absl::StrCat("group `", json::Printable(binding.user_group), "`")
              : "every job";
      draft.Remark(absl::StrCat("the claimed ", is_team ? "team" : "environment", " `",
                                json::Printable(value), "` is ignored: ", binder, " is bound to `",
                                json::Printable(binding.value), "`"));
    }
    value = binding.value;
    draft.Verify(binding.attribute);
  }
}

void ApplyPreemptibleClasses(const Options& options, Draft& draft) {
  v1::JobDescriptor& job = draft.out.job;
  if (!options.IsPreemptibleClass(job.requested_class())) return;
  if (!job.preemptible()) draft.Claim(v1::PREEMPTIBLE);
  job.set_preemptible(true);
}

void ShortenRuntime(std::int64_t seconds, Draft& draft) {
  v1::JobDescriptor& job = draft.out.job;
  const double limit = static_cast<double>(seconds);
  if (job.has_max_runtime_seconds() && job.max_runtime_seconds() < limit) return;
  job.set_max_runtime_seconds(limit);
  draft.Verify(v1::MAX_RUNTIME_SECONDS);
}

}  // namespace precedent::adapter
