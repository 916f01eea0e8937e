#include "examples/batch_lambda/service.h"

#include <google/protobuf/text_format.h>

#include <cstdio>
#include <fstream>
#include <sstream>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "examples/batch_lambda/metrics.h"

namespace precedent::batch_lambda {
namespace {

// One line, whatever is in it.
void Print(std::FILE* to, std::string line) {
  for (char& c : line) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  }
  line += '\n';
  std::fwrite(line.data(), 1, line.size(), to);
}

absl::StatusOr<v1::AdapterOptions> ReadOptions(const std::string& path) {
  v1::AdapterOptions options;
  if (path.empty()) return options;
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  if (!file || !google::protobuf::TextFormat::ParseFromString(text.str(), &options)) {
    return absl::InvalidArgumentError(
        absl::StrCat("PRECEDENT_OPTIONS: `", path, "` is no file of AdapterOptions as text"));
  }
  return options;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Service>> Service::Create(const Variables& variables) {
  absl::StatusOr<Settings> settings = ReadSettings(variables);
  if (!settings.ok()) return settings.status();
  absl::StatusOr<v1::AdapterOptions> options = ReadOptions(settings->options);
  if (!options.ok()) return options.status();
  auto service = std::unique_ptr<Service>(new Service(*std::move(settings), variables));
  absl::StatusOr<Handler> handler =
      Handler::Create(&service->settings_, &service->aws_, *std::move(options));
  if (!handler.ok()) return handler.status();
  service->handler_ = std::make_unique<Handler>(*std::move(handler));
  return service;
}

absl::StatusOr<std::string> Service::Handle(std::string_view event,
                                            HttpAws::Clock::time_point deadline) {
  aws_.set_deadline(deadline);
  const std::string about_policy = policy_.Refresh(HttpAws::Clock::now());
  const CompiledPolicy* policy = policy_.policy();
  const absl::Time now = absl::Now();
  Answer answer = handler_->Handle(
      event, policy == nullptr ? nullptr : &policy->evaluator(),
      policy == nullptr ? v1::Stability::default_instance() : policy->source().stability(), now);
  if (!about_policy.empty()) {
    Print(stderr, about_policy);
    ++answer.counts["PolicyErrors"];
  }
  for (const std::string& line : answer.log) Print(stderr, line);
  for (const std::string& line : answer.metrics) Print(stdout, line);
  if (!answer.counts.empty()) Print(stdout, MetricLine(answer.counts, {}, now));
  std::fflush(stdout);
  return std::move(answer.body);
}

}  // namespace precedent::batch_lambda
