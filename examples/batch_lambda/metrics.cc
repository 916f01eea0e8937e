#include "examples/batch_lambda/metrics.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "src/json/writer.h"

namespace precedent::batch_lambda {

std::string MetricLine(const std::map<std::string, std::int64_t>& values,
                       const std::map<std::string, std::string>& dimensions, absl::Time now) {
  std::string line = absl::StrCat("{\"_aws\":{\"Timestamp\":", absl::ToUnixMillis(now));
  line += ",\"CloudWatchMetrics\":[{\"Namespace\":\"Precedent\",\"Dimensions\":[[";
  bool first = true;
  for (const auto& dimension : dimensions) {
    if (!first) line += ',';
    first = false;
    json::AppendString(dimension.first, &line);
  }
  line += "]],\"Metrics\":[";
  first = true;
  for (const auto& value : values) {
    line += first ? "{" : ",{";
    first = false;
    json::AppendMember("Name", value.first, &line);
    json::AppendMember("Unit", absl::EndsWith(value.first, "Seconds") ? "Seconds" : "Count", &line);
    line += '}';
  }
  line += "]}]}";
  for (const auto& [name, value] : dimensions) json::AppendMember(name, value, &line);
  for (const auto& [name, value] : values) {
    json::AppendKey(name, &line);
    absl::StrAppend(&line, value);
  }
  line += '}';
  return line;
}

}  // namespace precedent::batch_lambda
