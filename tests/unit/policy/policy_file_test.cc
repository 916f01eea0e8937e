// A policy file and everything that happens to files.
#include "precedent/policy_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "tests/unit/policies.h"

namespace precedent {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string Policy(int priority, int generation = 0) {
  return "generation: " + std::to_string(generation) + "\nstages { rules { id: 'r' set: " +
         std::to_string(priority) + " } }\n";
}

class PolicyFileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "precedent-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
    path_ = folder_ / "policy.txtpb";
    options_.on_status = [this](const PolicyFileStatus& status) { reports_.push_back(status); };
  }
  void TearDown() override { fs::remove_all(folder_); }

  static void Write(const fs::path& path, std::string_view text) {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
  }
  // What jobs get now.
  std::int32_t Priority() {
    const LiveEvaluator::Guard guard = live_.read();
    return guard.Evaluate(JobDescriptor(), testing::At(0)).priority;
  }
  PolicyFileState CheckAfter(PolicyFile& file, milliseconds wait) {
    now_ += wait;
    return file.Check(now_).state;
  }
  // Seen, and seen again when it has settled.
  PolicyFileState CheckTwice(PolicyFile& file) {
    CheckAfter(file, milliseconds(1000));
    return CheckAfter(file, milliseconds(200));
  }

  fs::path folder_, path_;
  LiveEvaluator live_{Fallback{77, ""}};
  PolicyFileOptions options_;
  std::vector<PolicyFileStatus> reports_;
  std::chrono::steady_clock::time_point now_{std::chrono::hours(1)};
};

TEST_F(PolicyFileTest, LoadsAtOnce) {
  Write(path_, Policy(5, 3));
  PolicyFile file(path_, &live_, options_);
  EXPECT_EQ(file.status().state, PolicyFileState::kNotLoaded);
  EXPECT_EQ(Priority(), 77);
  const PolicyFileStatus status = file.Load();
  EXPECT_EQ(status.state, PolicyFileState::kLive) << status.message;
  EXPECT_THAT(status.message, StartsWith(path_.string() + ": is live: generation 3, "));
  EXPECT_EQ(status.generation, 3);
  const LiveEvaluator::Guard guard = live_.read();
  ASSERT_NE(guard.evaluator(), nullptr);
  EXPECT_EQ(status.fingerprint, guard.evaluator()->fingerprint());
  EXPECT_EQ(status.published, 1u);
  EXPECT_EQ(status.failures, 0u);
  EXPECT_EQ(Priority(), 5);
  ASSERT_EQ(reports_.size(), 1u);
  EXPECT_EQ(reports_[0].message, status.message);
}

TEST_F(PolicyFileTest, SameBytesAreNoReload) {
  Write(path_, Policy(5));
  PolicyFile file(path_, &live_, options_);
  file.Load();
  file.Load();
  Write(path_, Policy(5));
  EXPECT_EQ(CheckTwice(file), PolicyFileState::kLive);
  fs::last_write_time(path_, fs::file_time_type::clock::now() + std::chrono::hours(5));
  EXPECT_EQ(CheckTwice(file), PolicyFileState::kLive);
  fs::remove(path_);
  Write(path_, Policy(5));
  EXPECT_EQ(CheckTwice(file), PolicyFileState::kLive);
  EXPECT_EQ(live_.counts().published, 1u);
  EXPECT_EQ(reports_.size(), 1u) << "nothing happened worth a word";
}

TEST_F(PolicyFileTest, SameSizeAndTimesButOtherBytes) {
  Write(path_, Policy(5));
  const auto time = fs::last_write_time(path_);
  PolicyFile file(path_, &live_, options_);
  file.Load();
  Write(path_, Policy(6));
  fs::last_write_time(path_, time);
  EXPECT_EQ(CheckTwice(file), PolicyFileState::kLive);
  EXPECT_EQ(Priority(), 6);
}

