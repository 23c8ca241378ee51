#include "sonde/analysis.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <span>

#include "evidence/classification_rules.h"
#include "evidence/symbol_name.h"
#include "evidence/weight_unit.h"
#include "sonde/artifact.h"
#include "sonde/diagnosis.h"
#include "sonde/profile_builder.h"
#include "sonde/profile_comparison.h"

namespace sonde {
namespace {

// A file of the test's own, gone when the test ends.
class ScratchFile {
 public:
  ScratchFile(const std::string& name, std::string_view text)
      : path_(std::filesystem::temp_directory_path() /
              ("sonde-evidence-" + std::to_string(::getpid()) + '-' + name)) {
    std::ofstream(path_, std::ios::binary) << text;
  }
  ~ScratchFile() { std::filesystem::remove(path_); }
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

Analysis Analysed(std::string_view folded, AnalysisOptions options = {.format = "folded"}) {
  const ScratchFile file("input.folded", folded);
  Result<Analysis> analysis = AnalyzeFile(file.path(), options);
  EXPECT_TRUE(analysis.ok()) << Describe(analysis.error());
  return std::move(analysis).value();
}

const AnalysisHotspot& Spot(const Analysis& analysis, std::string_view symbol) {
  for (const AnalysisHotspot& spot : analysis.main.hotspots) {
    if (spot.frame.symbol == symbol) return spot;
  }
  ADD_FAILURE() << "no hotspot " << symbol;
  return analysis.main.hotspots.front();
}

TEST(Analysis, CountsRecordsApartFromWeight) {
  const Analysis analysis = Analysed(
      "main;worker;parse;malloc 182\nmain;worker;compute 271\nmain;worker;parse;malloc 18\n");
  EXPECT_EQ(analysis.status, "complete");
  EXPECT_EQ(analysis.parsed_records, 3U);
  EXPECT_EQ(analysis.bytes_read, 81U);
  EXPECT_EQ(analysis.main.sample_count, 3U);
  EXPECT_EQ(analysis.main.total_weight, 471);
  EXPECT_EQ(analysis.main.event, "unknown");
  EXPECT_EQ(analysis.main.weight_unit, "sample_count");
  EXPECT_EQ(analysis.main.weight_source, "folded_weight");
  EXPECT_TRUE(analysis.has_call_graph);
  EXPECT_FALSE(analysis.has_source_lines);

  ASSERT_EQ(analysis.main.hotspots.size(), 5U);
  std::vector<std::string> order;
  for (const auto& spot : analysis.main.hotspots) order.push_back(spot.frame.symbol);
  EXPECT_EQ(order, (std::vector<std::string>{"compute", "malloc", "main", "worker", "parse"}));
  const AnalysisHotspot& malloc_spot = analysis.main.hotspots[1];
  EXPECT_EQ(malloc_spot.id, "H-002");
  EXPECT_EQ(malloc_spot.self_weight, 200);
  EXPECT_EQ(malloc_spot.sample_count, 2U);
  EXPECT_EQ(malloc_spot.stack_occurrence_count, 2U);
  EXPECT_DOUBLE_EQ(malloc_spot.self_percent, 42.462845);
  EXPECT_EQ(malloc_spot.frame.dso, "unknown");
  EXPECT_EQ(malloc_spot.categories, std::vector<std::string>{"memory-allocation"});
  ASSERT_EQ(malloc_spot.top_callers.size(), 1U);
  EXPECT_EQ(malloc_spot.top_callers[0].frame.symbol, "parse");
  EXPECT_EQ(Spot(analysis, "worker").top_callees[0].frame.symbol, "compute");

  ASSERT_EQ(analysis.main.call_paths.size(), 2U);
  EXPECT_EQ(analysis.main.call_paths[1].record_count, 2U);
  EXPECT_DOUBLE_EQ(analysis.main.call_paths[0].percent, 57.537155);
}

TEST(Analysis, RecursionCountsOnceInInclusiveWeight) {
  const Analysis analysis = Analysed("main;walk;walk;leaf 10\nmain;walk;leaf 5\n");
  const AnalysisHotspot& walk = Spot(analysis, "walk");
  EXPECT_EQ(walk.inclusive_weight, 15);
  EXPECT_EQ(walk.stack_occurrence_count, 3U);
  EXPECT_EQ(walk.sample_count, 2U);
  EXPECT_EQ(walk.self_weight, 0);
  EXPECT_EQ(Spot(analysis, "leaf").self_weight, 15);
}

TEST(Analysis, BadLinesMakeItPartialAndAreCounted) {
  const Analysis analysis =
      Analysed("\nmain;leaf 7\nalone\na;;b 4\na nope\na -2\n[unknown];leaf 3\n");
  EXPECT_EQ(analysis.status, "partial");
  EXPECT_EQ(analysis.parsed_records, 2U);
  EXPECT_EQ(analysis.malformed_records, 4U);
  EXPECT_EQ(analysis.warning_count, 4U);
  EXPECT_FALSE(analysis.warnings.empty());
}

TEST(Analysis, UnknownDsosOfFoldedInputDoNotMakeItUnresolved) {
  const Analysis analysis = Analysed("main;leaf 3\nmain;[unknown] 1\n");
  EXPECT_DOUBLE_EQ(analysis.main.unresolved_self_percent, 25.0);
}

TEST(Analysis, AnEmptyFoldedFileIsComplete) {
  const Analysis analysis = Analysed("");
  EXPECT_EQ(analysis.status, "complete");
  EXPECT_TRUE(analysis.main.hotspots.empty());
}

TEST(Analysis, LimitsAreErrorsThatSayWhich) {
  const ScratchFile file("limits.folded", "a;b 1\na;c 1\n");
  const auto code = [&](auto change) {
    AnalysisOptions options{.format = "folded"};
    change(options.limits);
    const Result<Analysis> analysis = AnalyzeFile(file.path(), options);
    EXPECT_FALSE(analysis.ok());
    return analysis.ok() ? ErrorCode::kInternal : analysis.error().code;
  };
  EXPECT_EQ(code([](AnalysisLimits& l) { l.max_input_bytes = 1; }), ErrorCode::kLimit);
  EXPECT_EQ(code([](AnalysisLimits& l) { l.max_records = 1; }), ErrorCode::kLimit);
  EXPECT_EQ(code([](AnalysisLimits& l) { l.max_unique_frames = 2; }), ErrorCode::kLimit);
  EXPECT_EQ(code([](AnalysisLimits& l) { l.max_unique_call_paths = 1; }), ErrorCode::kLimit);
}

TEST(Analysis, EndsWhenItIsCalledOff) {
  std::stop_source stop;
  AnalysisOptions options{.format = "folded", .stop = stop.get_token()};
  std::string text;
  for (int i = 0; i < 70'000; ++i) text += "main;f" + std::to_string(i % 100) + " 1\n";
  ASSERT_TRUE(AnalyzeBytes(text, options).ok());
  stop.request_stop();
  for (const std::string_view input : {std::string_view(text), std::string_view("main;f 1\n")}) {
    const Result<Analysis> analysis = AnalyzeBytes(input, options);
    ASSERT_FALSE(analysis.ok());
    EXPECT_EQ(analysis.error().code, ErrorCode::kTimeout);
  }
}

TEST(Analysis, OversizedRecordsAreSkippedAndCounted) {
  AnalysisOptions options{.format = "folded"};
  options.limits.max_line_chars = 32;
  options.limits.max_stack_depth = 3;
  const Analysis analysis =
      Analysed(std::string(100, 'x') + " 1\nmain;leaf 2\na;b;c;d 5\n", options);
  EXPECT_EQ(analysis.main.total_weight, 2);
  EXPECT_EQ(analysis.malformed_records, 2U);
}

TEST(Analysis, ALongLineAtTheStartHidesNoFormat) {
  AnalysisOptions options;
  options.limits.max_line_chars = 100'000;
  const Analysis analysis = Analysed(
      std::string(200'000, '\x01') + '\n' + std::string(300'000, 'y') + " 1\nmain;leaf 2\n",
      options);
  EXPECT_EQ(analysis.source_type, "folded");
  EXPECT_EQ(analysis.main.total_weight, 2);
  EXPECT_EQ(analysis.malformed_records, 2U);
}

TEST(Analysis, WhatIsLeftOutOfTheOutputIsCounted) {
  AnalysisOptions options{.format = "folded"};
  options.limits.max_hotspots_output = 1;
  options.limits.max_call_paths_output = 1;
  const Analysis analysis = Analysed("a;b 1\na;c 1\n", options);
  EXPECT_EQ(analysis.main.hotspots_omitted, 2U);
  EXPECT_EQ(analysis.main.call_paths_omitted, 1U);
}

TEST(Analysis, ReadsBackAsItselfAndRefusesWhatItDoesNotKnow) {
  const Analysis analysis = Analysed("main;leaf 3\nmain;other 4\nbad\n");
  nlohmann::json value = ToJson(analysis);
  const Result<Analysis> back = AnalysisFromJson(value);
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(ArtifactText(ToJson(back.value())), ArtifactText(value));

  value["hotspots"][0]["extra"] = 1;
  const Result<Analysis> extra = AnalysisFromJson(value);
  ASSERT_FALSE(extra.ok());
  EXPECT_NE(extra.error().message.find("hotspots[0]"), std::string::npos);
  EXPECT_FALSE(AnalysisFromJson(nlohmann::json::array()).ok());
  EXPECT_FALSE(ParseArtifact(R"({"a":1,"a":2})", "artifact").ok());
  EXPECT_FALSE(ParseArtifact(R"({"a":1e999})", "artifact").ok());
}

TEST(SymbolName, DropsWhatToolsAppendAndKeepsTheRest) {
  for (const auto& [symbol, expected] : std::vector<std::pair<std::string, std::string>>{
           {"f+0x2a", "f"},
           {"f.isra.42", "f"},
           {"f.part.0.isra.0", "f"},
           {"f.isra.0.cold", "f"},
           {"f [clone .isra.0] [clone .cold]", "f"},
           {"f.constprop.7.llvm.123", "f"},
           {"memcpy@plt", "memcpy"},
           {"read@@GLIBC_2.2.5", "read"},
           {"core::fmt::write::h0123456789abcdef", "core::fmt::write"},
           {"do_work<int>(item const&)", "do_work<int>(item const&)"},
           {"main.(*Worker).Run", "main.(*Worker).Run"},
           {"Foo@bar", "Foo@bar"},
           {"part", "part"},
           {".cold", ".cold"}}) {
    EXPECT_EQ(NormalizedSymbol(symbol), expected);
  }
}

TEST(WeightUnit, ModifiersAndHybridNamesDoNotHideTheEvent) {
  EXPECT_EQ(UnitOfEvent("cycles:upp"), "cycles");
  EXPECT_EQ(UnitOfEvent("cpu_core/cycles/"), "cycles");
  EXPECT_EQ(UnitOfEvent("cpu-clock"), "nanoseconds");
  EXPECT_EQ(UnitOfEvent("sched:sched_switch"), "event_count");
  EXPECT_EQ(BaseEvent("sched:sched_switch"), "sched:sched_switch");
}

// Real names of libc, the kernel and allocators, each with the family it must fall in, and
// near misses that must fall in none.
TEST(ClassificationRules, KnowRealNamesAndNoNearMisses) {
  const auto has = [](std::string_view symbol, std::string_view category,
                      std::string_view dso = "/usr/bin/app") {
    const auto found = BuiltInRules().CategoriesOf(NormalizedSymbol(symbol), dso);
    return std::ranges::find(found, category) != found.end();
  };
  for (const auto& [symbol, category] : std::vector<std::pair<std::string, std::string>>{
           {"_int_malloc", "memory-allocation"},
           {"cfree", "memory-allocation"},
           {"operator new(unsigned long)", "memory-allocation"},
           {"tcmalloc::CentralFreeList::Populate()", "memory-allocation"},
           {"je_malloc", "memory-allocation"},
           {"__memmove_avx_unaligned_erms", "memory-copy"},
           {"rep_movs_alternative", "memory-copy"},
           {"__memset_avx2_unaligned_erms", "memory-fill"},
           {"clear_page_erms", "memory-fill"},
           {"__libc_read", "system-call"},
           {"__GI___libc_write", "system-call"},
           {"__x64_sys_read", "system-call"},
           {"epoll_wait", "system-call"},
           {"_raw_spin_lock_irqsave", "synchronization"},
           {"native_queued_spin_lock_slowpath", "synchronization"},
           {"__lll_lock_wait", "synchronization"},
           {"pthread_mutex_lock", "synchronization"},
           {"___pthread_mutex_lock", "synchronization"},
           {"asm_exc_page_fault", "page-faults"},
           {"finish_task_switch.isra.0", "scheduling"},
           {"__cxa_throw", "runtime"},
           {"XXH64_digest", "hashing"},
           {"std::_Hash_bytes", "hashing"},
           {"longest_match", "compression"},
           {"inflate_fast", "compression"},
           {"ZSTD_compressBlock_fast", "compression"},
           {"aesni_ctr32_encrypt_blocks", "crypto"},
           {"sha256_block_data_order_avx2", "crypto"},
           {"re2::DFA::InlinedSearchLoop", "regular-expressions"},
           {"nlohmann::basic_json<>::parse", "parsing"},
           {"____strtod_l_internal", "parsing"},
           {"_PyEval_EvalFrameDefault", "interpreter"},
           {"runtime.scanobject", "garbage-collection"}}) {
    EXPECT_TRUE(has(symbol, category)) << symbol << " should be " << category;
  }
  EXPECT_TRUE(has("ext4_map_blocks", "kernel", "[kernel.kallsyms]"));
  EXPECT_TRUE(has("nv_open", "kernel", "/lib/modules/6.1/nvidia.ko.xz"));
  for (const char* symbol :
       {"copyright_notice", "deepcopy_config", "recopy", "free_form_text", "writer_loop",
        "read_config", "ready", "pollution", "malloc_stats_printer_main", "rehash_table_entries",
        "deflated_balloon", "json", "parse", "schedule_report_for_user_x", "compute",
        "Interpret"}) {
    EXPECT_TRUE(BuiltInRules().CategoriesOf(symbol, "/usr/bin/app").empty()) << symbol;
  }
  EXPECT_FALSE(has("gettimeofday", "kernel", "[vdso]"));
}

TEST(Diagnosis, HitsAreCandidatesWithWhatIsMissing) {
  const Analysis analysis = Analysed("main;worker;malloc 60\nmain;worker;compute 40\n");
  const Result<nlohmann::json> diagnosis = Diagnose(analysis);
  ASSERT_TRUE(diagnosis.ok());
  const nlohmann::json& hit = diagnosis.value()["classifications"][0];
  EXPECT_EQ(hit["category"], "memory-allocation");
  EXPECT_EQ(hit["conclusion_status"], "candidate");
  EXPECT_EQ(hit["evidence_level"], "L2");
  EXPECT_EQ(hit["confidence"], "low");
  EXPECT_EQ(diagnosis.value()["status"], "partial");
  EXPECT_FALSE(diagnosis.value()["missing_evidence"].empty());

  const auto flat = Diagnose(Analysed("malloc 10\n"));
  EXPECT_EQ(flat.value()["classifications"][0]["evidence_level"], "L1");
  bool told = false;
  for (const auto& limitation : flat.value()["limitations"]) {
    told |= limitation == "there is no call graph";
  }
  EXPECT_TRUE(told);
}

constexpr std::string_view kYamlRule = R"(
- id: own-parse
  version: 2
  scope: generic
  match: {symbol_regex: ["^PARSE"], ancestor_regex: ["^serve$"]}
  thresholds: {self_percent_gte: 10}
  classification: {category: own, confidence: medium}
  observation: "{symbol} below serve"
  limitations: [a]
  missing_evidence: [b]
  next_steps: [c]
  forbidden_conclusions: [d]
)";

TEST(Diagnosis, OwnRulesMatchByPathInYamlAndToml) {
  const Analysis analysis = Analysed("main;serve;parse_it 60\nmain;other;parse_it2 40\n");
  const ScratchFile yaml("rules.yaml", kYamlRule);
  const ScratchFile toml("rules.toml", R"(
[[rule]]
id = "own-parse"
version = 2
scope = "generic"
match = {symbol_regex = ["^PARSE"], ancestor_regex = ["^serve$"]}
thresholds = {self_percent_gte = 10}
classification = {category = "own", confidence = "medium"}
observation = "{symbol} below serve"
limitations = ["a"]
missing_evidence = ["b"]
next_steps = ["c"]
forbidden_conclusions = ["d"]
)");
  for (const std::string& path : {yaml.path(), toml.path()}) {
    const Result<nlohmann::json> diagnosis = Diagnose(analysis, path);
    ASSERT_TRUE(diagnosis.ok()) << Describe(diagnosis.error());
    ASSERT_EQ(diagnosis.value()["classifications"].size(), 1U);
    EXPECT_EQ(diagnosis.value()["classifications"][0]["observation"], "parse_it below serve");
  }
}

TEST(Diagnosis, YamlMayHaveTheKeyOfToml) {
  const Analysis analysis = Analysed("serve;parse_it 10\n");
  std::string below = "rule:\n";
  std::istringstream lines{std::string(kYamlRule)};
  for (std::string line; std::getline(lines, line);) below += "  " + line + '\n';
  const ScratchFile file("keyed.yaml", below);
  const Result<nlohmann::json> diagnosis = Diagnose(analysis, file.path());
  ASSERT_TRUE(diagnosis.ok()) << Describe(diagnosis.error());
  EXPECT_EQ(diagnosis.value()["classifications"].size(), 1U);
  for (const std::string& text : {below + "extra: 1\n", std::string("rule: 7\n")}) {
    const ScratchFile broken("broken.yaml", text);
    EXPECT_EQ(Diagnose(analysis, broken.path()).error().code, ErrorCode::kInvalid) << text;
  }
}

TEST(Diagnosis, BrokenRuleFilesSayWhere) {
  const Analysis analysis = Analysed("main 1\n");
  for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{
           {"scope: generic", "scope: everything"},
           {"^PARSE", "(PARSE"},
           {"confidence: medium", "confidence: high"},
           {"limitations: [a]", "extra: [a]"},
           {"version: 2", "version: two"},
           {"version: 2", "version: 2.5"},
           {"id: own-parse", "id: linux-kernel-hotspot"},
           {"- id", "- [id"}}) {
    std::string text(kYamlRule);
    text.replace(text.find(from), from.size(), to);
    const ScratchFile file("broken.yaml", text);
    const Result<nlohmann::json> diagnosis = Diagnose(analysis, file.path());
    ASSERT_FALSE(diagnosis.ok()) << to;
    EXPECT_EQ(diagnosis.error().code, ErrorCode::kInvalid);
    EXPECT_EQ(diagnosis.error().file, file.path());
  }
}

TEST(Report, CharactersThatTurnTextAreSpeltOut) {
  const Analysis analysis = Analysed("main;evil\u202egnp\u2066.exe 3\n");
  const Result<nlohmann::json> diagnosis = Diagnose(analysis);
  ASSERT_TRUE(diagnosis.ok());
  for (const std::string& report : {ReportMarkdown(analysis, diagnosis.value(), {}),
                                    ReportHtml(analysis, diagnosis.value(), {}, "")}) {
    EXPECT_EQ(report.find("\u202e"), std::string::npos);
    EXPECT_EQ(report.find("\u2066"), std::string::npos);
    EXPECT_NE(report.find("evil\\u202egnp\\u2066.exe"), std::string::npos) << report;
  }
}

TEST(Report, SaysWhatWasSeenAndConfirmsNothing) {
  const Analysis analysis = Analysed("main;a|b`\\;malloc 60\nmain;<script>alert(1)</script> 40\n");
  const nlohmann::json diagnosis = Diagnose(analysis).value();
  const std::string markdown = ReportMarkdown(analysis, diagnosis, {.problem = "slow | *now*"});
  for (const char* heading : {"## 1. Problem", "## 2. Data quality", "## 3. Observations",
                              "## 4. Hotspots", "## 5. Call paths", "## 6. Candidates",
                              "## 9. Conclusion", "Status: Candidate", "Confirmed: none"}) {
    EXPECT_NE(markdown.find(heading), std::string::npos) << heading;
  }
  const std::string html = ReportHtml(analysis, diagnosis, {}, "<svg/>");
  EXPECT_EQ(html.find("<script>alert"), std::string::npos);
  EXPECT_NE(html.find("<iframe sandbox"), std::string::npos);
  EXPECT_NE(html.find("td.id{white-space:nowrap}"), std::string::npos);
  EXPECT_NE(html.find("<td class=\"id\">H-001</td>"), std::string::npos);
  EXPECT_EQ(markdown, ReportMarkdown(analysis, diagnosis, {.problem = "slow | *now*"}));
}

TEST(ProfileComparison, NamesWhatCameWentAndChanged) {
  const Analysis before = Analysed("old 60\nshared 40\n");
  const Analysis after = Analysed("new 50\nshared 50\n");
  const nlohmann::json comparison = CompareAnalyses(before, after, 1.0);
  EXPECT_TRUE(comparison["comparable"]);
  std::map<std::string, std::string> status;
  for (const auto& row : comparison["hotspot_deltas"]) status[row["symbol"]] = row["status"];
  EXPECT_EQ(status, (std::map<std::string, std::string>{
                        {"new", "added"}, {"old", "removed"}, {"shared", "changed"}}));
}

TEST(ProfileComparison, TheThresholdHoldsForOneSidedEntriesAndCutOffsAreSaid) {
  AnalysisOptions cut{.format = "folded"};
  cut.limits.max_hotspots_output = 1;
  const Analysis before = Analysed("big 990\nsmall 5\nmid 5\n", cut);
  const Analysis after = Analysed("big 900\nmid 96\ntiny 4\n");
  const nlohmann::json comparison = CompareAnalyses(before, after, 1.0);
  ASSERT_EQ(comparison["hotspot_deltas"].size(), 2U);
  EXPECT_EQ(comparison["hotspot_deltas"][0]["status"], "changed");
  EXPECT_EQ(comparison["hotspot_deltas"][1]["status"], "below_cut_off");
  EXPECT_EQ(comparison["hotspot_deltas"][1]["symbol"], "mid");
}

TEST(ProfileComparison, OfWhatACutOffHidesNothingIsClaimed) {
  AnalysisOptions cut{.format = "folded"};
  cut.limits.max_hotspots_output = 1;
  cut.limits.max_call_paths_output = 1;
  const Analysis whole = Analysed("big 600\nmid 390\nsmall 10\n");
  const nlohmann::json comparison =
      CompareAnalyses(Analysed("big 600\nmid 390\nsmall 10\n", cut), whole, 0);
  for (const char* list : {"hotspot_deltas", "call_path_deltas"}) {
    ASSERT_EQ(comparison[list].size(), 3U);
    EXPECT_EQ(comparison[list][0]["status"], "changed");
    for (std::size_t i = 1; i < 3; ++i) {
      EXPECT_EQ(comparison[list][i]["status"], "below_cut_off");
      for (const auto& [key, value] : comparison[list][i].items()) {
        EXPECT_FALSE(key.starts_with("baseline") || key.find("delta") != std::string::npos ||
                     key == "noise" || key == "p_value_adjusted")
            << key;
      }
    }
  }
  EXPECT_EQ(comparison["hotspot_deltas"][1]["candidate_self_weight"], 390);
  EXPECT_NE(ProfileComparisonMarkdown(comparison)
                .find("| `mid` | `unknown` | below\\_cut\\_off | - | 39.000 % | - | - | - | 390 | "
                      "not known |"),
            std::string::npos);
}

TEST(ProfileComparison, WhatIsNotListedCountsInTheFamilyAndWhatIsNotKnownDoesNot) {
  const auto judged = [](const nlohmann::json& comparison) {
    std::map<std::string, double> found;
    for (const auto& row : comparison["hotspot_deltas"]) {
      if (row.contains("noise")) found[row["symbol"]] = row["p_value_adjusted"];
    }
    return found;
  };
  const std::string before = "a 300\nb 200\nc 120\nd 80\ne 60\nf 40\n";
  const std::string after = "a 230\nb 240\nc 130\nd 85\ne 65\nf 50\n";
  const std::map<std::string, double> all =
      judged(CompareAnalyses(Analysed(before), Analysed(after), 0));
  ASSERT_EQ(all.size(), 6U);
  for (const double threshold : {1.0, 2.0, 5.0}) {
    const auto listed = judged(CompareAnalyses(Analysed(before), Analysed(after), threshold));
    EXPECT_LT(listed.size(), all.size());
    for (const auto& [symbol, p_value] : listed) EXPECT_EQ(p_value, all.at(symbol)) << symbol;
  }

  AnalysisOptions cut{.format = "folded"};
  cut.limits.max_hotspots_output = 3;
  const auto known = judged(CompareAnalyses(Analysed(before, cut), Analysed(after), 0));
  ASSERT_EQ(known.size(), 3U);
  EXPECT_NEAR(known.at("a"), all.at("a") / 2, 1e-9);
}

TEST(ProfileComparison, ChanceExplainsWhatFewSamplesShow) {
  const auto noise = [](const Analysis& before, const Analysis& after) {
    const nlohmann::json rows = CompareAnalyses(before, after, 1.0)["hotspot_deltas"];
    return rows[0]["noise"].get<bool>();
  };
  EXPECT_TRUE(noise(Analysed("a 6\nb 4\n"), Analysed("a 5\nb 5\n")));
  std::string many;
  std::string other;
  for (int i = 0; i < 2000; ++i) {
    many += i % 10 < 6 ? "a 1\n" : "b 1\n";
    other += i % 10 < 4 ? "a 1\n" : "b 1\n";
  }
  EXPECT_FALSE(noise(Analysed(many), Analysed(other)));
}

// A profile of two functions, as pprof: values of both for each sample type.
Analysis AnalysedPprof(std::vector<ValueType> types, const std::vector<std::int64_t>& f,
                       const std::vector<std::int64_t>& g) {
  ProfileBuilder builder(std::move(types));
  const StackId main = builder.Extend(kEmptyStack, builder.FrameNamed("main"));
  builder.AddSample(builder.Extend(main, builder.FrameNamed("f")), kNoLabels, f, std::nullopt);
  builder.AddSample(builder.Extend(main, builder.FrameNamed("g")), kNoLabels, g, std::nullopt);
  return AnalyzeProfile(std::move(builder).Build(), {.format = "pprof"}).value();
}

TEST(Analysis, OfADifferenceNoShareExceedsTheWhole) {
  const Analysis analysis =
      AnalysedPprof({{"samples", "count"}, {"cpu", "nanoseconds"}}, {3, 30}, {-6, -60});
  EXPECT_EQ(analysis.main.total_weight, -30);
  EXPECT_EQ(analysis.main.whole_weight, 90);
  ASSERT_EQ(analysis.main.hotspots.size(), 3U);
  EXPECT_NEAR(Spot(analysis, "g").self_percent, -66.666667, 1e-6);
  EXPECT_NEAR(Spot(analysis, "main").inclusive_percent, -33.333333, 1e-6);
  EXPECT_FALSE(analysis.main.sample_count.has_value());

  const Result<Analysis> again = AnalysisFromJson(ToJson(analysis));
  ASSERT_TRUE(again.ok()) << Describe(again.error());
  EXPECT_EQ(again.value().main.whole_weight, 90);
  const nlohmann::json diagnosis = Diagnose(again.value()).value();
  EXPECT_NE(ReportMarkdown(again.value(), diagnosis, {}).find("A difference"), std::string::npos);
}

TEST(Analysis, SaysHowManySamplesThereAreOnlyWhereTheInputDoes) {
  const std::vector<ValueType> cpu{{"samples", "count"}, {"cpu", "nanoseconds"}};
  EXPECT_EQ(AnalysedPprof(cpu, {3, 30}, {6, 60}).main.sample_count, 9U);
  const Analysis heap = AnalysedPprof({{"objects", "count"}, {"space", "bytes"}}, {3, 30}, {6, 60});
  EXPECT_FALSE(heap.main.sample_count.has_value());
  EXPECT_FALSE(heap.main.hotspots[0].sample_count.has_value());
  EXPECT_EQ(heap.status, "complete");
  EXPECT_FALSE(ToJson(heap)["metadata"].contains("sample_count"));
  EXPECT_TRUE(AnalysisFromJson(ToJson(heap)).ok());
}

TEST(ProfileComparison, TheVerdictIsTheSameInAnyFormatAndNoneWhereSamplesAreNotTold) {
  const std::vector<ValueType> cpu{{"samples", "count"}, {"cpu", "nanoseconds"}};
  const std::vector<ValueType> heap{{"objects", "count"}, {"space", "bytes"}};
  const auto row = [](const Analysis& before, const Analysis& after) {
    return CompareAnalyses(before, after, 1.0)["hotspot_deltas"][0];
  };
  const nlohmann::json folded =
      row(Analysed("main;f 600\nmain;g 400\n"), Analysed("main;f 400\nmain;g 600\n"));
  const nlohmann::json pprof = row(AnalysedPprof(cpu, {600, 6000}, {400, 4000}),
                                   AnalysedPprof(cpu, {400, 4000}, {600, 6000}));
  EXPECT_EQ(folded["noise"], false);
  EXPECT_EQ(folded["p_value_adjusted"], pprof["p_value_adjusted"]);

  const Analysis before = AnalysedPprof(heap, {600, 6000}, {400, 4000});
  const Analysis after = AnalysedPprof(heap, {400, 4000}, {600, 6000});
  EXPECT_FALSE(row(before, after).contains("noise"));
  EXPECT_NE(ProfileComparisonMarkdown(CompareAnalyses(before, after, 1.0)).find("not known"),
            std::string::npos);
}

TEST(Analysis, FoldedWeightsAreSamplesOnlyWhereTheyCanBe) {
  const Analysis counts = Analysed("main;f 99999990\nmain;malloc 9\n");
  EXPECT_EQ(counts.main.weight_unit, "sample_count");
  EXPECT_EQ(SamplesBehind(9, counts.main), 9);
  const Analysis times = Analysed("main;f 99999991\nmain;malloc 9\n");
  EXPECT_EQ(times.main.weight_unit, "unknown");
  EXPECT_FALSE(SamplesBehind(9, times.main).has_value());

  const auto can_judge = [](const Analysis& analysis) {
    return Diagnose(analysis).value().dump().find("chance cannot be judged") == std::string::npos;
  };
  EXPECT_TRUE(can_judge(counts));
  EXPECT_FALSE(can_judge(times));
  const nlohmann::json comparison = CompareAnalyses(counts, times, 0);
  EXPECT_TRUE(comparison["comparable"]);
  for (const auto& row : comparison["hotspot_deltas"]) EXPECT_FALSE(row.contains("noise"));
  EXPECT_NE(ReportMarkdown(times, Diagnose(times).value(), {})
                .find("Total weight: 100000000 (unit not known)"),
            std::string::npos);
}

TEST(Analysis, RecordsAreThoseOfTheProfileWhereASampleTypeCountsPeriods) {
  for (const bool is_cpu_alone : {false, true}) {
    std::vector<ValueType> types{{"samples", "count"}};
    if (!is_cpu_alone) types.push_back({"cpu", "nanoseconds"});
    ProfileBuilder builder(types);
    const std::vector<std::int64_t> values{30, 300};
    for (const char* name : {"f", "g", "h"}) {
      builder.AddSample(builder.Extend(kEmptyStack, builder.FrameNamed(name)), kNoLabels,
                        std::span(values).first(types.size()), std::nullopt);
    }
    builder.SetRecords(88);
    const Analysis analysis =
        AnalyzeProfile(std::move(builder).Build(), {.format = "pprof"}).value();
    EXPECT_EQ(analysis.parsed_records, 88U);
    EXPECT_EQ(analysis.main.sample_count, 88U);
    EXPECT_FALSE(analysis.main.hotspots[0].sample_count.has_value());
    EXPECT_TRUE(AnalysisFromJson(ToJson(analysis)).ok());
  }
}

TEST(ProfileComparison, AFileInAnotherFolderIsTheSameUnlessTwoHaveItsName) {
  const auto made = [](const std::vector<std::string>& files) {
    ProfileBuilder builder({{"samples", "count"}});
    for (std::size_t i = 0; i < files.size(); ++i) {
      const Line line{builder.AddFunction({.name = builder.Intern("f" + std::to_string(i))}), 0, 0};
      Location location;
      location.mapping = builder.AddMapping({.file = builder.Intern(files[i])});
      location.lines = std::span(&line, 1);
      builder.AddSample(builder.Extend(kEmptyStack, builder.AddLocation(location)), kNoLabels,
                        {10});
    }
    return AnalyzeProfile(std::move(builder).Build(), {.format = "pprof"}).value();
  };
  const auto statuses = [](const nlohmann::json& comparison) {
    std::set<std::string> found;
    for (const auto& row : comparison["hotspot_deltas"]) found.insert(row["status"]);
    return found;
  };
  const nlohmann::json moved =
      CompareAnalyses(made({"/old/app", "/lib/c.so"}), made({"/new/app", "/lib/c.so"}), 0);
  EXPECT_EQ(statuses(moved), std::set<std::string>{"changed"});
  EXPECT_EQ(moved["dso_matches"], (nlohmann::json{{"/old/app", "/new/app"}}));
  EXPECT_NE(ProfileComparisonMarkdown(moved).find("/old/app"), std::string::npos);

  const nlohmann::json unclear =
      CompareAnalyses(made({"/a/app", "/b/app"}), made({"/c/app", "/b/app", "/d/app"}), 0);
  EXPECT_TRUE(unclear["dso_matches"].empty());
}

}  // namespace
}  // namespace sonde
