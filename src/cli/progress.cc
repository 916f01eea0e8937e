#include "src/cli/progress.h"

#include <unistd.h>

namespace precedent::cli {
namespace {

constexpr std::chrono::seconds kInterval(1);
constexpr std::uint64_t kJobsPerLook = 64;  // at the clock

}  // namespace

Progress::Progress(std::ostream& err)
    : err_(err),
      on_(isatty(STDERR_FILENO) != 0 && isatty(STDOUT_FILENO) == 0),
      next_(std::chrono::steady_clock::now() + kInterval) {}

Progress::~Progress() { Wipe(); }

void Progress::Add() {
  if (++jobs_ % kJobsPerLook != 0 || !on_) return;
  const auto now = std::chrono::steady_clock::now();
  if (now < next_) return;
  next_ = now + kInterval;
  shown_ = true;
  err_ << '\r' << jobs_ << " jobs" << std::flush;
}

void Progress::Wipe() {
  if (shown_) err_ << "\r\x1b[K" << std::flush;
  shown_ = false;
}

}  // namespace precedent::cli