TEST_F(PolicyFileTest, RenameOver) {
  Write(path_, Policy(5));
  PolicyFile file(path_, &live_, options_);
  file.Load();
  Write(folder_ / "new", Policy(6));
  fs::rename(folder_ / "new", path_);
  EXPECT_EQ(CheckTwice(file), PolicyFileState::kLive);
  EXPECT_EQ(Priority(), 6);
  EXPECT_EQ(file.status().published, 2u);
}

TEST_F(PolicyFileTest, UnlinkIsNotAnEmptyPolicyAndCreateIsAReload) {
  Write(path_, Policy(5));
  PolicyFile file(path_, &live_, options_);
  file.Load();
  fs::remove(path_);
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(CheckAfter(file, milliseconds(1000)), PolicyFileState::kUnreadable);
    EXPECT_EQ(Priority(), 5);
  }
  EXPECT_EQ(reports_.size(), 2u) << "one word is enough";
  EXPECT_EQ(file.status().failures, 1u);
  EXPECT_THAT(file.status().message,
              HasSubstr("cannot be read: no such file or directory; the live policy stays"));
  Write(path_, Policy(6));
  EXPECT_EQ(CheckTwice(file), PolicyFileState::kLive);
  EXPECT_EQ(Priority(), 6);
}

TEST_F(PolicyFileTest, ComesBackAsItWas) {
  Write(path_, Policy(5));
  PolicyFile file(path_, &live_, options_);
  file.Load();
  fs::rename(path_, folder_ / "away");
  EXPECT_EQ(CheckAfter(file, milliseconds(1000)), PolicyFileState::kUnreadable);
  fs::rename(folder_ / "away", path_);
  EXPECT_EQ(CheckAfter(file, milliseconds(1000)), PolicyFileState::kLive);
  EXPECT_EQ(live_.counts().published, 1u);
  ASSERT_EQ(reports_.size(), 3u);
  EXPECT_EQ(reports_.back().state, PolicyFileState::kLive);
}

TEST_F(PolicyFileTest, MissingFromTheStart) {
  PolicyFile file(path_, &live_, options_);
  EXPECT_EQ(file.Load().state, PolicyFileState::kUnreadable);
  EXPECT_THAT(file.status().message, HasSubstr("; no policy is live"));
  EXPECT_EQ(Priority(), 77);
  EXPECT_EQ(live_.read().fallback().reason, Reason::kFallbackNoPolicy);
}

// A mounted ConfigMap: policy.txtpb -> ..data/policy.txtpb, ..data -> ..2026_1, and the
// second link is replaced by a rename.
TEST_F(PolicyFileTest, ConfigMapSwap) {
  for (const int n : {1, 2}) {
    fs::create_directory(folder_ / ("..2026_" + std::to_string(n)));
    Write(folder_ / ("..2026_" + std::to_string(n)) / "policy.txtpb", Policy(n));
  }
  fs::create_directory_symlink("..2026_1", folder_ / "..data");
  fs::create_symlink("..data/policy.txtpb", path_);
  PolicyFile file(path_, &live_, options_);
  EXPECT_EQ(file.Load().state, PolicyFileState::kLive);
  EXPECT_EQ(Priority(), 1);
  fs::create_directory_symlink("..2026_2", folder_ / "..data_tmp");
  fs::rename(folder_ / "..data_tmp", folder_ / "..data");
  fs::remove_all(folder_ / "..2026_1");
  EXPECT_EQ(CheckTwice(file), PolicyFileState::kLive);
  EXPECT_EQ(Priority(), 2);
}

