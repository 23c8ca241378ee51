// FlamePicture: the still picture, complete without script.

#include <algorithm>
#include <unordered_map>

#include "export/flame/flame_writer.h"
#include "export/flame/frame_colors.h"
#include "export/flame/markup.h"
#include "export/flame/short_name.h"

namespace sonde {
namespace {

constexpr double kMargin = 8;
constexpr double kRow = 18;
constexpr double kLetter = 7.25;     // One character of the 12-pixel monospace font.
constexpr double kTextLetter = 7.6;  // One of the 13-pixel text font, on the wide side.
constexpr double kPadding = 4;       // Left of a name.
constexpr double kLine = 18;         // A line of text above or below the frames.
constexpr std::size_t kHottest = 6;
constexpr std::size_t kHotLetters = 30;
constexpr std::size_t kChunk = std::size_t{256} << 10;

void AppendText(std::string& out, std::string_view css_class, double x, double y,
                std::string_view clean) {
  out += "<text class=\"";
  out += css_class;
  out += "\" x=\"";
  AppendFixed(out, x, 0);
  out += "\" y=\"";
  AppendFixed(out, y, 0);
  out += "\">";
  AppendXml(out, clean);
  out += "</text>\n";
}

struct HotFrame {
  std::string_view name;
  std::int64_t self = 0;
  std::int64_t base_self = 0;
};

// By self weight, or by its change. In a tree of callers the first row are the leaves.
std::vector<HotFrame> FindHottest(const FlameTree& tree) {
  const bool is_turned = tree.shape().direction == Direction::kFromLeaf;
  std::unordered_map<std::string_view, HotFrame> by_name;
  for (const FlameNode& node : tree.nodes()) {
    if (node.depth == 0 || (is_turned && node.depth != 1)) continue;
    const std::string_view name = tree.frames()[node.frame].name;
    HotFrame& frame = by_name[name];
    frame.name = name;
    frame.self = SaturatingAdd(frame.self, is_turned ? node.total : node.self);
    frame.base_self = SaturatingAdd(frame.base_self, is_turned ? node.base_total : node.base_self);
  }
  const auto weight = [&](const HotFrame& frame) {
    return tree.is_difference() ? std::abs(frame.self - frame.base_self) : frame.self;
  };
  const FlameNode& root = tree.nodes().front();
  const std::int64_t least = std::max(root.total, root.base_total) / 1000;
  std::vector<HotFrame> hottest;
  for (const auto& [name, frame] : by_name) {
    if (weight(frame) > least) hottest.push_back(frame);
  }
  const auto is_hotter = [&](const HotFrame& a, const HotFrame& b) {
    return weight(a) != weight(b) ? weight(a) > weight(b) : a.name < b.name;
  };
  const std::size_t count = std::min(kHottest, hottest.size());
  std::partial_sort(hottest.begin(), hottest.begin() + static_cast<std::ptrdiff_t>(count),
                    hottest.end(), is_hotter);
  hottest.resize(count);
  return hottest;
}

}  // namespace

FlamePicture::FlamePicture(const FlameTree& tree, const FlameStyle& style)
    : tree_(tree), style_(style) {
  header_px_ = 36 + kLine * static_cast<double>(style.subtitle.size() + 1);
  for (const FlameNode& node : tree.nodes()) {
    if (node.width == 0) continue;
    if (IsDrawn(node)) {
      drawn_depth_ = std::max(drawn_depth_, node.depth);
    } else {
      ++too_narrow_;
    }
  }
  const double notes = (too_narrow_ > 0 ? kLine : 0) + (tree.left_out() > 0 ? kLine : 0);
  height_px_ = header_px_ + kRow * (drawn_depth_ + 1) + notes + kMargin;
}

double FlamePicture::WidthOf(const FlameNode& node) const {
  const std::int64_t whole = tree_.nodes().front().width;
  if (whole == 0) return node.depth == 0 ? style_.width_px - 2 * kMargin : 0;
  return static_cast<double>(node.width) / static_cast<double>(whole) *
         (style_.width_px - 2 * kMargin);
}

bool FlamePicture::IsDrawn(const FlameNode& node) const {
  return node.depth == 0 || WidthOf(node) >= style_.min_frame_px;
}

double FlamePicture::TopOf(std::uint32_t depth) const {
  const std::uint32_t row = style_.layout == FlameLayout::kIcicle ? depth : drawn_depth_ - depth;
  return header_px_ + kRow * row;
}

std::string FlamePicture::StartTag() const {
  std::string out =
      "<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\" class=\"sonde\" width=\"";
  AppendFixed(out, style_.width_px, 0);
  out += "\" height=\"";
  AppendFixed(out, height_px_, 0);
  out += "\" viewBox=\"0 0 ";
  AppendFixed(out, style_.width_px, 0);
  out += ' ';
  AppendFixed(out, height_px_, 0);
  out += "\" style=\"width:100%;height:auto\" role=\"img\" aria-label=\"";
  AppendXml(out, CleanText(style_.title));
  out += "\">\n";
  return out;
}

void FlamePicture::AppendHeader(std::string& out) const {
  out += "<rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n";
  AppendText(out, "heading-text", kMargin, 26, CleanText(style_.title));
  double y = 26;
  for (const std::string& line : style_.subtitle) {
    AppendText(out, "quiet", kMargin, y += kLine, CleanText(line));
  }
  AppendHottest(out);
}

void FlamePicture::AppendHottest(std::string& out) const {
  const FlameNode& root = tree_.nodes().front();
  const double room = (style_.width_px - 2 * kMargin) / kTextLetter;
  std::string line;
  for (const HotFrame& frame : FindHottest(tree_)) {
    std::string spot =
        line.empty() ? (tree_.is_difference() ? "Changed most: " : "Hottest: ") : " · ";
    spot += ShortName(frame.name, kHotLetters);
    spot += ' ';
    if (tree_.is_difference()) {
      AppendChange(spot, frame.self - frame.base_self, tree_.shape().type);
    } else {
      AppendPercent(spot, frame.self, root.total);
      spot += '%';
    }
    const auto letters = static_cast<double>(CharacterCount(line) + CharacterCount(spot));
    if (letters > room) break;
    line += spot;
  }
  if (line.empty()) line = root.total == 0 ? "No samples" : "No function has 0.1% of the total";
  AppendText(out, "ink", kMargin, header_px_ - 10, line);
}

void FlamePicture::AppendTitle(std::string& out, const FlameNode& node) const {
  const ValueType& type = tree_.shape().type;
  const FlameNode& root = tree_.nodes().front();
  AppendXml(out, tree_.frames()[node.frame].name);
  std::string facts = " (";
  AppendWeight(facts, node.total, type);
  facts += ", ";
  AppendPercent(facts, node.total, root.total);
  facts += '%';
  if (tree_.is_difference()) {
    facts += "; base ";
    AppendWeight(facts, node.base_total, type);
    facts += ", ";
    AppendPercent(facts, node.base_total, root.base_total);
    facts += "%; ";
    AppendChange(facts, node.total - node.base_total, type);
    if (node.base_total == 0) {
      facts += ", new";
    } else if (node.total == 0) {
      facts += ", gone";
    } else {
      facts += node.total > node.base_total ? ", +" : ", ";
      AppendPercent(facts, node.total - node.base_total, node.base_total);
      facts += '%';
    }
  }
  facts += ')';
  AppendXml(out, facts);
}

void FlamePicture::AppendClass(std::string& out, const FlameNode& node) const {
  if (node.depth == 0) {
    out += "root";
  } else if (tree_.is_difference()) {
    out += 'v';
    AppendNumber(out, ColorOfChange(node.base_total, node.total));
  } else {
    const FlameFrame& frame = tree_.frames()[node.frame];
    const FrameColor color =
        style_.colors == FlameColors::kModule ? ColorByModule(frame) : ColorByKind(frame);
    out += {color.hue, color.step};
  }
}

void FlamePicture::AppendFrame(std::string& out, const FlameNode& node, double left) const {
  const double width = WidthOf(node);
  const double top = TopOf(node.depth);
  out += "<g><title>";
  AppendTitle(out, node);
  out += "</title><rect class=\"";
  AppendClass(out, node);
  out += "\" x=\"";
  AppendFixed(out, left, 2);
  out += "\" y=\"";
  AppendFixed(out, top, 0);
  out += "\" width=\"";
  AppendFixed(out, std::max(width - (width > 2 ? 0.75 : 0), 0.0), 2);
  out += "\" height=\"";
  AppendFixed(out, kRow - 1, 0);
  out += "\"/>";
  const double letters = (width - kPadding - 2) / kLetter;
  const std::string text =
      letters < 3 ? std::string()
                  : ShortName(tree_.frames()[node.frame].name, static_cast<std::size_t>(letters));
  if (!text.empty()) {
    out += "<text x=\"";
    AppendFixed(out, left + kPadding, 2);
    out += "\" y=\"";
    AppendFixed(out, top + 13, 0);
    out += "\">";
    AppendXml(out, text);
    out += "</text>";
  }
  out += "</g>\n";
}

Status FlamePicture::Write(ByteSink& sink) const {
  std::string out;
  AppendHeader(out);
  out += "<g class=\"frames\">\n";
  std::vector<double> free;  // By depth: where the next node of that row may start.
  for (const FlameNode& node : tree_.nodes()) {
    free.resize(node.depth + 1);
    const double left = node.depth == 0 ? kMargin : free[node.depth];
    free[node.depth] = left + WidthOf(node);
    free.push_back(left);
    if (IsDrawn(node)) AppendFrame(out, node, left);
    if (out.size() < kChunk) continue;
    if (const Status status = sink.Write(out); !status.ok()) return status;
    out.clear();
  }
  out += "</g>\n";
  double y = header_px_ + kRow * (drawn_depth_ + 1) + 14;
  if (too_narrow_ > 0) {
    std::string note;
    AppendWeight(note, static_cast<std::int64_t>(too_narrow_), {"frames", "count"});
    note += " narrower than ";
    AppendFixed(note, 100 * style_.min_frame_px / (style_.width_px - 2 * kMargin), 3);
    note += "% of the width are not drawn; zooming shows them.";
    AppendText(out, "quiet", kMargin, y, note);
    y += kLine;
  }
  if (tree_.left_out() > 0) {
    std::string note = "The ";
    AppendWeight(note, static_cast<std::int64_t>(tree_.left_out()), {"lightest frames", "count"});
    note += " are not in this file.";
    AppendText(out, "quiet", kMargin, y, note);
  }
  return sink.Write(out);
}

}  // namespace sonde
