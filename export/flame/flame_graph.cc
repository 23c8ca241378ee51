// FlameGraph: the picture of a call tree, or of the difference between two.

#include "sonde/flame_graph.h"

#include "export/flame/assets.h"
#include "export/flame/flame_tree.h"
#include "export/flame/flame_writer.h"
#include "export/flame/markup.h"

namespace sonde {
namespace {

// Writes pieces until one fails.
class Pieces {
 public:
  explicit Pieces(ByteSink& sink) : sink_(sink) {}
  Pieces& operator<<(std::string_view text) {
    return Add([&] { return sink_.Write(text); });
  }
  template <typename Step>
  Pieces& Add(Step step) {
    if (status_.ok()) status_ = step();
    return *this;
  }
  Status status() const { return status_; }

 private:
  ByteSink& sink_;
  Status status_;
};

// A scheme other than the reader's own is chosen by making the dark rules hold always or never.
std::string StyleFor(FlameScheme scheme) {
  std::string style(flame_assets::kFlameCss);
  if (scheme == FlameScheme::kAuto) return style;
  constexpr std::string_view kQuery = "@media (prefers-color-scheme: dark)";
  const std::size_t at = style.find(kQuery);
  style.replace(at, kQuery.size(), scheme == FlameScheme::kDark ? "@media all" : "@media not all");
  return style;
}

void AddScripts(Pieces& pieces) {
  pieces << flame_assets::kFlameTextJs << flame_assets::kFlameModelJs << flame_assets::kFlameViewJs
         << flame_assets::kFlameJs;
}

}  // namespace

FlameGraph::FlameGraph(std::unique_ptr<const FlameTree> tree) : tree_(std::move(tree)) {}
FlameGraph::FlameGraph(FlameGraph&&) noexcept = default;
FlameGraph& FlameGraph::operator=(FlameGraph&&) noexcept = default;
FlameGraph::~FlameGraph() = default;

Result<FlameGraph> FlameGraph::Make(const CallTree& tree, const FlameShape& shape) {
  Result<std::unique_ptr<const FlameTree>> made = FlameTree::Of(tree, shape);
  if (!made.ok()) return made.error();
  return FlameGraph(std::move(made).value());
}

Result<FlameGraph> FlameGraph::MakeDifference(const CallTree& base, const CallTree& now,
                                              const FlameShape& shape) {
  Result<std::unique_ptr<const FlameTree>> made = FlameTree::Union(base, now, shape);
  if (!made.ok()) return made.error();
  return FlameGraph(std::move(made).value());
}

std::size_t FlameGraph::node_count() const noexcept { return tree_->nodes().size(); }
std::uint64_t FlameGraph::left_out() const noexcept { return tree_->left_out(); }

Status FlameGraph::WriteJson(const FlameStyle& style, ByteSink& sink) const {
  return WriteFlameData(*tree_, style, sink);
}

Status FlameGraph::WriteSvg(const FlameStyle& style, ByteSink& sink) const {
  const FlamePicture picture(*tree_, style);
  std::string title;
  AppendXml(title, CleanText(style.title));
  Pieces pieces(sink);
  pieces << "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"?>\n"
         << picture.StartTag() << "<title>" << title << "</title>\n<style>\n"
         << StyleFor(style.scheme) << "</style>\n";
  pieces.Add([&] { return picture.Write(sink); });
  pieces << "<script type=\"application/json\" class=\"sonde-data\">";
  pieces.Add([&] { return WriteJson(style, sink); });
  pieces << "</script>\n<script><![CDATA[\n";
  AddScripts(pieces);
  return (pieces << "]]></script>\n</svg>\n").status();
}

Status FlameGraph::WriteHtml(const FlameStyle& style, ByteSink& sink) const {
  const FlamePicture picture(*tree_, style);
  std::string title;
  AppendXml(title, CleanText(style.title));
  Pieces pieces(sink);
  // The policy holds the page to what it carries: it cannot load or send anything.
  pieces << "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
            "<meta name=\"viewport\" content=\"width=device-width\">\n"
            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
            "style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n<title>"
         << title << "</title>\n<style>\n"
         << StyleFor(style.scheme) << "</style>\n</head>\n<body>\n"
         << picture.StartTag();
  pieces.Add([&] { return picture.Write(sink); });
  pieces << "</svg>\n<script type=\"application/json\" class=\"sonde-data\">";
  pieces.Add([&] { return WriteJson(style, sink); });
  pieces << "</script>\n<script>\n";
  AddScripts(pieces);
  return (pieces << "</script>\n</body>\n</html>\n").status();
}

std::vector<std::string> DescribeForFlame(const Profile& profile, std::size_t sample_type) {
  const ValueType& type = profile.sample_types()[sample_type];
  std::string line = type.type + ": ";
  AppendWeight(line, profile.Total(sample_type), type);
  const auto add = [&](std::string_view before, std::int64_t value, const ValueType& unit,
                       std::string_view after) {
    line += " · ";
    line += before;
    AppendWeight(line, value, unit);
    line += after;
  };
  if (const std::uint64_t records = profile.RecordsOf(sample_type).value_or(0); records != 0) {
    add("", static_cast<std::int64_t>(records), {"records", "count"}, "");
  }
  if (profile.period() != 0) add("one every ", profile.period(), profile.period_type(), "");
  if (profile.duration_ns() != 0) add("over ", profile.duration_ns(), {"", "nanoseconds"}, "");
  std::vector<std::string> lines{std::move(line)};
  std::string losses;
  for (const Loss& loss : profile.losses().entries()) {
    if (loss.count == 0) continue;
    losses += losses.empty() ? "Lost: " : ", ";
    AppendWeight(losses, static_cast<std::int64_t>(loss.count), {loss.unit, "count"});
    losses += " (" + loss.cause + ')';
  }
  if (!losses.empty()) lines.push_back(std::move(losses));
  return lines;
}

}  // namespace sonde