TEST_F(PolicyFileTest, HalfWrittenFileIsNotTaken) {
  const std::string whole = Policy(6, 1) + "stages { rules { id: 'more' add: 100 } }\n";
  Write(path_, Policy(5));
  PolicyFile file(path_, &live_, options_);
  file.Load();
  // Every prefix, also those that are policies; each is seen once.
  for (std::size_t size = 0; size < whole.size(); ++size) {
    Write(path_, whole.substr(0, size));
    const PolicyFileState state = CheckAfter(file, milliseconds(1000));
    EXPECT_EQ(state, PolicyFileState::kChanging) << size;
    EXPECT_EQ(Priority(), 5);
  }
  Write(path_, whole);
  EXPECT_EQ(CheckAfter(file, milliseconds(1000)), PolicyFileState::kChanging);
  EXPECT_EQ(CheckAfter(file, milliseconds(199)), PolicyFileState::kChanging);
  EXPECT_EQ(CheckAfter(file, milliseconds(1)), PolicyFileState::kLive);
  EXPECT_EQ(Priority(), 106);
  // Told once when it began, and when it was done.
  ASSERT_EQ(reports_.size(), 3u);
  EXPECT_THAT(reports_[1].message, HasSubstr("may still be changing; the live policy stays"));
}

TEST_F(PolicyFileTest, ChangeThatIsTakenBackIsNone) {
  Write(path_, Policy(5));
  PolicyFile file(path_, &live_, options_);
  file.Load();
  Write(path_, Policy(6));
  EXPECT_EQ(CheckAfter(file, milliseconds(1000)), PolicyFileState::kChanging);
  Write(path_, Policy(5));
  EXPECT_EQ(CheckAfter(file, milliseconds(1000)), PolicyFileState::kLive);
  Write(path_, Policy(6));
  EXPECT_EQ(CheckAfter(file, milliseconds(1000)), PolicyFileState::kChanging) << "counts anew";
  EXPECT_EQ(live_.counts().published, 1u);
}

TEST_F(PolicyFileTest, SettleNothing) {
  options_.settle = milliseconds(0);
  Write(path_, Policy(5));
  PolicyFile file(path_, &live_, options_);
  EXPECT_EQ(CheckAfter(file, milliseconds(0)), PolicyFileState::kLive);
  Write(path_, Policy(6));
  EXPECT_EQ(CheckAfter(file, milliseconds(0)), PolicyFileState::kLive);
  EXPECT_EQ(Priority(), 6);
}

TEST_F(PolicyFileTest, InvalidContentKeepsTheOldPolicy) {
  Write(path_, Policy(5, 2));
  PolicyFile file(path_, &live_, options_);
  file.Load();
  Write(path_,
        "stages {\n  rules { id: 'a' sett: 5 }\n  rules { id: 'a' add_scaled { per: 0 } }\n}\n");
  EXPECT_EQ(CheckTwice(file), PolicyFileState::kInvalid);
  EXPECT_EQ(Priority(), 5);
  const PolicyFileStatus status = file.status();
  EXPECT_TRUE(HasErrors(status.issues));
  EXPECT_THAT(status.message, StartsWith(path_.string() + ": does not compile"));
  EXPECT_THAT(status.message, HasSubstr("2:"));
  EXPECT_THAT(status.message, HasSubstr("; the live policy stays (generation 2)"));
  EXPECT_EQ(status.message.find('\n'), std::string::npos);
  EXPECT_EQ(status.generation, 2) << "of what is live";
  const std::size_t reports = reports_.size();
  EXPECT_EQ(CheckTwice(file), PolicyFileState::kInvalid);
  EXPECT_EQ(reports_.size(), reports);
  Write(path_, Policy(6, 2));
  EXPECT_EQ(CheckTwice(file), PolicyFileState::kLive);
  EXPECT_EQ(Priority(), 6);
}

TEST_F(PolicyFileTest, EmptyIsNoPolicy) {
  Write(path_, Policy(5));
  PolicyFile file(path_, &live_, options_);
  file.Load();
  Write(path_, "");
  EXPECT_EQ(CheckTwice(file), PolicyFileState::kInvalid);
  EXPECT_THAT(file.status().message, HasSubstr("is empty"));
  // In binary no bytes are a policy without rules: not what a file cut off means.
  options_.compile.format = PolicyFormat::kBinary;
  PolicyFile binary(path_, &live_, options_);
  EXPECT_EQ(binary.Load().state, PolicyFileState::kInvalid);
  EXPECT_THAT(binary.status().message, HasSubstr("is empty"));
  EXPECT_EQ(Priority(), 5);
}

