// liburcu's membarrier flavour: the cheapest reads there are, for threads that register;
// a writer waits for readers (synchronize_rcu).
#define _LGPL_SOURCE  // reads inlined, as in the others
#include <urcu/urcu-memb.h>

#include <memory>
#include <utility>

#include "bench/reload/holder.h"

namespace precedent::bench {
namespace {

class Urcu : public Holder {
 public:
  ~Urcu() override { delete evaluator_; }
  const char* name() const override { return "liburcu (memb)"; }
  void Enter() override { urcu_memb_register_thread(); }
  void Leave() override { urcu_memb_unregister_thread(); }
  bool Publish(const Evaluator& evaluator) override {
    const Evaluator* next = new Evaluator(evaluator);
    const Evaluator* old = evaluator_;
    rcu_assign_pointer(evaluator_, next);
    if (old != nullptr) urcu_memb_synchronize_rcu();
    delete old;
    return true;
  }
  std::int64_t Run(const ReadLoop& loop) override {
    return RunLoop(loop, [&](auto&& use) {
      urcu_memb_read_lock();
      use(*rcu_dereference(evaluator_));
      urcu_memb_read_unlock();
    });
  }

 private:
  const Evaluator* evaluator_ = nullptr;
};

}  // namespace

std::unique_ptr<Holder> MakeUrcu() { return std::make_unique<Urcu>(); }

}  // namespace precedent::bench
