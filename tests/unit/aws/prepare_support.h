// What the tests of prepared requests share.
#ifndef PRECEDENT_TESTS_UNIT_AWS_PREPARE_SUPPORT_H_
#define PRECEDENT_TESTS_UNIT_AWS_PREPARE_SUPPORT_H_

#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "precedent/aws_batch.h"
#include "src/json/document.h"
#include "src/json/object_editor.h"
#include "tests/unit/policies.h"

namespace precedent::aws {

// A policy of one rule for every job.
inline CompiledPolicy Policy(const std::string& effects) {
  return testing::CompileRules("rules { id: \"all\" " + effects + " }");
}

inline absl::StatusOr<PreparedRequest> TryPrepare(const std::string& request,
                                                  const CompiledPolicy& policy, QueuePolicy queue,
                                                  const v1::AdapterOptions& options = {},
                                                  const std::string& definition = "") {
  const auto adapter = Adapter::Create(options);
  EXPECT_TRUE(adapter.ok()) << adapter.status();
  auto prepared =
      adapter->Prepare(request, &policy.evaluator(), queue, testing::At(1'800'000'000), definition);
  if (prepared.ok()) {
    // What was prepared is right as it is.
    auto again = adapter->Prepare(prepared->body, &policy.evaluator(), queue,
                                  testing::At(1'800'000'000), definition);
    EXPECT_TRUE(again.ok()) << again.status();
    if (again.ok()) {
      EXPECT_EQ(again->body, prepared->body);
    }
  }
  return prepared;
}

inline PreparedRequest MustPrepare(const std::string& request, const CompiledPolicy& policy,
                                   QueuePolicy queue, const v1::AdapterOptions& options = {},
                                   const std::string& definition = "") {
  auto prepared = TryPrepare(request, policy, queue, options, definition);
  EXPECT_TRUE(prepared.ok()) << prepared.status();
  return prepared.ok() ? *std::move(prepared) : PreparedRequest();
}

// The text of the member at a path such as `tags>team`; empty where there is none.
inline std::string Member(const std::string& body, std::string path) {
  std::string text = body;
  while (!path.empty()) {
    const std::size_t dot = path.find(">");
    const auto value = json::ObjectEditor(text).Find(path.substr(0, dot));
    if (!value.has_value()) return "";
    text = std::string(*value);
    path = dot == std::string::npos ? "" : path.substr(dot + 1);
  }
  return text;
}

// The body without the members that a decision sets.
inline std::string WithoutDerived(const std::string& body) {
  json::ObjectEditor editor(body);
  for (const char* member :
       {"schedulingPriorityOverride", "schedulingPriority", "shareIdentifier", "quotaShareName"}) {
    editor.Remove(member);
  }
  if (const auto tags = editor.Find("tags"); tags.has_value()) {
    json::ObjectEditor inner(*tags);
    for (const char* key :
         {"precedent.dev/priority", "precedent.dev/policy", "precedent.dev/priority-class"}) {
      inner.Remove(key);
    }
    if (inner.size() == 0) {
      editor.Remove("tags");
    } else {
      editor.Set("tags", inner.Text());
    }
  }
  return editor.Text();
}

}  // namespace precedent::aws

#endif  // PRECEDENT_TESTS_UNIT_AWS_PREPARE_SUPPORT_H_
