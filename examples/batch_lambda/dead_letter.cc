#include "examples/batch_lambda/dead_letter.h"

#include <map>
#include <string>

#include "absl/strings/str_cat.h"
#include "examples/batch_lambda/sqs.h"

namespace precedent::batch_lambda {
namespace {

constexpr std::size_t kMaxReason = 1'000;
// Names, types and values of the attributes.
constexpr std::size_t kRoom = 2'048;

// At most `bytes` of it, no character cut in two.
std::string_view Begin(std::string_view text, std::size_t bytes) {
  if (text.size() <= bytes) return text;
  while (bytes > 0 && (static_cast<unsigned char>(text[bytes]) & 0xc0) == 0x80) --bytes;
  return text.substr(0, bytes);
}

// SQS takes no control characters in texts.
std::string Printable(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (static_cast<unsigned char>(c) < 0x20) c = ' ';
  }
  return out;
}

}  // namespace

absl::Status SendDeadLetter(Work& work, std::string_view body, std::string_view message_id,
                            std::string_view reason) {
  std::map<std::string, std::string> attributes = {
      {"reason", Printable(Begin(reason.empty() ? "unknown" : reason, kMaxReason))},
      {"messageId", message_id.empty() ? "none" : std::string(message_id)}};
  const std::string_view kept = Begin(body, kMaxMessage - kRoom);
  if (kept.size() < body.size()) attributes["cutFrom"] = std::to_string(body.size());
  absl::Status status = SendMessage(work.aws, work.settings.dead_letter_url,
                                    kept.empty() ? " " : kept, {}, attributes);
  if (status.ok()) {
    work.Count("DeadLetters");
    work.Log(
        absl::StrCat("dead letter: message ", attributes["messageId"], ": ", attributes["reason"]));
  }
  return status;
}

}  // namespace precedent::batch_lambda
