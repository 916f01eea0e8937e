// A count of jobs on the terminal, for work that takes long.
#ifndef PRECEDENT_SRC_CLI_PROGRESS_H_
#define PRECEDENT_SRC_CLI_PROGRESS_H_

#include <chrono>
#include <cstdint>
#include <ostream>

namespace precedent::cli {

// Writes nothing unless standard error is a terminal and standard output is none:
// where the answers go to the terminal they are the progress.
class Progress {
 public:
  explicit Progress(std::ostream& err);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  // Wipes the line.
  ~Progress();

  void Add();
  // Before another line is written on standard error.
  void Wipe();

 private:
  std::ostream& err_;
  bool on_;
  bool shown_ = false;
  std::uint64_t jobs_ = 0;
  std::chrono::steady_clock::time_point next_;
};

}  // namespace precedent::cli

#endif  // PRECEDENT_SRC_CLI_PROGRESS_H_