TEST_F(PolicyFileTest, WarningsTravel) {
  Write(path_, "stages { rules { id: 'far' set: 2000000 } }");
  PolicyFile file(path_, &live_, options_);
  const PolicyFileStatus status = file.Load();
  EXPECT_EQ(status.state, PolicyFileState::kLive);
  EXPECT_FALSE(status.issues.empty());
}

TEST_F(PolicyFileTest, StrictCompilationRefusesRegularExpressions) {
  options_.compile.require_lock_free = true;
  Write(path_, "stages { rules { id: 'r' when { team { regex: 'a.*b+' } } set: 1 } }");
  PolicyFile file(path_, &live_, options_);
  EXPECT_EQ(file.Load().state, PolicyFileState::kInvalid);
  EXPECT_EQ(Priority(), 77);
}

TEST_F(PolicyFileTest, GenerationDoesNotGoBack) {
  Write(path_, Policy(5, 8));
  PolicyFile file(path_, &live_, options_);
  file.Load();
  Write(path_, Policy(6, 7));
  EXPECT_EQ(CheckTwice(file), PolicyFileState::kOlderGeneration);
  EXPECT_EQ(Priority(), 5);
  EXPECT_THAT(file.status().message, HasSubstr("is of generation 7: "));
  EXPECT_THAT(file.status().message, HasSubstr("stays (generation 8)"));
  EXPECT_EQ(CheckTwice(file), PolicyFileState::kOlderGeneration) << "and is not asked again";
  EXPECT_EQ(live_.counts().refused_older, 1u);
  EXPECT_EQ(file.Load().state, PolicyFileState::kOlderGeneration);
  Write(path_, Policy(6, 8));
  EXPECT_EQ(CheckTwice(file), PolicyFileState::kLive);
}

TEST_F(PolicyFileTest, GenerationGoesBackWhenTold) {
  options_.allow_older_generation = true;
  Write(path_, Policy(5, 8));
  PolicyFile file(path_, &live_, options_);
  file.Load();
  Write(path_, Policy(6, 7));
  EXPECT_EQ(CheckTwice(file), PolicyFileState::kLive);
  EXPECT_EQ(Priority(), 6);
}

TEST_F(PolicyFileTest, TriesAgainWhenThereWasNoRoom) {
  LiveOptions few;
  few.max_retired = 1;
  LiveEvaluator live({}, few);
  Write(path_, Policy(1));
  PolicyFile file(path_, &live, options_);
  ASSERT_EQ(file.Load().state, PolicyFileState::kLive);
  std::vector<LiveEvaluator::Guard> guards;
  guards.push_back(live.read());
  Write(path_, Policy(2));
  ASSERT_EQ(file.Load().state, PolicyFileState::kLive);
  Write(path_, Policy(3));
  EXPECT_EQ(CheckTwice(file), PolicyFileState::kResourceExhausted);
  EXPECT_EQ(CheckAfter(file, milliseconds(1000)), PolicyFileState::kResourceExhausted);
  guards.clear();
  EXPECT_EQ(CheckAfter(file, milliseconds(1000)), PolicyFileState::kLive);
  const LiveEvaluator::Guard guard = live.read();
  EXPECT_EQ(guard.Evaluate(JobDescriptor(), testing::At(0)).priority, 3);
}

TEST_F(PolicyFileTest, RefusesWhatIsNoRegularFileWithoutWaiting) {
  ASSERT_EQ(mkfifo((folder_ / "fifo").c_str(), 0600), 0);
  fs::create_directory(folder_ / "folder");
  fs::create_symlink("loop", folder_ / "loop");
  const std::pair<fs::path, const char*> cases[] = {
      {folder_ / "fifo", "is not a regular file"},
      {"/dev/zero", "is not a regular file"},
      {folder_ / "folder", "is a directory: name the file in it"},
      {folder_ / "loop", "cannot be read: "},
      {folder_ / "folder" / "none", "cannot be read: no such file or directory"},
  };
  for (const auto& [path, message] : cases) {
    PolicyFile file(path, &live_, options_);
    EXPECT_EQ(file.Load().state, PolicyFileState::kUnreadable) << path;
    EXPECT_THAT(file.status().message, HasSubstr(message));
  }
}

