#include "src/json/workspace.h"

#include <cstring>
#include <new>

namespace precedent::json {
namespace {

// What stays allocated between documents: some 15 bytes for each of these.
constexpr std::size_t kKeptBytes = std::size_t{64} << 10;

}  // namespace

simdjson::simdjson_result<simdjson::dom::element> Workspace::Parse(std::string_view text) {
  steps_.Clear();
  // One level more than is allowed: the parser does not count an empty array or object.
  if (parser_.capacity() < text.size() || parser_.capacity() == 0) {
    const simdjson::error_code error = parser_.allocate(text.size(), kMaxDepth + 1);
    if (error != simdjson::SUCCESS) return error;
  }
  if (buffer_ == nullptr || capacity_ < text.size()) {
    buffer_.reset(new (std::nothrow) char[text.size() + simdjson::SIMDJSON_PADDING]());
    if (buffer_ == nullptr) return simdjson::MEMALLOC;
    capacity_ = text.size();
  }
  size_ = text.size();
  if (size_ > 0) std::memcpy(buffer_.get(), text.data(), size_);
  return parser_.parse(buffer_.get(), size_, false);
}

void Workspace::Trim() {
  if (parser_.capacity() > kKeptBytes) parser_ = simdjson::dom::parser(kMaxBytes);
  if (capacity_ > kKeptBytes) {
    buffer_ = nullptr;
    capacity_ = 0;
    size_ = 0;
  }
  steps_.Clear();
}

WorkspacePool::~WorkspacePool() {
  for (std::atomic<Workspace*>& place : kept_) {
    delete place.load(std::memory_order_acquire);
  }
}

WorkspacePool::Lease WorkspacePool::Take() {
  for (std::atomic<Workspace*>& place : kept_) {
    if (place.load(std::memory_order_relaxed) == nullptr) continue;
    Workspace* const workspace = place.exchange(nullptr, std::memory_order_acquire);
    if (workspace != nullptr) return Lease(this, std::unique_ptr<Workspace>(workspace));
  }
  return Lease(this, std::make_unique<Workspace>());
}

void WorkspacePool::Return(std::unique_ptr<Workspace> workspace) {
  workspace->Trim();
  for (std::atomic<Workspace*>& place : kept_) {
    Workspace* none = nullptr;
    if (place.load(std::memory_order_relaxed) != nullptr) continue;
    if (place.compare_exchange_strong(none, workspace.get(), std::memory_order_release,
                                      std::memory_order_relaxed)) {
      workspace.release();
      return;
    }
  }
}

}  // namespace precedent::json
