// FrameColor: which of the colours in flame.css a frame has, always and everywhere.

#ifndef SONDE_EXPORT_FLAME_FRAME_COLORS_H_
#define SONDE_EXPORT_FLAME_FRAME_COLORS_H_

#include <cstdint>

#include "export/flame/flame_tree.h"

namespace sonde {

// The class ".a2" of flame.css: a hue, and one of four lightnesses by the hash
// of the name so that neighbours differ.
//   a-e  own code, by package     f-k  libraries, by library
//   m    kernel                   r    run-time     x    unknown
struct FrameColor {
  char hue = 'x';
  char step = '0';
};

FrameColor ColorByModule(const FlameFrame& frame);
FrameColor ColorByKind(const FlameFrame& frame);

// The class ".v6" of flame.css: 0 vanished, 6 the same, 12 new. By change
// relative to the larger of both weights.
int ColorOfChange(std::int64_t base, std::int64_t now) noexcept;

}  // namespace sonde

#endif  // SONDE_EXPORT_FLAME_FRAME_COLORS_H_
