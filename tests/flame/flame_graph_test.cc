#include "sonde/flame_graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <regex>

#include "tests/flame/folded_profile.h"
#include "tests/flame/xml_reader.h"

namespace sonde {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;

// Not a matcher: a failure would print the whole file.
bool Has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

std::string SvgOf(const Profile& profile, const FlameShape& shape = {},
                  const FlameStyle& style = {}) {
  const FrameNames names(profile);
  const CallTree tree(names, 0, shape.direction);
  const Result<FlameGraph> graph = FlameGraph::Make(tree, shape);
  EXPECT_TRUE(graph.ok()) << (graph.ok() ? "" : graph.error().message);
  StringSink sink;
  EXPECT_TRUE(graph.value().WriteSvg(style, sink).ok());
  return std::move(sink).Take();
}

std::string SvgOfDifference(const Profile& base, const Profile& now) {
  const FrameNames base_names(base);
  const FrameNames now_names(now);
  const Result<FlameGraph> graph =
      FlameGraph::MakeDifference(CallTree(base_names, 0), CallTree(now_names, 0));
  EXPECT_TRUE(graph.ok());
  StringSink sink;
  EXPECT_TRUE(graph.value().WriteSvg({}, sink).ok());
  return std::move(sink).Take();
}

std::vector<std::string> TitlesOf(const std::string& svg) {
  const XmlReader xml(svg);
  EXPECT_EQ(xml.error(), "");
  std::vector<std::string> titles = xml.TextsOf("title");
  if (!titles.empty()) titles.erase(titles.begin());  // Of the document.
  return titles;
}

TEST(FlameGraph, EveryFrameHasATitleWithItsWeightAndShare) {
  EXPECT_THAT(TitlesOf(SvgOf(ProfileOf("main;read 3\nmain;parse;lex 1000\nmain 1"))),
              ElementsAre("all (1,004 samples, 100.00%)", "main (1,004 samples, 100.00%)",
                          "parse (1,000 samples, 99.60%)", "lex (1,000 samples, 99.60%)",
                          "read (3 samples, 0.30%)"));
}

TEST(FlameGraph, HeaviestFirstPutsTheWidestSiblingAtTheLeft) {
  const Profile profile = ProfileOf("a 1\nb 7\nc 3");
  EXPECT_THAT(TitlesOf(SvgOf(profile, {.order = FlameOrder::kWeight})),
              ElementsAre("all (11 samples, 100.00%)", "b (7 samples, 63.64%)",
                          "c (3 samples, 27.27%)", "a (1 samples, 9.09%)"));
}

TEST(FlameGraph, CallersStandOnEachFunction) {
  const Profile profile = ProfileOf("main;read;copy 3\nmain;write;copy 1");
  EXPECT_THAT(TitlesOf(SvgOf(profile, {.direction = Direction::kFromLeaf})),
              ElementsAre("all (4 samples, 100.00%)", "copy (4 samples, 100.00%)",
                          "read (3 samples, 75.00%)", "main (3 samples, 75.00%)",
                          "write (1 samples, 25.00%)", "main (1 samples, 25.00%)"));
}

TEST(FlameGraph, DoesNotDependOnTheOrderOfTheSamples) {
  EXPECT_EQ(SvgOf(ProfileOf("main;a 3\nmain;b;c 4\nmain;b 2")),
            SvgOf(ProfileOf("main;b 2\nmain;b;c 4\nmain;a 3")));
}

TEST(FlameGraph, ChildrenNeverReachBeyondTheirParent) {
  const std::string svg = SvgOf(ProfileOf("m;a 1\nm;b;x 2\nm;b;y 5\nm;c 1\nm 3\nn;b 4"));
  const std::regex box("<rect class=\"[^\"]*\" x=\"([\\d.]+)\" y=\"(\\d+)\" width=\"([\\d.]+)\"");
  std::map<int, double> row_width;
  for (std::sregex_iterator it(svg.begin(), svg.end(), box), end; it != end; ++it) {
    const double right = std::stod((*it)[1]) + std::stod((*it)[3]);
    EXPECT_LE(right, 1192.01);
    row_width[std::stoi((*it)[2])] += std::stod((*it)[3]);
  }
  double above = 1e9;
  for (const auto& [top, width] : row_width) {
    EXPECT_LE(width, above);
    above = width + 1;
  }
  EXPECT_EQ(row_width.size(), 4U);
}

TEST(FlameGraph, AnyBytesInNamesGiveWellFormedXmlAndNoScript) {
  const std::string evil =
      "a;b\x1b[0m;c\xff\xfe;\xc0\xaf;</script><script>alert(1)</"
      "script>;]]>;<!--;&lt\"';\xed\xa0\x80;"
      "\xef\xbf\xbe 7";
  FlameStyle style;
  style.title = "t]]></title><b>";
  style.subtitle = {"</text>\x01"};
  const std::string svg = SvgOf(ProfileOf(evil), {}, style);

  EXPECT_THAT(TitlesOf(svg), Contains("</script><script>alert(1)</script> (7 samples, 100.00%)"));
  EXPECT_THAT(TitlesOf(svg), Contains("b\xef\xbf\xbd[0m (7 samples, 100.00%)"));
  EXPECT_THAT(TitlesOf(svg), Contains("&lt\"' (7 samples, 100.00%)"));
  EXPECT_FALSE(Has(svg, "<script>alert"));
  EXPECT_FALSE(Has(svg, "\x1b"));
}

TEST(FlameGraph, HtmlCannotBeBrokenOutOf) {
  const Profile profile = ProfileOf("a;</script><script>alert(1)</script>;<!--<script> 7");
  const FrameNames names(profile);
  const Result<FlameGraph> graph = FlameGraph::Make(CallTree(names, 0));
  StringSink sink;
  ASSERT_TRUE(graph.value().WriteHtml({}, sink).ok());
  const std::string& html = sink.text();
  EXPECT_FALSE(Has(html, "<script>alert"));
  EXPECT_FALSE(Has(html, "<!--"));
  std::size_t ends = 0;
  for (std::size_t at = 0; (at = html.find("</script", at)) != std::string::npos; ++at) ++ends;
  EXPECT_EQ(ends, 2U);
}

TEST(FlameGraph, ScalesWithThePageItIsPutIn) {
  const std::string svg = SvgOf(ProfileOf("a 1"));
  EXPECT_TRUE(Has(svg, "width=\"1200\" height=\""));
  EXPECT_TRUE(Has(svg, "viewBox=\"0 0 1200 "));
  EXPECT_TRUE(Has(svg, "style=\"width:100%;height:auto\""));
}

TEST(FlameGraph, SaysHowManyFramesWereTooNarrowToDraw) {
  std::string folded = "main;wide 1000000\n";
  for (int i = 0; i < 500; ++i) folded += "main;narrow" + std::to_string(i) + " 1\n";
  const std::string svg = SvgOf(ProfileOf(folded));
  EXPECT_TRUE(Has(svg, "500 frames narrower than 0.042% of the width are not drawn"));
  EXPECT_TRUE(Has(svg, "narrow499"));  // Still found by search and by zooming.
  EXPECT_FALSE(Has(svg, "are not in this file"));
}

TEST(FlameGraph, KeepsTheHeaviestWithinItsLimitAndSaysWhatItLeftOut) {
  std::string folded = "main;wide 1000000\n";
  for (int i = 0; i < 500; ++i) folded += "main;narrow" + std::to_string(i) + " 1\n";
  const Profile profile = ProfileOf(folded);
  const FrameNames names(profile);
  const Result<FlameGraph> graph = FlameGraph::Make(CallTree(names, 0), {.max_nodes = 100});
  EXPECT_EQ(graph.value().node_count(), 3U);
  EXPECT_EQ(graph.value().left_out(), 500U);
  StringSink sink;
  ASSERT_TRUE(graph.value().WriteSvg({}, sink).ok());
  EXPECT_TRUE(Has(sink.text(), "The 500 lightest frames are not in this file."));
  EXPECT_THAT(TitlesOf(sink.text()), Contains("main (1,000,500 samples, 100.00%)"));
}

TEST(FlameGraph, AStackOfThreeThousandFramesIsDrawn) {
  std::string folded;
  for (int i = 0; i < 3000; ++i) folded += "recurse;";
  const std::vector<std::string> titles = TitlesOf(SvgOf(ProfileOf(folded + "leaf 5")));
  EXPECT_EQ(titles.size(), 3002U);
  EXPECT_EQ(titles.back(), "leaf (5 samples, 100.00%)");
}

TEST(FlameGraph, AnEmptyProfileIsAPictureThatSaysSo) {
  EXPECT_TRUE(Has(SvgOf(ProfileOf("")), "No samples"));
  EXPECT_THAT(TitlesOf(SvgOf(ProfileOf(""))), ElementsAre("all (0 samples, 0.00%)"));
}

TEST(FlameGraph, RefusesNegativeWeights) {
  const Profile profile = ProfileOf("main;a 4\nmain;b -1");
  const FrameNames names(profile);
  const Result<FlameGraph> graph = FlameGraph::Make(CallTree(names, 0));
  ASSERT_FALSE(graph.ok());
  EXPECT_EQ(graph.error().code, ErrorCode::kInvalid);
}

TEST(FlameGraph, ADifferenceTellsOldNewAndBothChanges) {
  const std::string svg = SvgOfDifference(ProfileOf("main;same 10\nmain;less 8\nmain;gone 5"),
                                          ProfileOf("main;same 10\nmain;less 2\nmain;fresh 4"));
  EXPECT_THAT(
      TitlesOf(svg),
      ElementsAre("all (16 samples, 100.00%; base 23 samples, 100.00%; -7 samples, -30.43%)",
                  "main (16 samples, 100.00%; base 23 samples, 100.00%; -7 samples, -30.43%)",
                  "fresh (4 samples, 25.00%; base 0 samples, 0.00%; +4 samples, new)",
                  "gone (0 samples, 0.00%; base 5 samples, 21.74%; -5 samples, gone)",
                  "less (2 samples, 12.50%; base 8 samples, 34.78%; -6 samples, -75.00%)",
                  "same (10 samples, 62.50%; base 10 samples, 43.48%; 0 samples, 0.00%)"));
  EXPECT_TRUE(Has(svg, "class=\"v0\""));   // Gone.
  EXPECT_TRUE(Has(svg, "class=\"v12\""));  // New.
  EXPECT_TRUE(Has(svg, "Changed most: less -6 samples"));
}

TEST(FlameGraph, ADifferenceWithAnEmptyProfileHasNoNonsense) {
  const std::string svg = SvgOfDifference(ProfileOf(""), ProfileOf("a 1"));
  EXPECT_THAT(TitlesOf(svg),
              Contains("a (1 samples, 100.00%; base 0 samples, 0.00%; +1 samples, new)"));
  EXPECT_FALSE(Has(svg, "nan%"));
}

}  // namespace
}  // namespace sonde
