// The state's ConfigMap: who may write it, and when.
#ifndef PRECEDENT_EXAMPLES_DESCHEDULER_STATE_STORE_H_
#define PRECEDENT_EXAMPLES_DESCHEDULER_STATE_STORE_H_

#include <chrono>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "api.h"
#include "state.h"

namespace precedent::descheduler {

// Every write carries the resourceVersion that was read or written last, so that of two
// programs that read the same state one alone can write. Who has written owns the state for
// a while (the lease), counted by each side so that the owner's end comes first.
// Not thread-safe.
class StateStore {
 public:
  StateStore(Api* api, std::string namespace_name, std::string name, std::string identity,
             std::chrono::milliseconds lease);

  // What is stored; an empty state where nothing is yet. INVALID_ARGUMENT and
  // FAILED_PRECONDITION as ReadState; UNAVAILABLE: the API server gives no answer.
  absl::StatusOr<State> Load();
  // For how long another one owns `state` still; 0: nobody does.
  std::chrono::milliseconds OwnedByOther(const State& state) const;

  // Writes and owns. ABORTED: somebody else has written meanwhile: read again and plan
  // again. RESOURCE_EXHAUSTED as FitState. UNAVAILABLE: it is not known whether it was
  // written.
  absl::Status Save(State* state);
  // Writes and lets go.
  absl::Status Release(State* state);

  // How long this one owns the state still, by its last Save.
  std::chrono::milliseconds Remaining() const;

  std::size_t bytes() const { return bytes_; }  // of the state as last read or written

 private:
  absl::Status Write(State* state, std::chrono::milliseconds lease);
  absl::StatusOr<std::string> ReadObject();

  Api* const api_;
  const std::string namespace_;
  const std::string name_;
  const std::string identity_;
  const std::chrono::milliseconds lease_;
  std::string resource_version_;  // empty: the ConfigMap is not there
  std::size_t bytes_ = 0;
  std::chrono::steady_clock::time_point until_{};
};

}  // namespace precedent::descheduler

#endif  // PRECEDENT_EXAMPLES_DESCHEDULER_STATE_STORE_H_
