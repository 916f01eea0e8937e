// PolicyFile: keeps a LiveEvaluator up to date with a policy file.
//
//   precedent::LiveEvaluator live;
//   precedent::PolicyFile file("/etc/precedent/policy.txtpb", &live);
//   if (file.Load().state != precedent::PolicyFileState::kLive) ...  // at the start
//   file.Start();                                                    // and from then on
//
// What counts is the content, read again at every check, whatever the file's times say:
// that sees a rename over the file, unlink and create, a swapped symbolic link
// (a mounted ConfigMap) and a write in place alike; the same bytes are no reload. A
// change is taken when the content has stayed the same for a while (settle), so a file
// that is being written is not; a writer that pauses longer should write beside and
// rename. Whatever goes wrong, the policy that is live stays, and the status says why: a
// missing or empty file is not an empty policy, and a policy of a lower generation is
// refused unless options allow it.
//
// There is no inotify: it does not see changes made by another machine (NFS, FUSE),
// needs a watch on every directory of a chain of links, and still needs a read after
// each event. Reading and hashing 1 MiB a second takes less than a tenth of a percent of
// a core.
//
// Target precedent::compiler. No function throws (but std::bad_alloc) or prints.
#ifndef PRECEDENT_POLICY_FILE_H_
#define PRECEDENT_POLICY_FILE_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "precedent/issue.h"
#include "precedent/live_evaluator.h"
#include "precedent/policy.h"

namespace precedent {

enum class PolicyFileState {
  kNotLoaded,          // nobody has looked yet
  kLive,               // the file's policy went live and the file is as it was
  kChanging,           // there is new content, not yet unchanged for long enough
  kUnreadable,         // missing, not a regular file, too large, no permission
  kInvalid,            // empty, or does not compile: see issues
  kOlderGeneration,    // LiveEvaluator refused it
  kResourceExhausted,  // LiveEvaluator refused it; the next check tries again
};

// `LIVE`, `UNREADABLE`, ...: fit for a metric label.
std::string_view PolicyFileStateName(PolicyFileState state);

struct PolicyFileStatus {
  PolicyFileState state = PolicyFileState::kNotLoaded;
  // For people, one line with the file's name in front; says what happened, what stays
  // live and, for an error, what to do.
  std::string message;
  // What compiling the content had to say: errors where kInvalid, else warnings, notes.
  std::vector<Issue> issues;
  // Of the last policy that this file made live; empty and 0 before.
  std::string fingerprint;
  std::int64_t generation = 0;
  std::uint64_t published = 0;  // how many it made live
  std::uint64_t failures = 0;   // times that it became unreadable, invalid or refused
};

struct PolicyFileOptions {
  // policy_bytes bounds what is read of the file.
  CompileOptions compile;
  // A lower generation in the file is a rollback on purpose.
  bool allow_older_generation = false;
  // How long new content has to stay the same before it is taken. 0: not at all.
  std::chrono::milliseconds settle{200};
  // Between two checks of the thread that Start makes.
  std::chrono::milliseconds interval{1000};
  // Called when state or message change, and for every policy that goes live, by the
  // thread that checks. Must not throw and not call Load, Check, Start or Stop.
  std::function<void(const PolicyFileStatus&)> on_status;
};

// Thread-safety: all calls may be made from any thread. Load and Check wait for each
// other; readers of the LiveEvaluator wait for nothing.
class PolicyFile {
 public:
  // Does not look at the file yet. REQUIRES: `live` outlives the PolicyFile.
  PolicyFile(std::string path, LiveEvaluator* live, PolicyFileOptions options = {});
  // Stops the thread.
  ~PolicyFile();
  PolicyFile(const PolicyFile&) = delete;
  PolicyFile& operator=(const PolicyFile&) = delete;

  // Reads the file and makes its policy live at once: for the start, when the file is
  // known to be whole. Does not load again what is live from it already.
  PolicyFileStatus Load();

  // Looks whether the file has changed, and takes the change once it has settled, so
  // not before the second call that sees it (unless settle is 0). Cost: one read and
  // hash of the file; a compilation for each change. For callers with a loop of their
  // own; `now` is what that loop calls now, and must not go back.
  PolicyFileStatus Check(std::chrono::steady_clock::time_point now);

  // Checks from a thread of its own, which blocks all signals, until Stop. True if it
  // runs then; false where the system gives no thread.
  bool Start();
  void Stop();

  // As of the last Load or Check. Does not look.
  PolicyFileStatus status() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace precedent

#endif  // PRECEDENT_POLICY_FILE_H_
