#include "state.h"

#include <simdjson.h>

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "google/protobuf/util/json_util.h"
#include "log.h"

namespace precedent::descheduler {
namespace {

using simdjson::dom::element;

constexpr std::int64_t kVersion = 1;
// The years 1970 to 9999.
constexpr std::int64_t kMaxMicros = 253'402'300'799'000'000;

// Objects and lists without thinking of commas.
class Writer {
 public:
  void Open(char bracket) {
    Separate();
    out_.push_back(bracket);
  }
  void Close(char bracket) { out_.push_back(bracket); }
  void Key(std::string_view key) {
    Separate();
    Quote(key);
    out_.push_back(':');
  }
  void String(std::string_view key, std::string_view value) {
    Key(key);
    Quote(value);
  }
  void Number(std::string_view key, std::int64_t value) {
    Key(key);
    absl::StrAppend(&out_, value);
  }
  void Item(std::string_view text) {
    Separate();
    Quote(text);
  }
  void Raw(std::string_view json) { out_.append(json); }
  std::string Take() { return std::move(out_); }

 private:
  void Separate() {
    const char last = out_.empty() ? '{' : out_.back();
    if (last != '{' && last != '[' && last != ':') out_.push_back(',');
  }
  void Quote(std::string_view text) {
    out_.push_back('"');
    webhook::AppendEscaped(text, std::string::npos, &out_);
    out_.push_back('"');
  }
  std::string out_;
};

std::int64_t Micros(TimePoint time) { return time.time_since_epoch().count(); }

void WritePod(const OrderPod& pod, Writer& out) {
  out.String("namespace", pod.namespace_name);
  out.String("name", pod.name);
  out.String("uid", pod.uid);
  out.String("key", pod.lineage_key);
  out.Number("created", Micros(pod.created));
}

void WriteOrder(const Order& order, Writer& out) {
  out.Open('{');
  out.String("for", order.job);
  out.Number("given", Micros(order.given));
  out.Number("stopped", order.stopped ? 1 : 0);
  out.Key("nodes");
  out.Open('[');
  for (const std::string& node : order.nodes) out.Item(node);
  out.Close(']');
  out.Key("victims");
  out.Open('[');
  for (const OrderVictim& victim : order.victims) {
    out.Open('{');
    out.String("job", victim.job);
    out.String("reason", victim.reason);
    out.Key("pods");
    out.Open('[');
    for (const OrderPod& pod : victim.pods) {
      out.Open('{');
      WritePod(pod, out);
      out.Close('}');
    }
    out.Close(']');
    out.Close('}');
  }
  out.Close(']');
  out.Close('}');
}

// Straight code that ends with `wrong().empty()`.
class Reader {
 public:
  const std::string& wrong() const { return wrong_; }

  element Member(element from, const char* key) {
    element value = from;
    if (from[key].get(value)) Wrong(key, "is missing");
    return value;
  }
  std::string String(element from, const char* key, bool required) {
    std::string_view text;
    if (from[key].get(text)) return Wrong(key, "is no text"), "";
    if (required && text.empty()) Wrong(key, "is empty");
    return std::string(text);
  }
  std::int64_t Number(element from, const char* key, std::int64_t most) {
    std::int64_t number = 0;
    if (from[key].get(number) || number < 0 || number > most) Wrong(key, "is no such number");
    return number;
  }
  TimePoint Time(element from, const char* key) {
    return TimePoint(std::chrono::microseconds(Number(from, key, kMaxMicros)));
  }
  template <typename Take>
  void Each(element from, const char* key, Take take) {
    simdjson::dom::array items;
    if (from[key].get(items)) return Wrong(key, "is no list");
    for (const element item : items) {
      if (!wrong_.empty()) return;
      take(item);
    }
  }
  void Wrong(std::string_view where, std::string_view what) {
    if (wrong_.empty()) wrong_ = absl::StrCat("`", std::string(where), "` ", std::string(what));
  }

