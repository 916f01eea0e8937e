// A reader-writer lock: readers write the lock's line, and wait for writers.
#include <mutex>
#include <optional>
#include <shared_mutex>

#include "bench/reload/holder.h"

namespace precedent::bench {
namespace {

class SharedMutex : public Holder {
 public:
  const char* name() const override { return "std::shared_mutex"; }
  bool Publish(const Evaluator& evaluator) override {
    const std::unique_lock<std::shared_mutex> lock(mutex_);
    evaluator_ = evaluator;
    return true;
  }
  std::int64_t Run(const ReadLoop& loop) override {
    return RunLoop(loop, [&](auto&& use) {
      const std::shared_lock<std::shared_mutex> lock(mutex_);
      use(*evaluator_);
    });
  }

 private:
  std::shared_mutex mutex_;
  std::optional<Evaluator> evaluator_;
};

}  // namespace

std::unique_ptr<Holder> MakeSharedMutex() { return std::make_unique<SharedMutex>(); }

}  // namespace precedent::bench
