#include "console/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "console/session_config.h"
#include "tests/support/temporary_folder.h"

namespace sonde {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;

constexpr std::array<const char*, 1> kNoEnvironment = {nullptr};

// What `text` as sonde.toml makes of the defaults.
Status Apply(const std::string& text, SessionOptions& options,
             const char* const* environment = kNoEnvironment.data()) {
  const TemporaryFolder folder;
  options.config_file = folder.Write("sonde.toml", text);
  return ApplyConfiguration(environment, options);
}

Error ErrorOf(const std::string& text) {
  SessionOptions options;
  const Status status = Apply(text, options);
  EXPECT_FALSE(status.ok()) << text;
  return status.ok() ? Error{} : status.error();
}

TEST(Config, TheFileGoesOverTheCodeAndTheEnvironmentOverTheFile) {
  SessionOptions options;
  options.sampler.hz = 10;
  options.snapshots.keep = 3;
  const std::array<const char*, 4> environment = {"SONDE_SAMPLER_HZ=500", "HOME=/root",
                                                  "SONDE_SNAPSHOTS_FULL_PATHS=false", nullptr};

  const Status status =
      Apply("[sampler]\nhz = 200\ncatch_all = \"off\"\n[snapshots]\ninterval_seconds = 2.5\n",
            options, environment.data());

  ASSERT_TRUE(status.ok()) << Describe(status.error());
  EXPECT_EQ(options.sampler.hz, 500);
  EXPECT_EQ(options.sampler.catch_all, CatchAll::kOff);
  EXPECT_EQ(options.snapshots.interval, milliseconds(2500));
  EXPECT_EQ(options.snapshots.keep, 3U);
  EXPECT_FALSE(options.snapshots.full_paths);
  EXPECT_TRUE(options.snapshots.function_names);
}

TEST(Config, AnUnknownKeyIsAnErrorThatNamesFileLineAndKey) {
  const Error error = ErrorOf("[sampler]\nhz = 99\nrate = 99\n");

  EXPECT_EQ(error.code, ErrorCode::kUsage);
  EXPECT_EQ(error.line, 3U);
  EXPECT_THAT(error.file, HasSubstr("sonde.toml"));
  EXPECT_EQ(error.message, "unknown key 'sampler.rate'");
}

TEST(Config, AnUnknownSectionIsAnError) {
  const Error error = ErrorOf("\n[sampeler]\nhz = 99\n");

  EXPECT_EQ(error.line, 2U);
  EXPECT_EQ(error.message, "unknown section 'sampeler'");
  EXPECT_EQ(ErrorOf("sampler = 1\n").message, "key 'sampler' stands in no section");
  EXPECT_EQ(ErrorOf("hz = 9\n").message,
            "key 'hz' stands in no section, it belongs into [sampler]");
}

TEST(Config, AWrongTypeAndAValueOutOfRangeSayWhatIsExpected) {
  EXPECT_EQ(ErrorOf("[sampler]\nhz = \"99\"\n").message,
            "key 'sampler.hz' must be a whole number from 1 to 10000");
  EXPECT_EQ(ErrorOf("[sampler]\nhz = 0\n").message,
            "key 'sampler.hz' must be a whole number from 1 to 10000");
  EXPECT_EQ(ErrorOf("[sampler]\ncatch_all = \"maybe\"\n").message,
            "key 'sampler.catch_all' must be one of auto, on, off");
  EXPECT_EQ(ErrorOf("[snapshots]\nfull_paths = 1\n").message,
            "key 'snapshots.full_paths' must be true or false");
  EXPECT_EQ(ErrorOf("[snapshots]\ninterval_seconds = nan\n").message,
            "key 'snapshots.interval_seconds' must be seconds from 0.05 to 86400");
}

TEST(Config, WhatIsNotTomlIsMalformedAtItsLine) {
  const Error error = ErrorOf("[sampler]\nhz = = 1\n");

  EXPECT_EQ(error.code, ErrorCode::kMalformed);
  EXPECT_EQ(error.line, 2U);
}

TEST(Config, AFaultyVariableIsNamed) {
  SessionOptions options;
  const auto message = [&](const char* variable) {
    const std::array<const char*, 2> environment = {variable, nullptr};
    const Status status = Apply("", options, environment.data());
    return status.ok() ? std::string("ok") : Describe(status.error());
  };

  EXPECT_EQ(message("SONDE_SAMPLER_HZ=99x"),
            "environment: SONDE_SAMPLER_HZ must be a whole number from 1 to 10000");
  EXPECT_EQ(message("SONDE_SAMPLER_HERTZ=99"),
            "environment: SONDE_SAMPLER_HERTZ is not a known key");
  EXPECT_EQ(message("SONDE_SOMETHING_ELSE=1"), "ok");
}

TEST(Config, TheUnwinderHasAShortName) {
  SessionOptions options;
  const std::array<const char*, 2> environment = {"SONDE_UNWINDER=deferred", nullptr};
  EXPECT_TRUE(Apply("", options, environment.data()).ok());
  EXPECT_EQ(options.sampler.unwinder, Unwinder::kDeferred);
}

TEST(Config, WallClockTimeHasAShortName) {
  SessionOptions options;
  const std::array<const char*, 2> environment = {"SONDE_WALL=1", nullptr};
  EXPECT_TRUE(Apply("[sampler]\nwall_hz = 50\n", options, environment.data()).ok());
  EXPECT_TRUE(options.wall);
  EXPECT_EQ(options.sampler.wall_hz, 50);
}

TEST(Config, ANamedFileMustBeThereAndTheOneInTheDirectoryMayBe) {
  SessionOptions options;
  options.config_file = "/nonexistent/sonde.toml";
  EXPECT_EQ(ApplyConfiguration(kNoEnvironment.data(), options).error().code, ErrorCode::kNotFound);

  const TemporaryFolder folder;
  SessionOptions implicit;
  implicit.directory = folder.path();
  EXPECT_TRUE(ApplyConfiguration(kNoEnvironment.data(), implicit).ok());
  folder.Write("sonde.toml", "[sampler]\nhz = 7\n");
  EXPECT_TRUE(ApplyConfiguration(kNoEnvironment.data(), implicit).ok());
  EXPECT_EQ(implicit.sampler.hz, 7);
}

TEST(Config, OptionsSetInCodeAreCheckedToo) {
  SessionOptions options;
  options.snapshots.interval = milliseconds(1);
  EXPECT_EQ(ApplyConfiguration(kNoEnvironment.data(), options).error().code, ErrorCode::kUsage);
}

}  // namespace
}  // namespace sonde
