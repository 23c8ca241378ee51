#include "sonde/pprof.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "profile.pb.h"
#include "sonde/filter.h"
#include "sonde/formats.h"
#include "tests/support/random_profile.h"
#include "tests/support/same_profile.h"
#include "tests/support/text_of.h"

namespace sonde {
namespace {

using testing::HasSubstr;

oracle::Profile Parsed(const std::string& bytes) {
  oracle::Profile message;
  EXPECT_TRUE(message.ParseFromString(bytes));
  return message;
}

Error ErrorOf(const oracle::Profile& message) {
  const Result<Profile> profile = ReadProfile(message.SerializeAsString());
  EXPECT_FALSE(profile.ok());
  return profile.ok() ? Error{} : profile.error();
}

// A small well-formed message: two locations, one sample.
oracle::Profile SmallMessage() {
  oracle::Profile message;
  for (const char* text : {"", "cpu", "nanoseconds", "main", "work"})
    message.add_string_table(text);
  oracle::ValueType* type = message.add_sample_type();
  type->set_type(1);
  type->set_unit(2);
  for (const int name : {3, 4}) {
    oracle::Function* function = message.add_function();
    function->set_id(static_cast<std::uint64_t>(name));
    function->set_name(name);
    oracle::Location* location = message.add_location();
    location->set_id(static_cast<std::uint64_t>(name) + 10);
    location->add_line()->set_function_id(static_cast<std::uint64_t>(name));
  }
  oracle::Sample* sample = message.add_sample();
  sample->add_location_id(14);
  sample->add_location_id(13);
  sample->add_value(7);
  return message;
}

TEST(Pprof, WhatWasWrittenReadsBackTheSame) {
  for (std::uint32_t seed = 1; seed <= 40; ++seed) {
    const Profile profile = RandomProfile(seed);
    const std::string bytes = PprofOf(profile);
    const Result<Profile> back = ReadProfile(bytes);
    ASSERT_TRUE(back.ok()) << back.error().message;
    EXPECT_TRUE(SameProfile(profile, back.value())) << "seed " << seed;
    EXPECT_EQ(PprofOf(back.value()).size(), bytes.size());
  }
}

TEST(Pprof, EqualProfilesGiveEqualBytes) {
  EXPECT_EQ(PprofOf(RandomProfile(7)), PprofOf(RandomProfile(7)));
}

TEST(Pprof, ProtobufReadsOutWhatTheProfileHolds) {
  const Profile profile = RandomProfile(3);
  const oracle::Profile message = Parsed(PprofOf(profile));
  const auto text = [&](std::int64_t index) {
    return message.string_table(static_cast<int>(index));
  };

  ASSERT_EQ(message.sample_type_size(), 2);
  EXPECT_EQ(text(message.sample_type(1).type()), "cpu");
  EXPECT_EQ(text(message.sample_type(1).unit()), "nanoseconds");
  EXPECT_EQ(text(message.period_type().type()), "cpu");
  EXPECT_EQ(message.period(), profile.period());
  EXPECT_EQ(message.time_nanos(), profile.time_ns());
  EXPECT_EQ(message.duration_nanos(), profile.duration_ns());
  EXPECT_EQ(text(message.drop_frames()), profile.drop_frames());
  EXPECT_EQ(text(message.keep_frames()), profile.keep_frames());
  EXPECT_EQ(text(message.doc_url()), profile.doc_url());
  EXPECT_EQ(text(message.default_sample_type()),
            profile.sample_types()[profile.default_sample_type()].type);
  EXPECT_EQ(text(message.comment(0)), profile.comments()[0]);
  EXPECT_EQ(message.string_table(0), "");

  ASSERT_EQ(message.mapping_size(), static_cast<int>(profile.mappings().size()));
  for (int i = 0; i < message.mapping_size(); ++i) {
    const Mapping& mapping = profile.mappings()[static_cast<std::size_t>(i)];
    EXPECT_EQ(message.mapping(i).id(), static_cast<std::uint64_t>(i) + 1);
    EXPECT_EQ(message.mapping(i).memory_start(), mapping.start);
    EXPECT_EQ(message.mapping(i).memory_limit(), mapping.limit);
    EXPECT_EQ(message.mapping(i).file_offset(), mapping.offset);
    EXPECT_EQ(text(message.mapping(i).filename()), profile.text(mapping.file));
    EXPECT_EQ(text(message.mapping(i).build_id()), profile.text(mapping.build_id));
    EXPECT_EQ(message.mapping(i).has_functions(), mapping.has_functions);
    EXPECT_EQ(message.mapping(i).has_filenames(), mapping.has_filenames);
    EXPECT_EQ(message.mapping(i).has_line_numbers(), mapping.has_line_numbers);
    EXPECT_EQ(message.mapping(i).has_inline_frames(), mapping.has_inline_frames);
  }
  ASSERT_EQ(message.function_size(), static_cast<int>(profile.functions().size()));
  for (int i = 0; i < message.function_size(); ++i) {
    const Function& function = profile.functions()[static_cast<std::size_t>(i)];
    EXPECT_EQ(text(message.function(i).name()), profile.text(function.name));
    EXPECT_EQ(text(message.function(i).system_name()), profile.text(function.system_name));
    EXPECT_EQ(text(message.function(i).filename()), profile.text(function.file));
    EXPECT_EQ(message.function(i).start_line(), function.start_line);
  }
  ASSERT_EQ(message.location_size(), static_cast<int>(profile.location_count()));
  for (int i = 0; i < message.location_size(); ++i) {
    const Location location = profile.location(LocationId{static_cast<std::uint32_t>(i)});
    EXPECT_EQ(message.location(i).address(), location.address);
    EXPECT_EQ(message.location(i).is_folded(), location.is_folded);
    EXPECT_EQ(
        message.location(i).mapping_id(),
        location.mapping == kNoMapping ? 0U : static_cast<std::uint32_t>(location.mapping) + 1);
    ASSERT_EQ(message.location(i).line_size(), static_cast<int>(location.lines.size()));
    for (int n = 0; n < message.location(i).line_size(); ++n) {
      const Line& line = location.lines[static_cast<std::size_t>(n)];
      EXPECT_EQ(message.location(i).line(n).line(), line.line);
      EXPECT_EQ(message.location(i).line(n).column(), line.column);
      EXPECT_EQ(message.location(i).line(n).function_id(),
                static_cast<std::uint32_t>(line.function) + 1);
    }
  }
  ASSERT_EQ(message.sample_size(), static_cast<int>(profile.sample_count()));
  for (int i = 0; i < message.sample_size(); ++i) {
    const Sample sample = profile.sample(static_cast<std::size_t>(i));
    std::vector<LocationId> frames = profile.stacks().Frames(sample.stack);
    ASSERT_EQ(message.sample(i).location_id_size(), static_cast<int>(frames.size()));
    for (int n = 0; n < message.sample(i).location_id_size(); ++n) {
      EXPECT_EQ(message.sample(i).location_id(n), static_cast<std::uint32_t>(frames.back()) + 1);
      frames.pop_back();
    }
    EXPECT_THAT(message.sample(i).value(), testing::ElementsAreArray(sample.values));
    const std::span<const Label> labels = profile.labels(sample.labels);
    ASSERT_EQ(message.sample(i).label_size(), static_cast<int>(labels.size()));
    for (int n = 0; n < message.sample(i).label_size(); ++n) {
      const Label& label = labels[static_cast<std::size_t>(n)];
      EXPECT_EQ(text(message.sample(i).label(n).key()), profile.text(label.key));
      EXPECT_EQ(text(message.sample(i).label(n).str()), profile.text(label.text));
      EXPECT_EQ(message.sample(i).label(n).num(), label.number);
      EXPECT_EQ(text(message.sample(i).label(n).num_unit()), profile.text(label.unit));
    }
  }
}

TEST(Pprof, ReadsWhatProtobufWrites) {
  const Result<Profile> profile = ReadProfile(SmallMessage().SerializeAsString());
  ASSERT_TRUE(profile.ok()) << profile.error().message;
  EXPECT_EQ(FoldedOf(profile.value()), "main;work 7\n");
}

TEST(Pprof, IdsMayBeLargeAndFieldsMayStandInAnyOrder) {
  oracle::Profile tables = SmallMessage();
  oracle::Profile samples;
  samples.mutable_sample()->Swap(tables.mutable_sample());
  tables.mutable_location(0)->set_id(std::uint64_t{1} << 60);
  samples.mutable_sample(0)->set_location_id(1, std::uint64_t{1} << 60);

  const Result<Profile> profile =
      ReadProfile(samples.SerializeAsString() + tables.SerializeAsString());
  ASSERT_TRUE(profile.ok()) << profile.error().message;
  EXPECT_EQ(FoldedOf(profile.value()), "main;work 7\n");
}

TEST(Pprof, RepeatedNumbersNeedNotBePacked) {
  oracle::Profile message = SmallMessage();
  message.clear_sample();
  // Field 2 holds a sample of 6 bytes: location_id 14, location_id 13, value 7, one by one.
  const std::string sample("\x12\x06\x08\x0e\x08\x0d\x10\x07", 8);
  const Result<Profile> profile = ReadProfile(message.SerializeAsString() + sample);
  ASSERT_TRUE(profile.ok()) << profile.error().message;
  EXPECT_EQ(FoldedOf(profile.value()), "main;work 7\n");
}

TEST(Pprof, LabelsMayBeLeftOutUnlessAValueIsNegative) {
  const auto made = [](std::int64_t last) {
    ProfileBuilder builder({{"samples", "count"}});
    const StackId stack = builder.Extend(kEmptyStack, builder.FrameNamed("f"));
    const Label first = builder.TextLabel("thread", "a");
    const Label second = builder.TextLabel("thread", "b");
    builder.AddSample(stack, builder.AddLabels({&first, 1}), {5});
    builder.AddSample(stack, builder.AddLabels({&second, 1}), {last});
    return std::move(builder).Build();
  };
  const ReadOptions without{.keep_labels = false};
  const Profile joined = ReadProfile(PprofOf(made(2)), without).value();
  ASSERT_EQ(joined.sample_count(), 1U);
  EXPECT_EQ(joined.Total(0), 7);
  EXPECT_EQ(joined.records(), 2U);
  EXPECT_TRUE(joined.labels(joined.sample(0).labels).empty());
  EXPECT_TRUE(SameProfile(ReadProfile(PprofOf(made(-2)), without).value(), made(-2)));
}

TEST(Pprof, ConcatenatedProfilesAreAnErrorOfTheirOwn) {
  oracle::Profile message = SmallMessage();
  const std::string once = message.SerializeAsString();
  EXPECT_THAT(ReadProfile(once + once).error().message, HasSubstr("concatenated"));
  message.set_time_nanos(5);
  const std::string timed = message.SerializeAsString();
  EXPECT_THAT(ReadProfile(timed + timed).error().message, HasSubstr("concatenated"));
  const Error zipped = ReadProfile(Gzipped(timed) + Gzipped(timed)).error();
  EXPECT_THAT(zipped.message, HasSubstr("concatenated"));
  EXPECT_EQ(zipped.code, ErrorCode::kMalformed);
}

TEST(Pprof, BrokenReferencesNameWhatIsMissing) {
  oracle::Profile message = SmallMessage();
  message.mutable_sample(0)->set_location_id(0, 99);
  EXPECT_THAT(ErrorOf(message).message, HasSubstr("location 99"));

  message = SmallMessage();
  message.mutable_location(0)->mutable_line(0)->set_function_id(99);
  EXPECT_THAT(ErrorOf(message).message, HasSubstr("function 99"));

  message = SmallMessage();
  message.mutable_location(0)->set_mapping_id(99);
  EXPECT_THAT(ErrorOf(message).message, HasSubstr("mapping 99"));

  message = SmallMessage();
  message.mutable_function(0)->set_name(99);
  EXPECT_THAT(ErrorOf(message).message, HasSubstr("text 99"));

  message = SmallMessage();
  message.mutable_sample(0)->add_value(8);
  EXPECT_THAT(ErrorOf(message).message, HasSubstr("2 values"));

  message = SmallMessage();
  message.mutable_location(0)->set_id(14);
  EXPECT_THAT(ErrorOf(message).message, HasSubstr("the id 14"));
  EXPECT_GT(ErrorOf(message).byte_offset, 0U);
}

TEST(Pprof, EveryPrefixOfAMessageIsReadOrRefused) {
  const std::string bytes = PprofOf(RandomProfile(5)).substr(0, 4096);
  for (std::size_t length = 0; length < bytes.size(); length += 7) {
    const Result<Profile> profile =
        ReadProfile(std::string_view(bytes).substr(0, length), {.format = Format::kPprof});
    EXPECT_TRUE(profile.ok() || !profile.error().message.empty());
  }
}

TEST(Pprof, LimitsAreHeldExactly) {
  oracle::Profile message = SmallMessage();
  oracle::Sample* second = message.add_sample();
  second->add_location_id(13);
  second->add_value(1);
  const std::string bytes = message.SerializeAsString();
  const auto code_with = [&](const ReadLimits& limits) {
    const Result<Profile> profile = ReadProfile(bytes, {.limits = limits});
    return profile.ok() ? "ok" : profile.error().code == ErrorCode::kLimit ? "limit" : "other";
  };
  EXPECT_STREQ(code_with({.records = 2}), "ok");
  EXPECT_STREQ(code_with({.records = 1}), "limit");
  EXPECT_STREQ(code_with({.stack_depth = 2}), "ok");
  EXPECT_STREQ(code_with({.stack_depth = 1}), "limit");
  EXPECT_STREQ(code_with({.unique_frames = 2}), "ok");
  EXPECT_STREQ(code_with({.unique_frames = 1}), "limit");
  EXPECT_STREQ(code_with({.unique_stacks = 2}), "ok");
  EXPECT_STREQ(code_with({.unique_stacks = 1}), "limit");
  EXPECT_STREQ(code_with({.input_bytes = bytes.size()}), "ok");
  EXPECT_STREQ(code_with({.input_bytes = bytes.size() - 1}), "limit");
}

TEST(Pprof, RecordsThatNoSampleTypeTellsAreKnownOfTheWholeAlone) {
  ProfileBuilder builder({{"cycles", "count"}});
  for (const char* name : {"f", "g", "g"}) {
    builder.AddSample(builder.Extend(kEmptyStack, builder.FrameNamed(name)), kNoLabels, {7});
  }
  const Profile profile = ReadProfile(PprofOf(std::move(builder).Build())).value();
  EXPECT_EQ(profile.records(), 3U);
  EXPECT_FALSE(profile.records(0).has_value());
  const NameTest is_g = [](std::string_view name) { return name == "g"; };
  EXPECT_FALSE(Filter(profile, {.focus = is_g}).value().records().has_value());
}

// Other programs keep the comments of a profile that they take a part of.
TEST(Pprof, RecordsAreOfTheTotalsThatTheyWereWrittenWith) {
  const auto read_of = [](std::int64_t weight, std::string comment) {
    ProfileBuilder builder({{"samples", "count"}, {"cpu", "nanoseconds"}});
    builder.AddSample(builder.Extend(kEmptyStack, builder.FrameNamed("f")), kNoLabels,
                      {weight, 10 * weight}, std::nullopt);
    builder.AddComment(std::move(comment));
    return ReadProfile(PprofOf(std::move(builder).Build())).value().records();
  };
  EXPECT_EQ(read_of(5, "sonde records\t4\t5\t50"), 4U);
  EXPECT_EQ(read_of(3, "sonde records\t4\t5\t50"), std::nullopt);
  EXPECT_EQ(read_of(5, "sonde records\t4"), std::nullopt);
  EXPECT_EQ(read_of(5, "sonde records\tmany"), 5U);  // Somebody's own words.
}

TEST(Pprof, OfOthersRecordsAreWhatTheirSamplesCount) {
  const auto made = [](std::vector<ValueType> types) {
    ProfileBuilder builder(std::move(types));
    const StackId stack = builder.Extend(kEmptyStack, builder.FrameNamed("f"));
    builder.AddSample(stack, kNoLabels, {46, 460}, std::nullopt);
    return ReadProfile(PprofOf(std::move(builder).Build())).value();
  };
  EXPECT_EQ(made({{"samples", "count"}, {"cpu", "nanoseconds"}}).records(), 46U);
  EXPECT_FALSE(made({{"objects", "count"}, {"space", "bytes"}}).records().has_value());
}

}  // namespace
}  // namespace sonde
