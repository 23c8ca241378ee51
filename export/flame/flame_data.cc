// FlameWriter: the data that the drawing script reads.

#include <unordered_map>
#include <vector>

#include "export/flame/flame_writer.h"
#include "export/flame/frame_colors.h"
#include "export/flame/markup.h"

namespace sonde {
namespace {

constexpr std::size_t kChunk = std::size_t{256} << 10;

char LetterOf(FrameKind kind) {
  switch (kind) {
    case FrameKind::kUser:
      return 'u';
    case FrameKind::kInlined:
      return 'i';
    case FrameKind::kKernel:
      return 'k';
    case FrameKind::kJit:
      return 'j';
    case FrameKind::kUnknown:
      break;
  }
  return 'x';
}

// Hands full chunks on, so that a large graph is never in memory as text.
class Chunks {
 public:
  explicit Chunks(ByteSink& sink) : sink_(sink) {}
  std::string& text() { return text_; }
  Status FlushIfFull() { return text_.size() < kChunk ? Status() : Flush(); }
  Status Flush() {
    const Status status = sink_.Write(text_);
    text_.clear();
    return status;
  }

 private:
  ByteSink& sink_;
  std::string text_;
};

template <typename Each>
void AppendList(std::string& out, std::string_view key, const std::vector<FlameFrame>& items,
                Each each) {
  AppendJson(out, key);
  out += ":[";
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i > 0) out += ',';
    each(items[i]);
  }
  out += "],\n";
}

void AppendFrames(std::string& out, std::span<const FlameFrame> span) {
  const std::vector<FlameFrame> frames(span.begin(), span.end());
  std::unordered_map<std::string_view, std::size_t> module_of;
  std::vector<std::string_view> modules;
  for (const FlameFrame& frame : frames) {
    if (!frame.module.empty() && module_of.emplace(frame.module, modules.size()).second) {
      modules.push_back(frame.module);
    }
  }
  out += "\"modules\":[";
  for (std::size_t i = 0; i < modules.size(); ++i) {
    if (i > 0) out += ',';
    AppendJson(out, modules[i]);
  }
  out += "],\n\"frames\":{";
  AppendList(out, "name", frames, [&](const FlameFrame& frame) { AppendJson(out, frame.name); });
  AppendList(out, "place", frames, [&](const FlameFrame& frame) { AppendJson(out, frame.place); });
  AppendList(out, "module", frames, [&](const FlameFrame& frame) {
    if (frame.module.empty()) {
      out += "-1";
    } else {
      AppendNumber(out, static_cast<std::int64_t>(module_of.at(frame.module)));
    }
  });
  std::string kinds;
  std::string colors;
  std::string kind_colors;
  for (const FlameFrame& frame : frames) {
    kinds += LetterOf(frame.kind);
    const FrameColor by_module = ColorByModule(frame);
    const FrameColor by_kind = ColorByKind(frame);
    colors += {by_module.hue, by_module.step};
    kind_colors += {by_kind.hue, by_kind.step};
  }
  out += "\"kind\":\"" + kinds + "\",\n\"color\":\"" + colors + "\",\n\"kind_color\":\"" +
         kind_colors + "\"},\n";
}

void AppendHeader(std::string& out, const FlameTree& tree, const FlameStyle& style) {
  const FlameShape& shape = tree.shape();
  out += "{\"version\":1,\n\"title\":";
  AppendJson(out, CleanText(style.title));
  out += ",\n\"subtitle\":[";
  for (std::size_t i = 0; i < style.subtitle.size(); ++i) {
    if (i > 0) out += ',';
    AppendJson(out, CleanText(style.subtitle[i]));
  }
  out += "],\n\"type\":";
  AppendJson(out, CleanText(shape.type.type));
  out += ",\"unit\":";
  AppendJson(out, CleanText(shape.type.unit));
  out += ",\n\"callers\":";
  out += shape.direction == Direction::kFromLeaf ? "true" : "false";
  out += ",\"order\":";
  out += shape.order == FlameOrder::kName ? "\"name\"" : "\"weight\"";
  out += ",\"layout\":";
  out += style.layout == FlameLayout::kIcicle ? "\"icicle\"" : "\"flame\"";
  out += ",\"colors\":";
  out += style.colors == FlameColors::kModule ? "\"module\"" : "\"kind\"";
  out += ",\"scheme\":";
  out += style.scheme == FlameScheme::kAuto    ? "\"auto\""
         : style.scheme == FlameScheme::kLight ? "\"light\""
                                               : "\"dark\"";
  out += ",\n\"left_out\":";
  AppendNumber(out, static_cast<std::int64_t>(tree.left_out()));
  out += ",\n";
}

// Preorder. Behind the last child of a node that lost some stands a node with
// frame -1 that holds their weight.
template <typename Each>
Status ForEachNode(const FlameTree& tree, Chunks& chunks, Each each) {
  const std::span<const FlameNode> nodes = tree.nodes();
  std::vector<std::uint32_t> open;  // From the root to the last node written.
  const auto close_until = [&](std::uint32_t depth) {
    while (open.size() > depth) {
      const FlameNode& node = nodes[open.back()];
      open.pop_back();
      if (node.missing != 0 || node.base_missing != 0) {
        each(-1, node.depth + 1, node.missing, node.base_missing);
      }
    }
  };
  for (std::uint32_t i = 0; i < nodes.size(); ++i) {
    close_until(nodes[i].depth);
    each(nodes[i].frame, nodes[i].depth, nodes[i].self, nodes[i].base_self);
    open.push_back(i);
    if (const Status status = chunks.FlushIfFull(); !status.ok()) return status;
  }
  close_until(0);
  return {};
}

}  // namespace

Status WriteFlameData(const FlameTree& tree, const FlameStyle& style, ByteSink& sink) {
  Chunks chunks(sink);
  std::string& out = chunks.text();
  AppendHeader(out, tree, style);
  AppendFrames(out, tree.frames());
  out += "\"nodes\":[";
  bool is_first = true;
  Status status = ForEachNode(
      tree, chunks, [&](std::int64_t frame, std::uint32_t depth, std::int64_t self, std::int64_t) {
        if (!is_first) out += ',';
        is_first = false;
        AppendNumber(out, frame);
        out += ',';
        AppendNumber(out, depth);
        out += ',';
        AppendNumber(out, self);
      });
  if (!status.ok()) return status;
  out += ']';
  if (tree.is_difference()) {
    out += ",\n\"base\":[";
    is_first = true;
    status = ForEachNode(tree, chunks,
                         [&](std::int64_t, std::uint32_t, std::int64_t, std::int64_t base) {
                           if (!is_first) out += ',';
                           is_first = false;
                           AppendNumber(out, base);
                         });
    if (!status.ok()) return status;
    out += ']';
  }
  out += "}\n";
  return chunks.Flush();
}

}  // namespace sonde
