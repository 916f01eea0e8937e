// Decisions as a table for people.
#ifndef PRECEDENT_SRC_CLI_TABLE_H_
#define PRECEDENT_SRC_CLI_TABLE_H_

#include <cstddef>
#include <string>
#include <vector>

#include "precedent/v1/decision.pb.h"

namespace precedent::cli {

// One row for each decision, in order, and below it, indented, what a person should
// read: denial, warnings and remarks. Lines are at most `width` code points long, as
// far as names that must not be cut allow; `width` is taken as 80 at least.
std::string FormatTable(const std::vector<v1::Decision>& decisions, std::size_t width);

// The columns of the terminal that standard output is, between 80 and 200; 120 where
// it is none.
std::size_t TerminalWidth();

}  // namespace precedent::cli

#endif  // PRECEDENT_SRC_CLI_TABLE_H_
