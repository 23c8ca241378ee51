#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <stop_token>

#include "export/unwrap.h"
#include "sonde/byte_sink.h"
#include "sonde/formats.h"
#include "sonde/profile_builder.h"
#include "tests/support/random_profile.h"
#include "tests/support/same_profile.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/text_of.h"

namespace sonde {
namespace {

using testing::HasSubstr;

std::string Zstd(const std::string& bytes) {
  std::string out(ZSTD_compressBound(bytes.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), bytes.data(), bytes.size(), 3));
  return out;
}

TEST(Unwrap, AnyWrappingGivesTheSameProfile) {
  const Profile profile = RandomProfile(2);
  const std::string bytes = PprofOf(profile);
  for (const std::string& wrapped :
       {Gzipped(bytes), Gzipped(Gzipped(bytes)), Zstd(bytes), Gzipped(Zstd(bytes)),
        Zstd(bytes.substr(0, 100)) + Zstd(bytes.substr(100)),
        Gzipped(bytes.substr(0, 100)) + Gzipped(bytes.substr(100)),
        Gzipped(bytes) + std::string(512, '\0')}) {
    const Result<Profile> back = ReadProfile(wrapped);
    ASSERT_TRUE(back.ok()) << back.error().message;
    EXPECT_TRUE(SameProfile(profile, back.value()));
  }
}

TEST(Unwrap, FaultsNameTheirLayer) {
  const std::string zipped = Gzipped(PprofOf(RandomProfile(2)));
  const auto error_of = [](const std::string& bytes) {
    const Result<Profile> profile = ReadProfile(bytes);
    EXPECT_FALSE(profile.ok());
    EXPECT_EQ(profile.error().code, ErrorCode::kMalformed);
    return profile.error().message;
  };
  EXPECT_EQ(error_of(zipped.substr(0, zipped.size() / 2)), "gzip: unexpected end of data");
  EXPECT_EQ(error_of(zipped.substr(0, zipped.size() - 1)), "gzip: unexpected end of data");
  EXPECT_EQ(error_of(Gzipped(zipped.substr(0, 40))), "gzip, layer 2: unexpected end of data");
  EXPECT_THAT(error_of(std::string("\x1f\x8b\x00", 3)), HasSubstr("gzip: "));
  EXPECT_THAT(error_of(zipped + "rest"), HasSubstr("behind the end"));
  const std::string zstd = Zstd(PprofOf(RandomProfile(2)));
  EXPECT_EQ(error_of(zstd.substr(0, zstd.size() / 2)), "zstd: unexpected end of data");
  std::string damaged = zipped;
  damaged[damaged.size() / 2] = static_cast<char>(damaged[damaged.size() / 2] ^ 0x55);
  EXPECT_THAT(error_of(damaged), HasSubstr("gzip: "));
}

TEST(Unwrap, ASmallInputThatUnpacksToALargeOneMeetsTheLimit) {
  const std::string text = "a;b 1\n" + std::string(100'000, ' ');
  const auto code_with = [](const std::string& bytes, std::uint64_t limit) {
    const Result<Profile> profile = ReadProfile(bytes, {.limits = {.input_bytes = limit}});
    return profile.ok() ? "ok" : profile.error().code == ErrorCode::kLimit ? "limit" : "other";
  };
  for (const std::string& bytes : {Gzipped(text), Zstd(text)}) {
    EXPECT_STREQ(code_with(bytes, text.size()), "ok");
    EXPECT_STREQ(code_with(bytes, text.size() - 1), "limit");
    EXPECT_STREQ(code_with(bytes, 1'000), "limit");
  }
}

TEST(ReadProfile, LinesAreOnlyReadOfText) {
  for (const Format format : {Format::kFolded, Format::kPerfScript}) {
    for (const std::string& bytes : {std::string("a;b\0c 5\n", 8), Gzipped({"\x12\0 5\n", 5})}) {
      const Result<Profile> binary = ReadProfile(bytes, {.format = format});
      ASSERT_FALSE(binary.ok());
      EXPECT_EQ(binary.error().code, ErrorCode::kMalformed);
      EXPECT_THAT(Describe(binary.error()), HasSubstr("zero byte"));
    }
  }
}

TEST(Unwrap, WhatIsNoProfileIsNotUnpackedAndEachLimitIsNamed) {
  const std::string zeros = Gzipped(std::string(std::size_t{8} << 20, '\0'));
  const ReadOptions few{.limits = {.unwrapped_bytes = std::uint64_t{1} << 20}};
  for (const std::string& bomb : {zeros, Gzipped(zeros), Zstd(zeros)}) {
    EXPECT_EQ(ReadProfile(bomb, few).error().code, ErrorCode::kUnsupported);
  }
  ReadOptions told = few;
  told.format = Format::kFolded;
  EXPECT_THAT(ReadProfile(zeros, told).error().message, HasSubstr("1048576"));
  EXPECT_EQ(ReadProfile(zeros, told).error().code, ErrorCode::kLimit);
  const auto key_of = [](const ReadLimits& limits) {
    const Result<Profile> profile = ReadProfile(Gzipped("a;b 1\na;b 2\n"), {.limits = limits});
    return profile.ok() ? "ok" : profile.error().details.front().key;
  };
  EXPECT_EQ(key_of({.unwrapped_bytes = 12}), "ok");
  EXPECT_EQ(key_of({.unwrapped_bytes = 11}), "max_unwrapped_bytes");
}

TEST(GzipSink, WhatIsLargeComesBackWholeHoweverItWasWritten) {
  std::string text;
  for (std::uint64_t i = 0; text.size() < (std::size_t{9} << 20); ++i) {
    text += "main;step" + std::to_string(i * i % 10'007) + " 1\n";
  }
  const auto packed = [&](std::size_t piece) {
    StringSink out;
    GzipSink sink(out);
    for (std::size_t at = 0; at < text.size(); at += piece) {
      EXPECT_TRUE(sink.Write(std::string_view(text).substr(at, piece)).ok());
    }
    EXPECT_TRUE(sink.Close().ok());
    return std::move(out).Take();
  };
  const std::string whole = packed(text.size());
  Unwrapped back;
  ASSERT_TRUE(Unwrap(whole, {}, back).ok());
  EXPECT_TRUE(back.bytes == text);
  EXPECT_TRUE(packed(100'003) == whole);
}

TEST(Sniff, KnowsTheFormatsByTheirContent) {
  EXPECT_EQ(Sniff(PprofOf(RandomProfile(1))), Format::kPprof);
  EXPECT_EQ(Sniff("main;work 3\nmain 4\n"), Format::kFolded);
  EXPECT_EQ(Sniff("PERFILE2"), Format::kPerfData);
  // A field of a later version is no reason to refuse the rest.
  EXPECT_EQ(Sniff(PprofOf(RandomProfile(1)) + std::string("\x98\x06\x01", 3)), Format::kPprof);
  EXPECT_EQ(
      Sniff("PeriodType: cpu nanoseconds\nPeriod: 10\nSamples:\nsamples/count\n 3 4: 1 2 3\n"),
      Format::kUnknown);
  EXPECT_EQ(Sniff("app 12/13 [001] 10.5: 5 cycles: \n\t401000 main (/bin/app)\n\n"),
            Format::kPerfScript);
  EXPECT_EQ(Sniff("heap profile:  1: 2 [ 3: 4] @ heapprofile\n"), Format::kGperftoolsHeap);
  EXPECT_EQ(Sniff("not a profile\n"), Format::kUnknown);
  EXPECT_EQ(Sniff(std::string(100'000, 'x')), Format::kUnknown);
  EXPECT_EQ(Sniff(""), Format::kUnknown);
  for (const char* name : {"pprof", "folded", "perf-script", "perf-data", "gperftools-cpu",
                           "gperftools-heap", "speedscope", "chrome-trace"}) {
    ASSERT_TRUE(FormatNamed(name).has_value());
    EXPECT_EQ(NameOf(*FormatNamed(name)), name);
  }
}

TEST(ReadProfileFile, ErrorsNameTheFile) {
  const std::string folder = testing::TempDir() + "sonde_read_" + std::to_string(::getpid());
  std::filesystem::create_directories(folder);
  EXPECT_EQ(ReadProfileFile(folder).error().code, ErrorCode::kInvalid);
  const Result<Profile> missing = ReadProfileFile(folder + "/none");
  EXPECT_EQ(missing.error().code, ErrorCode::kNotFound);
  EXPECT_EQ(missing.error().file, folder + "/none");
  std::ofstream(folder + "/empty").close();
  EXPECT_EQ(ReadProfileFile(folder + "/empty").error().code, ErrorCode::kInvalid);
  EXPECT_THAT(ReadProfileFile(folder + "/empty").error().message, HasSubstr("empty"));
  std::ofstream(folder + "/text") << "not a profile\n";
  EXPECT_EQ(ReadProfileFile(folder + "/text").error().code, ErrorCode::kUnsupported);
  std::ofstream(folder + "/folded") << "a;b 3\n";
  const Result<Profile> profile = ReadProfileFile(folder + "/folded");
  ASSERT_TRUE(profile.ok());
  EXPECT_EQ(profile.value().Total(0), 3);
  std::filesystem::remove_all(folder);
}

TEST(ReadProfileFile, AFileThatBecomesShorterMeanwhileIsAnErrorAndNoCrash) {
  const TemporaryFolder folder;
  std::string text;
  for (int i = 0; i < 500'000; ++i) text += "main;step" + std::to_string(i % 100) + " 1\n";
  const std::string path = folder.Write("shrinking.folded", text);
  bool was_cut = false;
  const ReadOptions options{.progress = [&](std::uint64_t, std::uint64_t) {
    was_cut = was_cut || ::truncate(path.c_str(), 4096) == 0;
  }};
  const Result<Profile> profile = ReadProfileFile(path, options);
  ASSERT_TRUE(was_cut);
  ASSERT_FALSE(profile.ok());
  EXPECT_EQ(profile.error().code, ErrorCode::kInvalid);
  EXPECT_THAT(profile.error().message, HasSubstr("shorter"));
  EXPECT_EQ(profile.error().file, path);
}

TEST(ReadProfileFile, OtherBusErrorsStayWithWhoHandledThem) {
  const TemporaryFolder folder;
  ASSERT_TRUE(ReadProfileFile(folder.Write("a.folded", "a;b 1\n")).ok());
  EXPECT_EXIT(::raise(SIGBUS), testing::KilledBySignal(SIGBUS), "");
}

std::string Repeated(std::string_view head, std::string_view record, std::string_view tail) {
  constexpr int kRecords = 40'000;
  std::string text(head);
  for (int i = 0; i < kRecords; ++i) text += record;
  return text.append(tail);
}

std::string Words(const std::vector<std::uint64_t>& words) {
  return {reinterpret_cast<const char*>(words.data()), words.size() * sizeof words[0]};
}

std::string LabelledPprof() {
  ProfileBuilder builder({{"samples", "count"}});
  const StackId stack = builder.Extend(kEmptyStack, builder.FrameNamed("main"));
  for (int i = 0; i < 40'000; ++i) {
    const Label label = builder.NumberLabel("id", i);
    builder.AddSample(stack, builder.AddLabels({&label, 1}), {1});
  }
  return PprofOf(std::move(builder).Build());
}

TEST(ReadProfile, EndsWhenItIsCalledOffWhateverTheFormat) {
  const std::string long_name(500, 'f');
  const std::string span = R"({"ph":"X","name":"a","ts":1,"dur":1,"pid":1,"tid":1})";
  const std::string sampled = R"({"$schema":"https://www.speedscope.app/file-format-schema.json",)"
                              R"("shared":{"frames":[{"name":"a"}]},"profiles":[{"unit":"none",)";
  for (const std::string& input :
       {LabelledPprof(), Repeated("", "main;work 1\n", ""), Gzipped("main;work 1\nmain 2\n"),
        Repeated("", "app 12/13 [001] 10.5: 5 cycles: \n\t401000 " + long_name + " (/bin/app)\n\n",
                 ""),
        Repeated("heap profile: 1: 2 [3: 4] @ heapprofile\n", "1: 2 [1: 2] @ 0x401000\n", ""),
        Repeated(Words({0, 3, 0, 10'000, 0}), Words({1, 1, 0x401000}), Words({0, 1, 0})),
        Repeated(sampled + R"("type":"sampled","samples":[[0])", ",[0]", "]}]}"),
        Repeated(sampled + R"("type":"evented","events":[{"type":"O","frame":0,"at":0})",
                 R"(,{"type":"C","frame":0,"at":1},{"type":"O","frame":0,"at":1})", "]}]}"),
        Repeated('[' + span, ',' + span, "]")}) {
    std::stop_source stop;
    Format format = Format::kUnknown;
    const ReadOptions options{.recognised = &format, .stop = stop.get_token()};
    const Result<Profile> whole = ReadProfile(input, options);
    ASSERT_TRUE(whole.ok()) << whole.error().message;
    EXPECT_TRUE(whole.value().losses().entries().empty()) << NameOf(format);
    stop.request_stop();
    const Result<Profile> ended = ReadProfile(input, options);
    ASSERT_FALSE(ended.ok()) << NameOf(format);
    EXPECT_EQ(ended.error().code, ErrorCode::kTimeout) << NameOf(format);
  }
}

TEST(ReadEachProfile, TakesProfilesApartThatStandBehindEachOther) {
  const TemporaryFolder folder;
  std::string plain;
  std::string zipped;
  for (std::uint32_t seed = 1; seed <= 3; ++seed) {
    plain += PprofOf(RandomProfile(seed));
    zipped += Gzipped(PprofOf(RandomProfile(seed)));
  }
  for (const std::string& path : {folder.Write("plain", plain), folder.Write("zipped", zipped)}) {
    EXPECT_THAT(ReadProfileFile(path).error().message, HasSubstr("concatenated"));
    const Result<std::vector<Profile>> profiles = ReadEachProfile(path);
    ASSERT_TRUE(profiles.ok()) << profiles.error().message;
    ASSERT_EQ(profiles.value().size(), 3U);
    for (std::uint32_t seed = 1; seed <= 3; ++seed) {
      EXPECT_TRUE(SameProfile(profiles.value()[seed - 1], RandomProfile(seed)));
    }
  }
  const Result<std::vector<Profile>> cut =
      ReadEachProfile(folder.Write("cut", plain.substr(0, plain.size() - 9)));
  EXPECT_EQ(cut.error().code, ErrorCode::kMalformed);
  EXPECT_EQ(ReadEachProfile(folder.Write("text", "a;b 1\na;b 2\n")).value().size(), 1U);
}

TEST(Sniff, ALongLineOfFramesIsKnownByItsWeight) {
  std::string line = "main";
  while (line.size() < (std::size_t{80} << 10)) line += ";called_" + std::to_string(line.size());
  const Result<Profile> profile = ReadProfile(line + " 3\n");
  ASSERT_TRUE(profile.ok()) << profile.error().message;
  EXPECT_EQ(profile.value().Total(0), 3);
  EXPECT_EQ(ReadProfile(line).error().code, ErrorCode::kUnsupported);
}

}  // namespace
}  // namespace sonde
