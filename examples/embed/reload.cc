// A scheduler whose policy can be edited while it runs: decides about each team named
// on standard input.
//
//   precedent_reload examples/policies/seed.txtpb
#include <chrono>
#include <iostream>
#include <string>

#include "precedent/live_evaluator.h"
#include "precedent/policy_file.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: precedent_reload POLICY\n";
    return 2;
  }
  precedent::LiveEvaluator live(precedent::Fallback{500, "experimental"});
  precedent::PolicyFileOptions options;
  options.on_status = [](const precedent::PolicyFileStatus& status) {
    std::cerr << status.message << "\n";
  };
  precedent::PolicyFile file(argv[1], &live, options);
  file.Load();   // whatever it finds: without a policy the fallback decides
  file.Start();  // looks once a second from now on

  for (std::string team; std::getline(std::cin, team);) {
    precedent::JobDescriptor job;
    job.team = team;
    job.gpu_count = 8;
    const auto guard = live.read();  // one policy for as long as the guard lives
    const precedent::Decision decision = guard.Evaluate(
        job, std::chrono::time_point_cast<std::chrono::microseconds>(
                 std::chrono::system_clock::now()));
    std::cout << team << ": priority " << decision.priority << ", "
              << precedent::ReasonName(decision.reason) << "\n";
  }
}
