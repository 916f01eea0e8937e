// `precedent-batch-worker`: the same as the function, for those who have no Lambda.
//
//   precedent-batch-worker          polls the queues until SIGTERM or SIGINT
//   precedent-batch-worker --once   until both are empty, for cron; then the tick
//
// Polls PRECEDENT_QUEUE_URL and, where set, PRECEDENT_EVENTS_URL. What it takes stays
// hidden for as long as it works at it. On a signal it finishes what it has taken.
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "examples/batch_lambda/service.h"
#include "examples/batch_lambda/sqs.h"
#include "src/json/document.h"
#include "src/json/writer.h"

namespace precedent::batch_lambda {
namespace {

using Clock = HttpAws::Clock;

std::atomic<bool> stopping{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler writes it");

// PRECEDENT_HIDE_SECONDS: how long a taken message is hidden at a time, from a third of it
// on; so the queue's own visibility time-out has to be longer than that third.
std::chrono::seconds Hidden() {
  int seconds = 0;
  const bool given = absl::SimpleAtoi(FromEnvironment("PRECEDENT_HIDE_SECONDS"), &seconds);
  return std::chrono::seconds(given && seconds > 0 && seconds <= 43'200 ? seconds : 60);
}

// Hides messages again and again while the work lasts, from a thread of its own.
class Hider {
 public:
  Hider(const Service& service, std::string queue_url, std::vector<std::string> receipts)
      : aws_(service.settings(), FromEnvironment),
        queue_url_(std::move(queue_url)),
        receipts_(std::move(receipts)),
        thread_([this] { Run(); }) {}
  ~Hider() {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      done_ = true;
    }
    changed_.notify_one();
    thread_.join();
  }

 private:
  void Run() {
    std::unique_lock<std::mutex> lock(mutex_);
    const std::chrono::seconds hidden = Hidden();
    const auto pause = std::chrono::milliseconds(hidden) / 3;
    while (!changed_.wait_for(lock, pause, [this] { return done_; })) {
      for (const std::string& receipt : receipts_) {
        static_cast<void>(ChangeVisibility(aws_, queue_url_, receipt, hidden));
      }
    }
  }

  HttpAws aws_;
  const std::string queue_url_;
  const std::vector<std::string> receipts_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool done_ = false;
  std::thread thread_;
};

std::string EventOf(const std::vector<ReceivedMessage>& messages, const std::string& queue_url) {
  std::string event = "{\"Records\":[";
  for (std::size_t i = 0; i < messages.size(); ++i) {
    event += i == 0 ? "{" : ",{";
    json::AppendMember("messageId", messages[i].id, &event);
    json::AppendMember("receiptHandle", messages[i].receipt, &event);
    json::AppendMember("body", messages[i].body, &event);
    json::AppendMember("eventSource", "aws:sqs", &event);
    json::AppendMember("eventSourceARN", queue_url, &event);  // its end is what counts
    event += '}';
  }
  return event + "]}";
}

// False: nobody knows which, so none.
bool ReadFailed(const std::string& answer, absl::flat_hash_set<std::string>& failed) {
  const auto document = json::Document::Parse(answer);
  if (!document.ok()) return false;
  for (const json::Value item : (*document)->root().Get("batchItemFailures").Items()) {
    failed.insert(std::string(item.Get("itemIdentifier").String().value_or("")));
  }
  return (*document)->status().ok();
}

void Complain(const absl::Status& status) {
  std::fprintf(stderr, "%s\n", std::string(status.message()).c_str());
}

// How many messages there were; nothing where the queue did not answer.
absl::StatusOr<std::size_t> Poll(Service& service, HttpAws& aws, const std::string& queue_url,
                                 std::chrono::seconds wait) {
  aws.set_patience(wait);
  const auto messages = ReceiveMessages(aws, queue_url, wait);
  aws.set_patience({});
  if (!messages.ok()) return messages.status();
  if (messages->empty()) return 0;
  std::vector<std::string> receipts;
  for (const ReceivedMessage& message : *messages) receipts.push_back(message.receipt);
  absl::StatusOr<std::string> answer;
  {
    const Hider hider(service, queue_url, receipts);
    // No claim of ours may outlive our belief that it is ours.
    answer = service.Handle(EventOf(*messages, queue_url),
                            Clock::now() + service.settings().claim * 4 / 5);
  }
  absl::flat_hash_set<std::string> failed;
  if (!answer.ok()) {
    Complain(answer.status());
    return messages->size();
  }
  if (!ReadFailed(*answer, failed)) return messages->size();
  std::vector<std::string> done;
  for (const ReceivedMessage& message : *messages) {
    if (!failed.contains(message.id)) done.push_back(message.receipt);
  }
  // One that is not deleted comes again, and is known then.
  if (absl::Status status = DeleteMessages(aws, queue_url, done); !status.ok()) Complain(status);
  return messages->size();
}

int Run(bool once) {
  const auto service = Service::Create(FromEnvironment);
  if (!service.ok()) {
    Complain(service.status());
    return 2;
  }
  HttpAws aws((*service)->settings(), FromEnvironment);
  std::vector<std::string> queues = {(*service)->settings().queue_url};
  if (const std::string& events = (*service)->settings().events_url; !events.empty()) {
    queues.push_back(events);
  }
  const std::chrono::seconds wait(once ? 0 : queues.size() > 1 ? 5 : 20);
  auto next_tick = Clock::now();
  while (!stopping) {
    std::size_t taken = 0;
    bool failed = false;
    for (const std::string& queue : queues) {
      if (stopping) break;
      const auto polled = Poll(**service, aws, queue, wait);
      if (polled.ok()) {
        taken += *polled;
      } else {
        Complain(polled.status());
        failed = true;
      }
    }
    const bool last = once && (taken == 0 || failed);
    if (!(*service)->settings().snapshot_queues.empty() &&
        (last || (!once && Clock::now() >= next_tick))) {
      next_tick = Clock::now() + std::chrono::minutes(1);
      const auto ticked = (*service)->Handle(
          R"({"source":"aws.events","detail-type":"Scheduled Event","detail":{}})",
          Clock::now() + std::chrono::minutes(1));
      if (!ticked.ok()) Complain(ticked.status());
    }
    if (last) return failed ? 1 : 0;
    if (failed) std::this_thread::sleep_for(std::chrono::seconds(1));
  }
  return 0;
}

}  // namespace
}  // namespace precedent::batch_lambda

int main(int argc, char** argv) {
  const bool once = argc == 2 && std::string_view(argv[1]) == "--once";
  if (argc > 2 || (argc == 2 && !once)) {
    std::fputs("usage: precedent-batch-worker [--once]\n", stderr);
    return 2;
  }
  struct sigaction action {};
  action.sa_handler = [](int) { precedent::batch_lambda::stopping = true; };
  sigaction(SIGTERM, &action, nullptr);
  sigaction(SIGINT, &action, nullptr);
  return precedent::batch_lambda::Run(once);
}
