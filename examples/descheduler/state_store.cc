#include "state_store.h"

#include <simdjson.h>

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "fields.h"
#include "log.h"

namespace precedent::descheduler {
namespace {

constexpr char kKey[] = "state.json";
constexpr int kTries = 3;
// What clocks of several API servers may differ by, and an answer take.
constexpr std::chrono::seconds kFuture{60};

absl::Status Unavailable(std::string_view what, const Answer& answer) {
  return absl::UnavailableError(
      absl::StrCat("the ConfigMap of the state cannot be ", std::string(what), ": ",
                   answer.error.empty() ? "the answer is no ConfigMap" : answer.error));
}

std::string Quoted(std::string_view text) {
  std::string out = "\"";
  webhook::AppendEscaped(text, std::string::npos, &out);
  return out + "\"";
}

}  // namespace

StateStore::StateStore(Api* api, std::string namespace_name, std::string name, std::string identity,
                       std::chrono::milliseconds lease)
    : api_(api),
      namespace_(std::move(namespace_name)),
      name_(std::move(name)),
      identity_(std::move(identity)),
      lease_(lease) {}

// The text of the state; empty where there is no ConfigMap, or nothing in it.
absl::StatusOr<std::string> StateStore::ReadObject() {
  const std::string path = absl::StrCat("/api/v1/namespaces/", namespace_, "/configmaps/", name_);
  const Answer answer = api_->Call("GET", path);
  if (answer.status == 404 && answer.whole) {
    resource_version_.clear();
    return std::string();
  }
  simdjson::dom::parser parser;
  simdjson::dom::element root;
  if (!answer.ok() || parser.parse(answer.body).get(root)) return Unavailable("read", answer);
  resource_version_ = Text(root, "metadata", "resourceVersion");
  if (resource_version_.empty()) return Unavailable("read", answer);
  return Text(root, "data", kKey);
}

absl::StatusOr<State> StateStore::Load() {
  absl::StatusOr<std::string> text = ReadObject();
  if (!text.ok()) return text.status();
  bytes_ = text->size();
  if (text->empty()) return State();
  absl::StatusOr<State> state = ReadState(*text);
  const std::string where = absl::StrCat("ConfigMap ", namespace_, "/", name_, ", ", kKey, ": ");
  if (!state.ok()) {
    return absl::Status(
        state.status().code(),
        absl::StrCat(where, state.status().message(),
                     "; nobody is evicted. Where it is of no use, delete the ConfigMap"));
  }
  if (state->renewed > api_->Latest() + kFuture) {
    return absl::InvalidArgumentError(
        absl::StrCat(where,
                     "was written in the future: nobody is evicted until the clocks agree, "
                     "or the ConfigMap is deleted"));
  }
  return state;
}

std::chrono::milliseconds StateStore::OwnedByOther(const State& state) const {
  if (state.owner == identity_ || state.owner.empty()) return std::chrono::milliseconds(0);
  const TimePoint now = api_->Earliest();
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(std::min(state.renewed, now) +
                                                                 state.lease - now);
  return std::max(left, std::chrono::milliseconds(0));
}

absl::Status StateStore::Save(State* state) { return Write(state, lease_); }
absl::Status StateStore::Release(State* state) {
  return Write(state, std::chrono::milliseconds(0));
}

absl::Status StateStore::Write(State* state, std::chrono::milliseconds lease) {
  state->owner = identity_;
  state->renewed = api_->Latest();
  state->lease = lease;
  absl::StatusOr<std::string> text = FitState(state);
  if (!text.ok()) return text.status();
  const auto sent = std::chrono::steady_clock::now();
  Answer answer;
  for (int i = 0; i < kTries; ++i) {
    const bool create = resource_version_.empty();
    const std::string maps = absl::StrCat("/api/v1/namespaces/", namespace_, "/configmaps");
    const std::string body = absl::StrCat(
        R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":)", Quoted(name_),
        R"(,"namespace":)", Quoted(namespace_),
        create ? "" : absl::StrCat(R"(,"resourceVersion":)", Quoted(resource_version_)),
        R"(},"data":{")", kKey, "\":", Quoted(*text), "}}");
    answer = create ? api_->Call("POST", maps, body)
                    : api_->Call("PUT", absl::StrCat(maps, "/", name_), body);
    simdjson::dom::parser parser;
    simdjson::dom::element root;
    if (answer.ok() && !parser.parse(answer.body).get(root) &&
        !Text(root, "metadata", "resourceVersion").empty()) {
      resource_version_ = Text(root, "metadata", "resourceVersion");
      bytes_ = text->size();
      until_ = sent + lease;
      return absl::OkStatus();
    }
    // What is there now says whether it was written after all.
    const std::string before = resource_version_;
    const absl::StatusOr<std::string> stored = ReadObject();
    if (!stored.ok()) {
      resource_version_ = before;
      continue;
    }
    if (*stored == *text) {
      bytes_ = text->size();
      until_ = sent + lease;
      return absl::OkStatus();
    }
    if (resource_version_ != before) {
      until_ = {};
      return absl::AbortedError("somebody else has written the state meanwhile");
    }
    if (answer.status >= 400 && answer.status < 500 && answer.status != 409 &&
        answer.status != 429) {
      break;
    }
  }
  return Unavailable("written", answer);
}

std::chrono::milliseconds StateStore::Remaining() const {
  const auto now = std::chrono::steady_clock::now();
  return until_ <= now ? std::chrono::milliseconds(0)
                       : std::chrono::floor<std::chrono::milliseconds>(until_ - now);
}

}  // namespace precedent::descheduler