 private:
  std::string wrong_;
};

OrderPod ReadPod(element from, Reader& in) {
  OrderPod pod;
  pod.namespace_name = in.String(from, "namespace", true);
  pod.name = in.String(from, "name", true);
  pod.uid = in.String(from, "uid", true);
  pod.lineage_key = in.String(from, "key", false);
  pod.created = in.Time(from, "created");
  return pod;
}

Order ReadOrder(element from, Reader& in) {
  Order order;
  order.job = in.String(from, "for", true);
  order.given = in.Time(from, "given");
  order.stopped = in.Number(from, "stopped", 1) == 1;
  in.Each(from, "nodes", [&](element node) {
    std::string_view name;
    if (node.get(name)) in.Wrong("nodes", "has something that is no text");
    order.nodes.emplace_back(name);
  });
  in.Each(from, "victims", [&](element one) {
    OrderVictim& victim = order.victims.emplace_back();
    victim.job = in.String(one, "job", true);
    victim.reason = in.String(one, "reason", false);
    in.Each(one, "pods", [&](element pod) { victim.pods.push_back(ReadPod(pod, in)); });
  });
  return order;
}

void ReadPlanner(element from, Reader& in, v1::PlannerState* planner) {
  if (!in.wrong().empty()) return;
  const auto status = google::protobuf::util::JsonStringToMessage(simdjson::minify(from), planner);
  if (!status.ok()) in.Wrong("planner", "cannot be read");
}

}  // namespace

std::string WriteState(const State& state) {
  Writer out;
  out.Open('{');
  out.Number("version", kVersion);
  out.String("owner", state.owner);
  out.Number("renewed", Micros(state.renewed));
  out.Number("leaseMilliseconds", state.lease.count());
  out.Key("orders");
  out.Open('[');
  for (const Order& order : state.orders) WriteOrder(order, out);
  out.Close(']');
  std::string planner;
  (void)google::protobuf::util::MessageToJsonString(state.planner, &planner);
  out.Key("planner");
  out.Raw(planner.empty() ? "{}" : planner);
  out.Key("history");
  out.Open('[');
  for (const HistoryRecord& record : state.history) {
    out.Open('{');
    out.String("uid", record.uid);
    out.String("owner", record.owner);
    out.String("key", record.lineage_key);
    out.Number("created", Micros(record.created));
    out.Number("ended", Micros(record.ended));
    out.Number("before", record.before);
    out.Close('}');
  }
  out.Close(']');
  out.Close('}');
  return out.Take();
}

absl::StatusOr<State> ReadState(std::string_view json) {
  simdjson::dom::parser parser;
  element root;
  if (parser.parse(simdjson::padded_string(json)).get(root) || !root.is_object()) {
    return absl::InvalidArgumentError("is no JSON object");
  }
  std::int64_t version = 0;
  if (root["version"].get(version)) return absl::InvalidArgumentError("`version` is missing");
  if (version != kVersion) {
    return absl::FailedPreconditionError(absl::StrCat("`version` is ", version,
                                                      ", and this program knows ", kVersion,
                                                      " alone: another release wrote it"));
  }
  Reader in;
  State state;
  state.owner = in.String(root, "owner", true);
  state.renewed = in.Time(root, "renewed");
  state.lease = std::chrono::milliseconds(in.Number(root, "leaseMilliseconds", 86'400'000));
  in.Each(root, "orders", [&](element one) { state.orders.push_back(ReadOrder(one, in)); });
  ReadPlanner(in.Member(root, "planner"), in, &state.planner);
  in.Each(root, "history", [&](element one) {
    HistoryRecord& record = state.history.emplace_back();
    record.uid = in.String(one, "uid", true);
    record.owner = in.String(one, "owner", true);
    record.lineage_key = in.String(one, "key", false);
    record.created = in.Time(one, "created");
    record.ended = in.Time(one, "ended");
    record.before = in.Number(one, "before", 1'000'000'000);
  });
  if (!in.wrong().empty()) return absl::InvalidArgumentError(in.wrong());
  return state;
}

absl::StatusOr<std::string> FitState(State* state, std::size_t max_bytes) {
  std::string json = WriteState(*state);
  while (json.size() > max_bytes && !state->history.empty()) {
    const auto half = static_cast<std::ptrdiff_t>((state->history.size() + 1) / 2);
    std::sort(state->history.begin(), state->history.end(),
              [](const HistoryRecord& a, const HistoryRecord& b) { return a.ended < b.ended; });
    state->history.erase(state->history.begin(), state->history.begin() + half);
    json = WriteState(*state);
  }
  if (json.size() > max_bytes) {
    return absl::ResourceExhaustedError(
        absl::StrCat("it has ", json.size(), " bytes, and ", max_bytes,
                     " can be stored: there are too many recent evictions and holds"));
  }
  return json;
}

}  // namespace precedent::descheduler
