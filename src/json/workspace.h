// Workspace: the memory that reading a document needs, kept from one to the next.
#ifndef PRECEDENT_SRC_JSON_WORKSPACE_H_
#define PRECEDENT_SRC_JSON_WORKSPACE_H_

#include <simdjson.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "src/json/limits.h"
#include "src/json/path.h"

namespace precedent::json {

// Steps of one document's paths. They do not move until Clear.
class PathSteps {
 public:
  const PathStep* Add(const PathStep* parent, std::string_view key, std::size_t index) {
    if (used_ == kChunk) NextChunk();
    PathStep* step = &chunks_[chunk_][used_++];
    *step = PathStep{parent, key, index};
    return step;
  }
  // Keeps the memory of the first steps alone.
  void Clear() {
    if (chunks_.size() > kKept) chunks_.resize(kKept);
    chunk_ = static_cast<std::size_t>(-1);
    used_ = kChunk;
  }

 private:
  static constexpr std::size_t kChunk = 256;
  static constexpr std::size_t kKept = 4;

  void NextChunk() {
    if (++chunk_ == chunks_.size()) chunks_.push_back(std::make_unique<PathStep[]>(kChunk));
    used_ = 0;
  }

  std::vector<std::unique_ptr<PathStep[]>> chunks_;
  std::size_t chunk_ = static_cast<std::size_t>(-1);
  std::size_t used_ = kChunk;
};

// Of one document at a time. Not thread-safe.
class Workspace {
 public:
  // A text of at most kMaxBytes, parsed. The result is good until the next call, and
  // so are all steps.
  simdjson::simdjson_result<simdjson::dom::element> Parse(std::string_view text);
  PathSteps& steps() { return steps_; }
  // The text that was parsed last, as long.
  std::string_view text() const { return {buffer_.get(), size_}; }

  // Gives back what a large document took.
  void Trim();

 private:
  simdjson::dom::parser parser_{kMaxBytes};
  // A copy of the text, with the bytes after it that the parser wants to be able to read.
  std::unique_ptr<char[]> buffer_;
  std::size_t capacity_ = 0;
  std::size_t size_ = 0;
  PathSteps steps_;
};

// Workspaces that wait for the next document. Any number of threads may take and
// return at once: nobody waits, there is no lock, and whoever finds none makes one.
class WorkspacePool {
 public:
  // A workspace until the end of its scope.
  class Lease {
   public:
    Lease(WorkspacePool* pool, std::unique_ptr<Workspace> workspace)
        : pool_(pool), workspace_(std::move(workspace)) {}
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    ~Lease() { pool_->Return(std::move(workspace_)); }

    Workspace* get() const { return workspace_.get(); }

   private:
    WorkspacePool* pool_;
    std::unique_ptr<Workspace> workspace_;
  };

  WorkspacePool() = default;
  WorkspacePool(const WorkspacePool&) = delete;
  WorkspacePool& operator=(const WorkspacePool&) = delete;
  ~WorkspacePool();

  Lease Take();

 private:
  void Return(std::unique_ptr<Workspace> workspace);

  // Owners of what they point to. An exchange that takes one out (acquire) sees what
  // the exchange that put it in (release) left in it.
  std::array<std::atomic<Workspace*>, 16> kept_{};
};

}  // namespace precedent::json

#endif  // PRECEDENT_SRC_JSON_WORKSPACE_H_
