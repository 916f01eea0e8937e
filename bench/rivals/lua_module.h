// The one function of a library that holds a Lua.
#ifndef PRECEDENT_BENCH_RIVALS_LUA_MODULE_H_
#define PRECEDENT_BENCH_RIVALS_LUA_MODULE_H_

#include <string>
#include <vector>

#include "bench/rivals/rival.h"

namespace precedent::bench {

// Runs `script`, which defines `decide(job)`. Null, and why in `*error`, where it fails.
// `jobs` must outlive the result.
using MakeLua = Contender*(const std::string& script, const std::vector<Job>& jobs,
                           std::string* error);
inline constexpr char kMakeLuaName[] = "precedent_bench_make_lua";

}  // namespace precedent::bench

#endif  // PRECEDENT_BENCH_RIVALS_LUA_MODULE_H_
