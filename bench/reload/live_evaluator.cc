// LiveEvaluator: claimed slots.
#include "precedent/live_evaluator.h"

#include "bench/reload/holder.h"

namespace precedent::bench {
namespace {

class Live : public Holder {
 public:
  const char* name() const override { return "LiveEvaluator"; }
  bool Publish(const Evaluator& evaluator) override {
    return live_.Publish(evaluator) == PublishStatus::kPublished;
  }
  std::int64_t Run(const ReadLoop& loop) override {
    return RunLoop(loop, [&](auto&& use) {
      const LiveEvaluator::Guard guard = live_.read();
      use(*guard.evaluator());
    });
  }

 private:
  LiveEvaluator live_;
};

}  // namespace

std::unique_ptr<Holder> MakeLiveEvaluator() { return std::make_unique<Live>(); }

}  // namespace precedent::bench
