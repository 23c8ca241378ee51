// A plugin, built twice with frames of different sizes: what one leaves in a cache is wrong
// for the other at the same address.

#include <cstdlib>
#include <string>

namespace {

[[gnu::noinline]] long Inner(long x, int depth) {
  volatile char frame[PLUGIN_FRAME_BYTES];
  frame[depth] = static_cast<char>(x);
  if (depth == 0) return std::labs(x) + frame[0];
  return Inner(x + 1, depth - 1) + frame[depth];
}

}  // namespace

extern "C" long PluginEntry(long x) {
  const std::string text = std::to_string(x);
  try {
    if (x % 7 == 3) throw text;
    return Inner(x, 3) + static_cast<long>(text.size());
  } catch (const std::string& thrown) {
    return static_cast<long>(thrown.size());
  }
}

// Runs `callback` from a frame of this plugin's size.
extern "C" [[gnu::noinline]] void CallBack(void (*callback)()) {
  volatile char frame[PLUGIN_FRAME_BYTES];
  frame[1] = 1;
  callback();
  frame[0] = frame[1];
}
