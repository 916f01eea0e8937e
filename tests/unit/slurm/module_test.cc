// examples/slurm/module.cc in a Lua 5.1 of this process.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <limits>
#include <lua.hpp>
#include <memory>
#include <random>
#include <string>

extern "C" int luaopen_precedent(lua_State* lua);

namespace precedent::slurm {
namespace {

struct Close {
  void operator()(lua_State* lua) const { lua_close(lua); }
};
using State = std::unique_ptr<lua_State, Close>;

State NewState() {
  State lua(luaL_newstate());
  luaL_openlibs(lua.get());
  luaopen_precedent(lua.get());
  lua_setglobal(lua.get(), "precedent");
  return lua;
}

// The text of what `code` returns; `error: ...` where Lua raises one.
std::string Answer(lua_State* lua, const std::string& code) {
  lua_settop(lua, 0);
  if (luaL_loadstring(lua, code.c_str()) != 0 || lua_pcall(lua, 0, 1, 0) != 0) {
    return std::string("error: ") + lua_tostring(lua, -1);
  }
  const char* const text = lua_tostring(lua, -1);
  return text == nullptr ? luaL_typename(lua, -1) : text;
}

class ModuleTest : public testing::Test {
 protected:
  void SetUp() override {
    path_ = testing::TempDir() + "precedent-slurm-" + std::to_string(::getpid()) + ".txtpb";
    std::ofstream(path_) << R"(stages {
        rules { id: "base" set: 500 }
        rules { id: "gpus" add_scaled { of: GPU_COUNT points: -1 } }
        rules { id: "vision" when { team { in: "vision" } } add: 20 } }
      bounds { min: 0 max: 9999 })";
  }
  void TearDown() override { std::remove(path_.c_str()); }
  std::string Open() const { return "return tostring(precedent.open('" + path_ + "', 7))"; }

  std::string path_;
};

TEST_F(ModuleTest, ThePolicyOutlivesTheStatesOfLua) {
  State first = NewState();
  EXPECT_EQ(Answer(first.get(), Open()), "true");
  State second = NewState();
  const char* const derive = "return precedent.derive({account = 'vision'}).priority";
  EXPECT_EQ(Answer(second.get(), derive), "520");
  first.reset();
  EXPECT_EQ(Answer(second.get(), derive), "520");
  EXPECT_EQ(Answer(second.get(), Open()), "true");
  EXPECT_EQ(Answer(second.get(), derive), "520");
}

TEST_F(ModuleTest, WrongArgumentsAreNoErrors) {
  State lua = NewState();
  Answer(lua.get(), Open());
  for (const char* code : {"precedent.open()", "precedent.open({})", "precedent.derive()",
                           "precedent.derive(1)", "precedent.derive('x')"}) {
    EXPECT_EQ(Answer(lua.get(), std::string("return (") + code + ")"), "nil") << code;
  }
  EXPECT_EQ(Answer(lua.get(), "return precedent.failures({})"), "0");
  EXPECT_EQ(Answer(lua.get(), "return precedent.failures('precedent: 1 failures=3')"), "3");
  EXPECT_EQ(Answer(lua.get(), "return precedent.failures('precedent: 1 failures=-3 failures=1e9')"),
            "0");
}

TEST_F(ModuleTest, WhateverATableHolds) {
  State lua = NewState();
  Answer(lua.get(), Open());
  const char* const keys[] = {"name",          "account",         "partition",     "qos",
                              "comment",       "admin_comment",   "user_name",     "tres_per_job",
                              "tres_per_node", "tres_per_socket", "tres_per_task", "min_nodes",
                              "num_tasks",     "time_limit",      "submit_time",   "failures",
                              "restart_cnt",   "requeue",         "preempted",     "lost"};
  const std::string texts[] = {"",
                               "vision",
                               std::string("\0\xFF\x80", 3),
                               "gpu:2",
                               "gres:gpu:a100:4,gpu=1",
                               "gpu:a:b:c",
                               "environment=x dataset-bytes=1e308 preemptible=true,=,a=",
                               "precedent: gpus=1e300 failures=99",
                               "precedent:precedent: gpus=-1 failures=999999999999999999999",
                               std::string(100000, 'x'),
                               "gpu:" + std::string(1000, 'a') + ":1"};
  const double numbers[] = {0,
                            -1,
                            1e308,
                            std::numeric_limits<double>::quiet_NaN(),
                            std::numeric_limits<double>::infinity(),
                            4294967294.0,
                            65534,
                            3,
                            0.5};
  std::mt19937 random(3);
  for (int i = 0; i < 5000; ++i) {
    lua_State* const l = lua.get();
    lua_settop(l, 0);
    lua_getglobal(l, "precedent");
    lua_getfield(l, -1, "derive");
    lua_newtable(l);
    for (const char* key : keys) {
      switch (random() % 8) {
        case 0:
        case 1:
        case 2: {
          const std::string& text = texts[random() % std::size(texts)];
          lua_pushlstring(l, text.data(), text.size());
          break;
        }
        case 3:
        case 4:
          lua_pushnumber(l, numbers[random() % std::size(numbers)]);
          break;
        case 5:
          lua_newtable(l);
          break;
        case 6:
          lua_pushboolean(l, static_cast<int>(random() % 2));
          break;
        default:
          continue;
      }
      lua_setfield(l, -2, key);
    }
    lua_pushnumber(l, 1);
    lua_rawseti(l, -2, 1);  // a key that is no text
    ASSERT_EQ(lua_pcall(l, 1, 1, 0), 0) << lua_tostring(l, -1);
    ASSERT_TRUE(lua_istable(l, -1));
    lua_getfield(l, -1, "priority");
    const double priority = lua_tonumber(l, -1);
    EXPECT_TRUE(priority >= 0 && priority <= 520) << priority;
  }
}

}  // namespace
}  // namespace precedent::slurm
