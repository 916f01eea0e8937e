// Which pods wait and run, by priority class.
#ifndef PRECEDENT_EXAMPLES_KUBERNETES_WEBHOOK_PODS_POD_TABLE_H_
#define PRECEDENT_EXAMPLES_KUBERNETES_WEBHOOK_PODS_POD_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"

namespace precedent::webhook {

enum class PodState : std::uint8_t {
  kPending,   // no node yet
  kStarting,  // has a node, such as while its images are pulled
  kRunning,
};

struct Pod {
  std::string uid;
  std::string priority_class;  // empty: none
  PodState state = PodState::kPending;
  bool ended = false;        // succeeded or failed: of no interest
  std::int64_t created = 0;  // seconds since 1970
};

// Memory is bounded: pods by max_pods, classes by max_classes.
// Thread-safety: any thread may call any function.
class PodTable {
 public:
  struct Class {
    std::string name;
    std::size_t pending = 0;
    std::size_t starting = 0;
    std::size_t running = 0;
    std::int64_t oldest = 0;  // when the oldest pending one was created; 0: there is none
  };

  // Classes after the first max_classes count as `other`.
  PodTable(std::size_t max_pods, std::size_t max_classes);

  // A full list: what it does not have is gone at its end. One that is never ended, for
  // an error, leaves what it brought.
  void BeginList();
  void EndList();

  // O(log n) of the pods that wait.
  void Put(const Pod& pod);
  void Remove(std::string_view uid);

  // All classes ever seen: one that is empty says so.
  std::vector<Class> Classes() const;
  // How often there was no room for a pod since the last list began; if ever, the counts
  // are too low.
  std::size_t untracked() const;

 private:
  struct Entry {
    std::uint32_t list = 0;
    std::uint16_t priority_class = 0;
    PodState state = PodState::kPending;
    std::int64_t created = 0;
  };
  struct Count {
    std::size_t states[3] = {};
    std::map<std::int64_t, std::size_t> waiting;  // by when they were created
  };

  std::uint16_t ClassOf(const std::string& name);
  void Change(const Entry& entry, bool enters);

  const std::size_t max_pods_;
  const std::size_t max_classes_;
  mutable std::mutex mutex_;
  std::uint32_t list_ = 0;
  std::size_t untracked_ = 0;
  absl::flat_hash_map<std::string, Entry> pods_;  // by uid
  std::map<std::string, std::uint16_t, std::less<>> numbers_;
  std::vector<std::string> names_;
  std::vector<Count> counts_;
};

}  // namespace precedent::webhook

#endif  // PRECEDENT_EXAMPLES_KUBERNETES_WEBHOOK_PODS_POD_TABLE_H_
