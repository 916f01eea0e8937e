/* The policy of the tests in C. */
#ifndef PRECEDENT_TESTS_UNIT_C_POLICY_H_
#define PRECEDENT_TESTS_UNIT_C_POLICY_H_

#include <stdlib.h>

#include "precedent/c.h"

static const char policy_text[] =
    "name: \"tested\"\n"
    "generation: 7\n"
    "stages {\n"
    "  mode: FIRST_MATCH\n"
    "  rules { id: \"production\" when { environment { in: \"production\" } } set: 1000 }\n"
    "  rules { id: \"everyone-else\" set: 500 }\n"
    "}\n"
    "stages {\n"
    "  rules { id: \"team\" when { team { in: \"search\" } } add: 7 }\n"
    "  rules { id: \"large\" when { gpu_count { above: 4 } } add: -50 }\n"
    "  rules { id: \"kind\" when { kind { in: \"Job\" } } add: 3 }\n"
    "  rules { id: \"tier\" when { labels { key: \"tier\" value { in: \"gold\" } } } add: 20 }\n"
    "  rules { id: \"share\" add_scaled { metric: \"fair_share\" points: 100 } }\n"
    "  rules { id: \"failures\" add_scaled { of: FAILURE_COUNT points: -10 } }\n"
    "  rules { id: \"again\" when { lineage { retry_of_preempted: true } } add: 5 }\n"
    "  rules { id: \"consent\" when { preemptible: true } set: 1 }\n"
    "  rules { id: \"aging\" add_scaled { of: WAIT_SECONDS points: 1 per: 60 max: 30 } order_only: true }\n"
    "  rules { id: \"no\" when { user { in: \"mallory\" } } deny: \"not you\" }\n"
    "}\n"
    "priority_classes { name: \"high\" at_least: 800 }\n"
    "priority_classes { name: \"low\" at_least: 0 }\n"
    "fallback { priority: 42 }\n";

/* One that looks at no list, as most do: the library then takes a shorter way. */
static const char plain_text[] =
    "stages {\n"
    "  mode: FIRST_MATCH\n"
    "  rules { id: \"production\" when { environment { in: \"production\" } } set: 1000 }\n"
    "  rules { id: \"everyone-else\" set: 500 }\n"
    "}\n"
    "stages {\n"
    "  rules { id: \"team\" when { team { in: \"search\" } } add: 7 }\n"
    "  rules { id: \"kind\" when { kind { in: \"Job\" } } add: 3 }\n"
    "  rules { id: \"large\" when { gpu_count { above: 4 } } add: -50 }\n"
    "  rules { id: \"consent\" when { preemptible: true } set: 1 }\n"
    "  rules { id: \"aging\" add_scaled { of: WAIT_SECONDS points: 1 per: 60 max: 30 } order_only: true }\n"
    "  rules { id: \"no\" when { user { in: \"mallory\" } } deny: \"not you\" }\n"
    "}\n"
    "fallback { priority: 42 }\n";

static precedent_policy *load_text(const char *text) {
  precedent_policy *policy;
  char *issues;
  if (precedent_policy_load(text, strlen(text), &policy, &issues) != PRECEDENT_OK) {
    printf("%s", issues);
    exit(1);
  }
  precedent_free(issues);
  return policy;
}

static precedent_policy *load_policy(void) { return load_text(policy_text); }
static precedent_policy *load_plain_policy(void) { return load_text(plain_text); }

#endif /* PRECEDENT_TESTS_UNIT_C_POLICY_H_ */
