#include "sampler/snapshot_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <thread>

#include "sonde/snapshot_catalog.h"
#include "tests/support/temporary_folder.h"

namespace sonde {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using ::testing::HasSubstr;

// Hands out intervals that hold `weight` periods each, and counts them.
class Source {
 public:
  explicit Source(std::uint64_t weight = 10) : weight_(weight) {}

  Interval Take() {
    taken_ += weight_;
    Interval interval;
    interval.period_ns = 10'000'000;
    interval.threads = {{1, "main"}};
    interval.label_sets = {{}};
    IntervalSample sample;
    sample.frames = {{0x1000, RawFrame::kNoModule}};
    sample.weight = weight_;
    sample.signals = weight_;
    interval.samples = {sample};
    interval.stats.taken = weight_;
    interval.stats.written = weight_;
    return interval;
  }

  SnapshotWriter::TakeInterval Function() {
    return [this] { return Take(); };
  }
  std::uint64_t taken() const { return taken_; }

 private:
  const std::uint64_t weight_;
  std::atomic<std::uint64_t> taken_{0};
};

SnapshotWriterOptions OptionsFor(std::string folder, milliseconds interval = hours(1)) {
  SnapshotWriterOptions options;
  options.folder = std::move(folder);
  options.interval = interval;
  return options;
}

TEST(SnapshotWriter, WritesOnRequestAndAtTheEnd) {
  const TemporaryFolder folder;
  Source source;
  SnapshotWriter writer(OptionsFor(folder.path()), source.Function());

  const auto now = writer.WriteNow();
  const auto last = writer.Finish(source.Function());

  ASSERT_TRUE(now.ok()) << Describe(now.error());
  ASSERT_TRUE(last.ok()) << Describe(last.error());
  EXPECT_TRUE(std::filesystem::exists(now.value()));
  EXPECT_NE(now.value(), last.value());
  EXPECT_EQ(SnapshotCatalog::Read(folder.path()).value().entries().size(), 2U);
}

TEST(SnapshotWriter, SamplesWrittenAndLostAreThoseTaken) {
  const TemporaryFolder folder;
  Source source(7);
  SnapshotWriterOptions options = OptionsFor(folder.path(), milliseconds(50));
  options.keep = 1'000;
  SnapshotWriter writer(options, source.Function());
  std::this_thread::sleep_for(milliseconds(220));
  ASSERT_TRUE(writer.Finish(source.Function()).ok());

  std::uint64_t in_files = 0;
  const auto catalog = SnapshotCatalog::Read(folder.path());
  for (const SnapshotEntry& entry : catalog.value().entries()) in_files += entry.samples;
  EXPECT_EQ(in_files, source.taken());
  EXPECT_EQ(writer.stats().samples, source.taken());
  EXPECT_EQ(writer.stats().samples_lost, 0U);
  EXPECT_GE(writer.stats().snapshots, 2U);
}

TEST(SnapshotWriter, AFolderThatCannotBeWrittenIsReportedOnceAndWhatItCostIsSaidLater) {
  const TemporaryFolder folder;
  const std::string blocked = folder.Write("profiling", "a file in the way");
  Source source(5);
  std::vector<std::string> reports;
  SnapshotWriterOptions options = OptionsFor(blocked);
  options.on_error = [&](const Error& error) { reports.push_back(Describe(error)); };
  SnapshotWriter writer(options, source.Function());

  EXPECT_EQ(writer.WriteNow().error().code, ErrorCode::kOutput);
  EXPECT_EQ(writer.WriteNow().error().code, ErrorCode::kOutput);
  EXPECT_EQ(writer.stats().samples_lost, 10U);
  EXPECT_GE(writer.stats().failures, 2U);
  EXPECT_THAT(writer.stats().problem, HasSubstr("cannot create the folder"));
  EXPECT_THAT(writer.stats().problem, ::testing::Not(HasSubstr(blocked)));
  std::filesystem::remove(blocked);
  EXPECT_TRUE(writer.WriteNow().ok());
  EXPECT_EQ(writer.stats().problem, "");
  EXPECT_TRUE(writer.Finish(source.Function()).ok());

  ASSERT_EQ(reports.size(), 1U);
  EXPECT_THAT(reports[0], HasSubstr(blocked));
  EXPECT_EQ(writer.stats().samples + writer.stats().samples_lost, source.taken());
}

TEST(SnapshotWriter, ACatalogThatCannotBeLockedIsReportedOnce) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / ".catalog.lock");
  Source source;
  std::vector<std::string> reports;
  SnapshotWriterOptions options = OptionsFor(folder.path());
  options.on_error = [&](const Error& error) { reports.push_back(Describe(error)); };
  SnapshotWriter writer(options, source.Function());
  EXPECT_TRUE(writer.WriteNow().ok());
  EXPECT_TRUE(writer.WriteNow().ok());
  EXPECT_TRUE(writer.Finish(source.Function()).ok());
  ASSERT_EQ(reports.size(), 1U);
  EXPECT_THAT(reports[0], HasSubstr("cannot open the lock"));
}

TEST(SnapshotWriter, ManyRequestsAtOnceAllGetAFile) {
  const TemporaryFolder folder;
  Source source;
  SnapshotWriter writer(OptionsFor(folder.path()), source.Function());
  std::atomic<int> good{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] { good += writer.WriteNow().ok() ? 1 : 0; });
  }
  for (std::thread& thread : threads) thread.join();

  EXPECT_EQ(good, 8);
  EXPECT_TRUE(writer.Finish(source.Function()).ok());
  EXPECT_EQ(writer.WriteNow().error().code, ErrorCode::kUsage);
}

TEST(SnapshotWriter, ExtrasAreWrittenBesideUnderTheirOwnKind) {
  const TemporaryFolder folder;
  Source source;
  const auto heap_of_three = []() -> Result<HeapProfile> {
    ProfileBuilder profile({{"inuse_objects", "count"}, {"inuse_space", "bytes"}});
    profile.AddSample(kEmptyStack, kNoLabels, {3, 96});
    return HeapProfile{std::move(profile), 3};
  };
  const auto nothing = []() -> Result<HeapProfile> {
    return Error{.code = ErrorCode::kUnsupported, .message = "not available"};
  };
  int reports = 0;
  SnapshotWriterOptions options = OptionsFor(folder.path());
  options.on_error = [&](const Error&) { ++reports; };
  SnapshotWriter writer(options, source.Function(), {{"growth", nothing}, {"heap", heap_of_three}});
  ASSERT_TRUE(writer.WriteNow().ok());
  ASSERT_TRUE(writer.Finish(source.Function()).ok());

  const auto catalog = SnapshotCatalog::Read(folder.path());
  const SnapshotEntry* heap = catalog.value().Newest("daemon", "heap");
  ASSERT_NE(heap, nullptr);
  EXPECT_EQ(heap->samples, 3U);
  EXPECT_EQ(heap->label(), "Heap profile (pprof)");
  EXPECT_EQ(writer.stats().extras, 2U);
  EXPECT_EQ(reports, 1);
  EXPECT_EQ(catalog.value().Newest("daemon", "growth"), nullptr);
}

TEST(SnapshotWriter, GoingAwayWithoutFinishWritesNothingMore) {
  const TemporaryFolder folder;
  Source source;
  { const SnapshotWriter writer(OptionsFor(folder.path()), source.Function()); }
  EXPECT_EQ(source.taken(), 0U);
}

}  // namespace
}  // namespace sonde