TEST_F(PolicyFileTest, RefusesWhatIsTooLarge) {
  options_.compile.limits.policy_bytes = Policy(5).size();
  Write(path_, Policy(5));
  PolicyFile file(path_, &live_, options_);
  EXPECT_EQ(file.Load().state, PolicyFileState::kLive);
  Write(path_, Policy(5) + " ");
  EXPECT_EQ(CheckTwice(file), PolicyFileState::kUnreadable);
  EXPECT_THAT(file.status().message, HasSubstr("more than the limit of "));
  // A hole of a terabyte costs nothing either.
  ASSERT_EQ(truncate(path_.c_str(), off_t{1} << 40), 0);
  EXPECT_EQ(CheckTwice(file), PolicyFileState::kUnreadable);
  EXPECT_EQ(Priority(), 5);
}

TEST_F(PolicyFileTest, WatchesFromItsOwnThread) {
  std::atomic<int> reports{0};
  options_.on_status = [&](const PolicyFileStatus&) { ++reports; };
  options_.interval = milliseconds(5);
  options_.settle = milliseconds(5);
  Write(path_, Policy(1));
  PolicyFile file(path_, &live_, options_);
  ASSERT_EQ(file.Load().state, PolicyFileState::kLive);
  ASSERT_TRUE(file.Start());
  ASSERT_TRUE(file.Start()) << "runs already";
  for (int n = 2; n < 6; ++n) {
    Write(folder_ / "new", Policy(n));
    fs::rename(folder_ / "new", path_);
    while (Priority() != n) std::this_thread::sleep_for(milliseconds(1));
  }
  file.Stop();
  file.Stop();
  const int before = reports;
  EXPECT_GE(before, 5);
  Write(path_, Policy(9));
  std::this_thread::sleep_for(milliseconds(30));
  EXPECT_EQ(reports, before);
  EXPECT_EQ(Priority(), 5);
  ASSERT_TRUE(file.Start());
  while (Priority() != 9) std::this_thread::sleep_for(milliseconds(1));
  // Ends with the thread running.
}

TEST_F(PolicyFileTest, ManyWritersAndReadersAtOnce) {
  options_.on_status = nullptr;
  options_.settle = milliseconds(0);
  Write(path_, Policy(1));
  PolicyFile file(path_, &live_, options_);
  ASSERT_EQ(file.Load().state, PolicyFileState::kLive);
  std::atomic<bool> stop{false};
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 2; ++t)
    threads.emplace_back([&] {
      while (!stop) {
        const std::int32_t priority = Priority();
        if (priority < 1 || priority > 60) ++wrong;
        file.status();
      }
    });
  threads.emplace_back([&] {
    while (!stop) file.Check(std::chrono::steady_clock::now());
  });
  for (int n = 2; n <= 60; ++n) {
    Write(folder_ / "new", Policy(n));
    fs::rename(folder_ / "new", path_);
    file.Load();
  }
  stop = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(Priority(), 60);
}

TEST(PolicyFileStateName, Names) {
  EXPECT_EQ(PolicyFileStateName(PolicyFileState::kNotLoaded), "NOT_LOADED");
  EXPECT_EQ(PolicyFileStateName(PolicyFileState::kLive), "LIVE");
  EXPECT_EQ(PolicyFileStateName(PolicyFileState::kChanging), "CHANGING");
  EXPECT_EQ(PolicyFileStateName(PolicyFileState::kUnreadable), "UNREADABLE");
  EXPECT_EQ(PolicyFileStateName(PolicyFileState::kInvalid), "INVALID");
  EXPECT_EQ(PolicyFileStateName(PolicyFileState::kOlderGeneration), "OLDER_GENERATION");
  EXPECT_EQ(PolicyFileStateName(PolicyFileState::kResourceExhausted), "RESOURCE_EXHAUSTED");
}

}  // namespace
}  // namespace precedent
