#include "tests/reference/job.h"

#include <cstdio>

namespace precedent::reference {
namespace {

std::string Quoted(const std::string& text) {
  std::string out = "\"";
  for (unsigned char c : text) {
    if (c < 0x20 || c >= 0x7f || c == '"' || c == '\\') {
      char escaped[8];
      std::snprintf(escaped, sizeof escaped, "\\%03o", c);
      out += escaped;
    } else {
      out += static_cast<char>(c);
    }
  }
  return out + "\"";
}

}  // namespace

Job FromMessage(const v1::JobDescriptor& message) {
  Job job;
  job.facts = message;
  if (message.has_submitted()) {
    job.submitted_us =
        message.submitted().seconds() * 1'000'000 + message.submitted().nanos() / 1000;
    job.facts.clear_submitted();
  }
  for (const auto& [key, value] : message.labels()) job.labels.emplace_back(key, value);
  for (const auto& [name, value] : message.metrics()) job.metrics.emplace_back(name, value);
  job.facts.clear_labels();
  job.facts.clear_metrics();
  return job;
}

std::string ToText(const Job& job) {
  std::string text = job.facts.DebugString();
  if (job.submitted_us) text += "submitted_us: " + std::to_string(*job.submitted_us) + "\n";
  for (const auto& [key, value] : job.labels)
    text += "label " + Quoted(key) + ": " + Quoted(value) + "\n";
  for (const auto& [name, value] : job.metrics) {
    char number[32];
    std::snprintf(number, sizeof number, "%.17g", value);
    text += "metric " + Quoted(name) + ": " + number + "\n";
  }
  return text;
}

}  // namespace precedent::reference
