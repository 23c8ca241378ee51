// FlameFile: the options of sub-commands that draw, and the file they write.

#ifndef SONDE_CLI_FLAME_FILE_H_
#define SONDE_CLI_FLAME_FILE_H_

#include <CLI/CLI.hpp>
#include <string>

#include "sonde/flame_graph.h"
#include "sonde/result.h"

namespace sonde::cli {

// --title, --subtitle, --layout, --callers, --order, --colors, --scheme, --width,
// --min-width and --max-nodes.
class FlameFile {
 public:
  void AddTo(CLI::App& command);

  FlameShape Shape(const ValueType& type) const;
  // `title` and `subtitle` stand unless the user gave others.
  FlameStyle Style(std::string title, std::vector<std::string> subtitle) const;

  // ".svg" and ".svgz" are pictures, ".html" and ".htm" pages; with ".gz", or as
  // ".svgz", compressed.
  static bool IsNamedLikeOne(const std::string& path);
  static Status Write(const FlameGraph& graph, const FlameStyle& style, const std::string& path);

 private:
  std::string title_;
  std::string subtitle_;
  std::string layout_ = "icicle";
  bool callers_ = false;
  std::string order_ = "name";
  std::string colors_ = "module";
  std::string scheme_ = "auto";
  double width_px_ = 1200;
  double min_frame_px_ = 0.5;
  std::size_t max_nodes_ = 200'000;
};

}  // namespace sonde::cli

#endif  // SONDE_CLI_FLAME_FILE_H_
