// A shared pointer, loaded and stored atomically: libstdc++ has a pool of locks for it,
// and readers write the reference count.
#include <memory>

#include "bench/reload/holder.h"

namespace precedent::bench {
namespace {

class AtomicSharedPtr : public Holder {
 public:
  const char* name() const override { return "atomic shared_ptr"; }
  bool Publish(const Evaluator& evaluator) override {
    std::atomic_store(&evaluator_, std::make_shared<const Evaluator>(evaluator));
    return true;
  }
  std::int64_t Run(const ReadLoop& loop) override {
    return RunLoop(loop, [&](auto&& use) {
      const std::shared_ptr<const Evaluator> evaluator = std::atomic_load(&evaluator_);
      use(*evaluator);
    });
  }

 private:
  std::shared_ptr<const Evaluator> evaluator_;
};

}  // namespace

std::unique_ptr<Holder> MakeAtomicSharedPtr() { return std::make_unique<AtomicSharedPtr>(); }

}  // namespace precedent::bench
