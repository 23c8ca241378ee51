// FlameWriter: puts a FlameTree into files.

#ifndef SONDE_EXPORT_FLAME_FLAME_WRITER_H_
#define SONDE_EXPORT_FLAME_FLAME_WRITER_H_

#include <string>

#include "export/flame/flame_tree.h"
#include "sonde/byte_sink.h"

namespace sonde {

// The object that flame_model.js reads.
Status WriteFlameData(const FlameTree& tree, const FlameStyle& style, ByteSink& sink);

// What stands inside the svg element of a still picture: the drawing alone.
class FlamePicture {
 public:
  FlamePicture(const FlameTree& tree, const FlameStyle& style);

  // The start tag of the svg element.
  std::string StartTag() const;
  Status Write(ByteSink& sink) const;

 private:
  void AppendHeader(std::string& out) const;
  void AppendHottest(std::string& out) const;
  void AppendFrame(std::string& out, const FlameNode& node, double left) const;
  void AppendTitle(std::string& out, const FlameNode& node) const;
  void AppendClass(std::string& out, const FlameNode& node) const;
  double WidthOf(const FlameNode& node) const;
  double TopOf(std::uint32_t depth) const;
  bool IsDrawn(const FlameNode& node) const;

  const FlameTree& tree_;
  const FlameStyle& style_;
  double header_px_;
  double height_px_;
  std::uint32_t drawn_depth_ = 0;
  std::uint64_t too_narrow_ = 0;
};

}  // namespace sonde

#endif  // SONDE_EXPORT_FLAME_FLAME_WRITER_H_
