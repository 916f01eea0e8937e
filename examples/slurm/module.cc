// The Lua module `precedent`, for Slurm's job_submit/lua.
//
//   local precedent = require("precedent")
//   local ok, message = precedent.open("/etc/slurm/policy.txtpb", 500)
//   local decision = precedent.derive({name = ..., account = ..., ...})
//
// Needs the C API of Lua 5.1 from the program that loads it (Lua 5.1 or LuaJIT) and links
// none. Slurm makes a new Lua state whenever its script changes while this file stays
// loaded: the policy belongs to the process and not to a state. No Lua error is raised, no
// exception leaves. Slurm calls its plugin under a lock; the module has one of its own.
#include <chrono>
#include <exception>
#include <lua.hpp>
#include <memory>
#include <mutex>
#include <string>

#include "examples/slurm/job.h"
#include "precedent/live_evaluator.h"
#include "precedent/policy_file.h"

namespace precedent::slurm {
namespace {

using SteadyClock = std::chrono::steady_clock;

struct Policy {
  Policy(const std::string& from, std::int32_t fallback)
      : path(from), fallback_priority(fallback), live(Fallback{fallback, ""}) {
    PolicyFileOptions options;
    options.settle = std::chrono::milliseconds(0);
    options.allow_older_generation = true;
    file = std::make_unique<PolicyFile>(path, &live, options);
  }
  // What is to be logged, once: empty where nothing changed.
  std::string Look() {
    const SteadyClock::time_point now = SteadyClock::now();
    if (looked && now - last < std::chrono::seconds(1)) return "";
    const PolicyFileStatus status = looked ? file->Check(now) : file->Load();
    looked = true;
    last = now;
    std::string said = status.message;
    for (const Issue& issue : status.issues) {
      if (issue.severity == Severity::kError) said += "; " + issue.path + ": " + issue.message;
    }
    if (said == message) return "";
    message = said;
    return said;
  }

  const std::string path;
  const std::int32_t fallback_priority;
  LiveEvaluator live;
  std::unique_ptr<PolicyFile> file;
  bool looked = false;
  SteadyClock::time_point last;
  std::string message;
};

// Never destroyed: a state that closes after them may still call.
std::mutex& Lock() {
  static auto* const lock = new std::mutex;
  return *lock;
}
std::unique_ptr<Policy>& ThePolicy() {
  static auto* const policy = new std::unique_ptr<Policy>;
  return *policy;
}

int Failed(lua_State* lua, const char* why) {
  lua_settop(lua, 0);
  lua_pushnil(lua);
  lua_pushstring(lua, why);
  return 2;
}

// open(path, fallback priority): the policy file to follow. Again with the same two it
// does nothing. Returns true and what there is to log, or nil and why not.
int Open(lua_State* lua) try {
  if (lua_type(lua, 1) != LUA_TSTRING) return Failed(lua, "open: wants the policy's path");
  const std::string path = lua_tostring(lua, 1);
  const auto fallback =
      lua_type(lua, 2) == LUA_TNUMBER ? static_cast<std::int32_t>(lua_tonumber(lua, 2)) : 500;
  std::string said;
  {
    const std::lock_guard<std::mutex> hold(Lock());
    auto& policy = ThePolicy();
    if (policy == nullptr || policy->path != path || policy->fallback_priority != fallback) {
      policy = std::make_unique<Policy>(path, fallback);
    }
    said = policy->Look();
  }
  lua_settop(lua, 0);
  lua_pushboolean(lua, 1);
  lua_pushlstring(lua, said.data(), said.size());
  return 2;
} catch (const std::exception& e) {
  return Failed(lua, e.what());
}

// The table's texts and numbers; the rest is not for us. Keys are not converted: that
// would confuse lua_next.
SlurmJob ReadJob(lua_State* lua, int table) {
  SlurmJob job;
  for (lua_pushnil(lua); lua_next(lua, table) != 0; lua_pop(lua, 1)) {
    if (lua_type(lua, -2) != LUA_TSTRING) continue;
    const char* const key = lua_tostring(lua, -2);
    if (lua_type(lua, -1) == LUA_TSTRING) {
      std::size_t size = 0;
      const char* const text = lua_tolstring(lua, -1, &size);
      job.texts[key] = std::string(text, size);
    } else if (lua_type(lua, -1) == LUA_TNUMBER) {
      job.numbers[key] = lua_tonumber(lua, -1);
    } else if (lua_type(lua, -1) == LUA_TBOOLEAN) {
      job.numbers[key] = lua_toboolean(lua, -1);
    }
  }
  return job;
}

void SetText(lua_State* lua, const char* key, std::string_view text) {
  lua_pushlstring(lua, text.data(), text.size());
  lua_setfield(lua, -2, key);
}

// derive(job): a table with priority, note, preemptible, reason, priority_class, denial
// (where the policy denies), warning (what could not be read) and log (what happened to
// the policy); or nil and why not.
int Derive(lua_State* lua) try {
  if (lua_type(lua, 1) != LUA_TTABLE) return Failed(lua, "derive: wants a table");
  const std::lock_guard<std::mutex> hold(Lock());
  Policy* const policy = ThePolicy().get();
  if (policy == nullptr) return Failed(lua, "derive: call open with a policy first");
  const std::string log = policy->Look();
  const TimePoint now =
      std::chrono::time_point_cast<std::chrono::microseconds>(std::chrono::system_clock::now());
  const Description description(ReadJob(lua, 1));
  const auto guard = policy->live.read();
  const Decision decision = guard.Evaluate(description.descriptor(), now);
  const std::string note = description.Note(guard.evaluator(), decision, now);
  lua_settop(lua, 0);
  lua_createtable(lua, 0, 8);
  lua_pushnumber(lua, decision.priority);
  lua_setfield(lua, -2, "priority");
  lua_pushboolean(lua, decision.preemptible);
  lua_setfield(lua, -2, "preemptible");
  lua_pushnumber(lua, static_cast<double>(description.descriptor().lineage.failure_count));
  lua_setfield(lua, -2, "failures");
  SetText(lua, "note", note);
  SetText(lua, "reason", ReasonName(decision.reason));
  SetText(lua, "priority_class", decision.priority_class);
  if (decision.verdict == Verdict::kDeny) SetText(lua, "denial", decision.denial);
  if (!description.error().empty()) SetText(lua, "warning", description.error());
  if (!log.empty()) SetText(lua, "log", log);
  return 1;
} catch (const std::exception& e) {
  return Failed(lua, e.what());
}

// failures(admin_comment): how many failures a job's record has.
int Failures(lua_State* lua) try {
  const char* const text = lua_type(lua, 1) == LUA_TSTRING ? lua_tostring(lua, 1) : "";
  lua_pushnumber(lua, static_cast<double>(ParseRecord(text).failures));
  return 1;
} catch (const std::exception& e) {
  return Failed(lua, e.what());
}

}  // namespace
}  // namespace precedent::slurm

extern "C" __attribute__((visibility("default"))) int luaopen_precedent(lua_State* lua) {
  lua_createtable(lua, 0, 3);
  lua_pushcfunction(lua, precedent::slurm::Open);
  lua_setfield(lua, -2, "open");
  lua_pushcfunction(lua, precedent::slurm::Derive);
  lua_setfield(lua, -2, "derive");
  lua_pushcfunction(lua, precedent::slurm::Failures);
  lua_setfield(lua, -2, "failures");
  return 1;
}
