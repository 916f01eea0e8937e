// A scheduler that keeps the priorities of its jobs up to date while they live.
//
//   precedent_reprioritise POLICY     lines from standard input, at one second each:
//     submit ID ENVIRONMENT [PARENT]  a job, and the one whose result it needs
//     start ID | fail ID | cancel ID  what became of it
#include <chrono>
#include <fstream>
#include <iostream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "precedent/policy.h"
#include "precedent/reprioritiser.h"

int main(int argc, char** argv) {
  std::ifstream file(argc == 2 ? argv[1] : "", std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const precedent::CompileResult policy = precedent::LoadPolicy(text);
  if (!file || !policy.ok()) {
    std::cerr << "usage: precedent_reprioritise POLICY\n";
    return 2;
  }

  precedent::LineageGraph graph;
  precedent::LiveEvaluator live;
  precedent::DescriptorStore descriptors;  // or your own records: a DescriptorSource
  precedent::Reprioritiser reprioritiser(&graph, &live, &descriptors);
  if (live.Publish(policy.policy->evaluator()) != precedent::PublishStatus::kPublished) return 2;

  precedent::TimePoint now(std::chrono::seconds(1'772'442'000));
  std::vector<precedent::PriorityChange> changes;
  for (std::string line; std::getline(std::cin, line);) {
    now += std::chrono::seconds(1);
    std::istringstream words(line);
    std::string what, id, environment, parent;
    words >> what >> id >> environment >> parent;
    changes.clear();
    reprioritiser.Advance(now, &changes);  // what waiting alone has changed
    absl::Status status;
    if (what == "submit") {
      const precedent::ParentRef parents[] = {{parent, precedent::Relation::kDependsOn}};
      precedent::Submission submission;
      submission.id = id;
      submission.submitted = now;
      if (!parent.empty()) submission.parents = precedent::Span<const precedent::ParentRef>(parents);
      precedent::JobDescriptor job;
      job.environment = environment;
      job.submitted = now;
      status = reprioritiser.Submit(submission, job, now, &changes).status();
    } else {
      precedent::JobEvent event;
      event.job = id;
      event.time = now;
      event.kind = what == "start"  ? precedent::EventKind::kStarted
                   : what == "fail" ? precedent::EventKind::kFailed
                                    : precedent::EventKind::kCancelled;
      event.cause = precedent::Cause::kOwn;
      status = reprioritiser.Apply(event, now, &changes).status();
    }
    if (!status.ok()) std::cerr << status.message() << "\n";
    for (const precedent::PriorityChange& change : changes)  // tell your queue
      std::cout << change.job << " " << change.new_priority << " "
                << precedent::ChangeReasonName(change.reason) << "\n";
  }
}
