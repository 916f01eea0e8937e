// A program that links both adapters, describes one object with each, and keeps lineage.
#include <chrono>
#include <iostream>

#include "precedent/aws_batch.h"
#include "precedent/kubernetes.h"
#include "precedent/lineage.h"

int main() {
  const auto kubernetes = precedent::kubernetes::Adapter::Create();
  const auto aws = precedent::aws::Adapter::Create();
  if (!kubernetes.ok() || !aws.ok()) return 1;
  const auto pod = kubernetes->Describe(
      R"({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": {"containers": [
          {"name": "c", "resources": {"limits": {"nvidia.com/gpu": "2"}}}]}})");
  const auto request = aws->Describe(
      R"({"jobName": "j", "jobQueue": "q", "jobDefinition": "d", "containerOverrides":
          {"resourceRequirements": [{"type": "GPU", "value": "4"}]}})");
  if (!pod.ok()) std::cerr << pod.status().ToString() << "\n";
  if (!request.ok()) std::cerr << request.status().ToString() << "\n";
  if (!pod.ok() || !request.ok()) return 1;
  std::cout << pod->job.gpu_count() << " " << request->job.gpu_count() << "\n";
  precedent::LineageGraph graph;
  precedent::Submission submission;
  submission.id = "p";
  submission.submitted = precedent::TimePoint(std::chrono::hours(1));
  if (!graph.Submit(submission).ok() || graph.Facts("p")->attempt != 1) return 1;
  return pod->job.gpu_count() == 2 && request->job.gpu_count() == 4 ? 0 : 1;
}
