// FlameFile: the options of sub-commands that draw, and the file they write.

#include "cli/flame_file.h"

#include "cli/finite.h"
#include "cli/output.h"

namespace sonde::cli {
namespace {

constexpr double kNarrowestPicture = 100;
constexpr double kWidestPicture = 100'000;

bool IsPage(std::string_view path) { return path.ends_with(".html") || path.ends_with(".htm"); }

std::string_view WithoutGz(std::string_view path) {
  return path.ends_with(".gz") ? path.substr(0, path.size() - 3) : path;
}

Status WriteTo(const FlameGraph& graph, const FlameStyle& style, bool is_page, ByteSink& sink) {
  return is_page ? graph.WriteHtml(style, sink) : graph.WriteSvg(style, sink);
}

}  // namespace

void FlameFile::AddTo(CLI::App& command) {
  command.add_option("--title", title_, "Title instead of the input's name");
  command.add_option("--subtitle", subtitle_, "A line below the title");
  command.add_option("--layout", layout_, "Root on top (icicle) or at the bottom (flame)")
      ->check(CLI::IsMember({"icicle", "flame"}))
      ->capture_default_str();
  command.add_flag("--callers", callers_, "Draw callers on each function instead of callees");
  command.add_option("--order", order_, "Siblings by name, or the heaviest first (weight)")
      ->check(CLI::IsMember({"name", "weight"}))
      ->capture_default_str();
  command.add_option("--colors", colors_, "What a frame's colour tells")
      ->check(CLI::IsMember({"module", "kind"}))
      ->capture_default_str();
  command.add_option("--scheme", scheme_, "Light, dark, or as the reader's system is set")
      ->check(CLI::IsMember({"auto", "light", "dark"}))
      ->capture_default_str();
  command.add_option("--width", width_px_, "Width of the picture in pixels")
      ->check(NumberFrom(kNarrowestPicture, kWidestPicture))
      ->capture_default_str();
  command
      .add_option("--min-width", min_frame_px_,
                  "Narrower frames (pixels) are left to the script, which shows them when zoomed")
      ->check(NumberFrom(0.0, kNarrowestPicture))
      ->capture_default_str();
  command.add_option("--max-nodes", max_nodes_, "Frames kept in the file, the heaviest first")
      ->check(CLI::Range(std::size_t{1}, std::size_t{1} << 26))
      ->capture_default_str();
}

FlameShape FlameFile::Shape(const ValueType& type) const {
  return {.type = type,
          .direction = callers_ ? Direction::kFromLeaf : Direction::kFromRoot,
          .order = order_ == "weight" ? FlameOrder::kWeight : FlameOrder::kName,
          .max_nodes = max_nodes_};
}

FlameStyle FlameFile::Style(std::string title, std::vector<std::string> subtitle) const {
  FlameStyle style;
  style.title = title_.empty() ? std::move(title) : title_;
  style.subtitle = std::move(subtitle);
  if (!subtitle_.empty()) style.subtitle.insert(style.subtitle.begin(), subtitle_);
  style.layout = layout_ == "flame" ? FlameLayout::kFlame : FlameLayout::kIcicle;
  style.colors = colors_ == "kind" ? FlameColors::kKind : FlameColors::kModule;
  style.scheme = scheme_ == "light"  ? FlameScheme::kLight
                 : scheme_ == "dark" ? FlameScheme::kDark
                                     : FlameScheme::kAuto;
  style.width_px = width_px_;
  style.min_frame_px = min_frame_px_;
  return style;
}

bool FlameFile::IsNamedLikeOne(const std::string& path) {
  const std::string_view plain = WithoutGz(path);
  return IsPage(plain) || plain.ends_with(".svg") || plain.ends_with(".svgz");
}

Status FlameFile::Write(const FlameGraph& graph, const FlameStyle& style, const std::string& path) {
  Result<std::unique_ptr<ByteSink>> opened = OpenOutput(path);
  if (!opened.ok()) return opened.error();
  ByteSink& sink = *opened.value();
  const bool is_page = IsPage(WithoutGz(path));
  if (!path.ends_with(".gz") && !path.ends_with(".svgz")) {
    if (Status status = WriteTo(graph, style, is_page, sink); !status.ok()) return status;
    return sink.Close();
  }
  GzipSink packed(sink);
  if (Status status = WriteTo(graph, style, is_page, packed); !status.ok()) return status;
  return packed.Close();
}

}  // namespace sonde::cli
