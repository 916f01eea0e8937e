// A Lua state and the object by which a script sees a job. Compiled once for LuaJIT and
// once for Lua 5.4.
//
// As Slurm does it: the job is an empty table made for each call, whose metatable has a
// C function that finds a field by its name.
#include "bench/rivals/lua_module.h"

#include <cstring>
#include <lua.hpp>

namespace precedent::bench {
namespace {

void PushText(lua_State* lua, const std::string& text) {
  lua_pushlstring(lua, text.data(), text.size());
}

int PushField(lua_State* lua, const Job& job, const char* name) {
  if (std::strcmp(name, "team") == 0) {
    PushText(lua, job.team);
  } else if (std::strcmp(name, "namespace") == 0) {
    PushText(lua, job.name_space);
  } else if (std::strcmp(name, "workload") == 0) {
    PushText(lua, job.workload);
  } else if (std::strcmp(name, "environment") == 0) {
    PushText(lua, job.environment);
  } else if (std::strcmp(name, "gpus") == 0) {
    lua_pushnumber(lua, static_cast<lua_Number>(job.gpus));
  } else if (std::strcmp(name, "dataset") == 0) {
    lua_pushnumber(lua, static_cast<lua_Number>(job.dataset_gb));
  } else if (std::strcmp(name, "failures") == 0) {
    lua_pushnumber(lua, static_cast<lua_Number>(job.failures));
  } else if (std::strcmp(name, "preemptible") == 0) {
    lua_pushboolean(lua, job.preemptible);
  } else if (std::strcmp(name, "labels") == 0) {
    lua_createtable(lua, 0, static_cast<int>(job.labels.size()));
    for (const auto& [key, value] : job.labels) {
      PushText(lua, value);
      lua_setfield(lua, -2, key.c_str());
    }
  } else {
    lua_pushnil(lua);
  }
  return 1;
}

int Index(lua_State* lua) {
  const char* name = luaL_checkstring(lua, 2);
  lua_getmetatable(lua, 1);
  lua_getfield(lua, -1, "_job");
  return PushField(lua, *static_cast<const Job*>(lua_touserdata(lua, -1)), name);
}

void PushJob(lua_State* lua, const Job& job) {
  lua_newtable(lua);
  lua_newtable(lua);
  lua_pushcfunction(lua, Index);
  lua_setfield(lua, -2, "__index");
  lua_pushlightuserdata(lua, const_cast<Job*>(&job));
  lua_setfield(lua, -2, "_job");
  lua_setmetatable(lua, -2);
}

class Script : public Contender {
 public:
  explicit Script(const std::vector<Job>& jobs) : jobs_(jobs), lua_(luaL_newstate()) {}
  ~Script() override { lua_close(lua_); }

  std::string Load(const std::string& script) {
    luaL_openlibs(lua_);
    if (luaL_loadbuffer(lua_, script.data(), script.size(), "policy") == 0 &&
        lua_pcall(lua_, 0, 0, 0) == 0)
      return "";
    return lua_tostring(lua_, -1);
  }

  void Run(std::size_t begin, std::size_t end, std::int32_t* priorities) override {
    for (std::size_t i = begin; i < end; ++i) {
      lua_getglobal(lua_, "decide");
      PushJob(lua_, jobs_[i]);
      // A script that fails decides what no policy does, and the check tells.
      *priorities++ = lua_pcall(lua_, 1, 1, 0) == 0
                          ? static_cast<std::int32_t>(lua_tonumber(lua_, -1))
                          : -1'000'000'000;
      lua_pop(lua_, 1);
    }
  }

 private:
  const std::vector<Job>& jobs_;
  lua_State* lua_;
};

}  // namespace

extern "C" Contender* precedent_bench_make_lua(const std::string& script,
                                               const std::vector<Job>& jobs, std::string* error) {
  auto result = std::make_unique<Script>(jobs);
  *error = result->Load(script);
  return error->empty() ? result.release() : nullptr;
}

}  // namespace precedent::bench
