#include "tests/differential/subject.h"

#if __has_include("precedent/explain.h")
#include "precedent/explain.h"
#endif

namespace precedent::differential {

#if __has_include("precedent/explain.h")
bool HasExplain() { return true; }
Decision ExplainedDecision(const CompiledPolicy& policy, const JobDescriptor& job, TimePoint now,
                           const Decision&) {
  return Explain(policy, job, now).decision;
}
#else
bool HasExplain() { return false; }
Decision ExplainedDecision(const CompiledPolicy&, const JobDescriptor&, TimePoint,
                           const Decision& decision) {
  return decision;
}
#endif

}  // namespace precedent::differential
