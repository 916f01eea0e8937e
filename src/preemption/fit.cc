#include "src/preemption/fit.h"

#include <algorithm>
#include <numeric>
#include <set>

namespace precedent::internal {
namespace {

constexpr int kMostSteps = 50'000;

class Search {
 public:
  Search(const v1::ClusterJob& job, FreeTable* table)
      : job_(job), table_(*table), order_(LargestFirst(job)), places_(order_.size()) {
    std::int64_t whole = 0, share = 0;
    for (const int pod : order_) {
      const std::int64_t milli = job.pods(pod).gpu_milli();
      if (milli >= 1000) {
        simple_ = simple_ && (whole == 0 || whole % milli == 0);
        whole = milli;
      } else if (milli > 0) {
        simple_ = simple_ && (share == 0 || share == milli);
        share = milli;
      }
    }
  }

  bool Run(std::vector<Spot>* spots) {
    const bool fits = From(0);
    if (fits && spots != nullptr) {
      spots->assign(order_.size(), Spot());
      for (std::size_t i = 0; i < order_.size(); ++i)
        (*spots)[static_cast<std::size_t>(order_[i])] = {
            table_.nodes[static_cast<std::size_t>(places_[i].node)], places_[i].devices};
    }
    for (std::size_t i = order_.size(); i-- > 0;)
      if (places_[i].node >= 0) Give(i);
    return fits;
  }

 private:
  std::int64_t Milli(std::size_t at) const { return job_.pods(order_[at]).gpu_milli(); }

  void Put(std::size_t at, int row, std::vector<int> devices) {
    const int each = static_cast<int>(std::min<std::int64_t>(1000, Milli(at)));
    for (const int d : devices) table_.free[row][d] -= each;
    places_[at] = {row, std::move(devices)};
  }
  void Give(std::size_t at) {
    const int each = static_cast<int>(std::min<std::int64_t>(1000, Milli(at)));
    for (const int d : places_[at].devices) table_.free[places_[at].node][d] += each;
    places_[at].node = -1;
  }

  // Pod by pod; equal ones in the order of the rows.
  bool From(std::size_t at) {
    if (at == order_.size()) return true;
    const std::int64_t milli = Milli(at);
    const int first = at > 0 && Milli(at - 1) == milli ? places_[at - 1].node : 0;
    std::vector<int> devices;
    for (int row = first; row < static_cast<int>(table_.nodes.size()); ++row) {
      const std::vector<int>& free = table_.free[row];
      if (milli > 0 && milli < 1000) {
        std::set<int> sizes;  // fullest first, each size once
        for (const int size : free)
          if (size >= milli) sizes.insert(size);
        for (const int size : sizes) {
          const auto device = std::find(free.begin(), free.end(), size) - free.begin();
          if (Try(at, row, {static_cast<int>(device)})) return true;
          if (simple_ || steps_ > kMostSteps) return false;
        }
        continue;
      }
      if (!Room::Fit(free, milli, &devices)) continue;
      if (Try(at, row, devices)) return true;
      if (simple_ || steps_ > kMostSteps) return false;
    }
    return false;
  }

  bool Try(std::size_t at, int row, std::vector<int> devices) {
    if (++steps_ > kMostSteps) return false;
    Put(at, row, std::move(devices));
    if (From(at + 1)) return true;
    Give(at);
    return false;
  }

  const v1::ClusterJob& job_;
  FreeTable& table_;
  const std::vector<int> order_;
  std::vector<Spot> places_;  // by place in order_; node: the row
  bool simple_ = true;
  int steps_ = 0;
};

}  // namespace

std::vector<int> LargestFirst(const v1::ClusterJob& job) {
  std::vector<int> order(static_cast<std::size_t>(job.pods_size()));
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int a, int b) {
    const auto &left = job.pods(a), &right = job.pods(b);
    if (left.gpu_milli() != right.gpu_milli()) return left.gpu_milli() > right.gpu_milli();
    return left.name() < right.name();
  });
  return order;
}

std::int64_t SmallestPod(const v1::ClusterJob& job) {
  std::int64_t least = INT64_MAX;
  for (const v1::ClusterPod& pod : job.pods()) least = std::min(least, pod.gpu_milli());
  return least;
}

bool Fits(const v1::ClusterJob& job, FreeTable* table, std::vector<Spot>* spots) {
  return Search(job, table).Run(spots);
}

}  // namespace precedent::internal
