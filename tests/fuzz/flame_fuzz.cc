// Any names and weights give a picture that is well-formed XML.

#include <cstdlib>
#include <string_view>

#include "sonde/flame_graph.h"
#include "tests/flame/folded_profile.h"
#include "tests/flame/xml_reader.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  // The first byte chooses how it is drawn; the rest are stacks, a line each.
  const bool from_leaf = (data[0] & 1U) != 0;
  const bool by_weight = (data[0] & 2U) != 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const sonde::Profile profile = sonde::ProfileOf(text);
  const sonde::FrameNames names(profile);
  const sonde::FlameShape shape{
      .direction = from_leaf ? sonde::Direction::kFromLeaf : sonde::Direction::kFromRoot,
      .order = by_weight ? sonde::FlameOrder::kWeight : sonde::FlameOrder::kName,
      .max_nodes = (data[0] & 4U) != 0 ? std::size_t{5} : std::size_t{200'000}};
  const auto graph = sonde::FlameGraph::Make(sonde::CallTree(names, 0, shape.direction), shape);
  if (!graph.ok()) return 0;  // A negative weight.
  sonde::FlameStyle style;
  style.title = text.substr(0, 100);
  sonde::StringSink sink;
  if (!graph.value().WriteSvg(style, sink).ok()) std::abort();
  if (!sonde::XmlReader(sink.text()).error().empty()) std::abort();
  return 0;
}
