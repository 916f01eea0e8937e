#include "bench/evaluate/report.h"

#include <ostream>
#include <string>

namespace precedent::bench {
namespace {

std::string NameOf(const Claim& claim) {
  if (!claim.text.empty()) return claim.text;
  return claim.figure.scenario + ": " + claim.figure.measurement + " against " +
         claim.against.measurement;
}

}  // namespace

// The names are our own: no character in them has to be escaped.
void JsonWithClaims::Finalize() {
  std::ostream& out = GetOutputStream();
  out << "\n  ],\n  \"claims\": [";
  const char* separator = "\n";
  for (const Claim& claim : Claims()) {
    const std::optional<double> value = ValueOf(claim, results_);
    if (!value) continue;
    out << separator << "    {\"claim\": \"" << NameOf(claim) << "\"";
    out << ", \"value\": " << *value;
    if (IsDemanded(claim))
      out << ", \"limit\": " << claim.limit
          << ", \"met\": " << (IsMet(claim, *value) ? "true" : "false");
    out << "}";
    separator = ",\n";
  }
  out << "\n  ]\n}\n";
}

}  // namespace precedent::bench
