// FrameColor: which of the colours in flame.css a frame has, always and everywhere.

#include "export/flame/frame_colors.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "export/flame/short_name.h"

namespace sonde {
namespace {

constexpr std::string_view kOwnHues = "abcde";
constexpr std::string_view kLibraryHues = "fghijk";

// FNV-1a with a final mix: the low bits alone would follow the last characters.
std::uint32_t HashOf(std::string_view text) {
  std::uint32_t hash = 2'166'136'261U;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 16'777'619U;
  hash ^= hash >> 15;
  hash *= 0x2c1b'3c6dU;
  return hash ^ (hash >> 13);
}

template <std::size_t kCount>
bool StartsWithAny(std::string_view text, const std::array<std::string_view, kCount>& starts) {
  return std::any_of(starts.begin(), starts.end(),
                     [&](std::string_view start) { return text.starts_with(start); });
}

// What runs below any program: language run-times, the loader, the C library.
bool IsRuntimeModule(std::string_view module) {
  static constexpr std::array<std::string_view, 14> kStarts = {
      "libc.", "libc-",   "ld-",        "libpthread", "libstdc++", "libgcc_s", "libm.",
      "libm-", "libjvm.", "linux-vdso", "[vdso]",     "libc++",    "librt.",   "libdl."};
  return StartsWithAny(module, kStarts);
}

bool IsRuntimeName(std::string_view name) {
  static constexpr std::array<std::string_view, 16> kStarts = {
      "_start",       "__libc_",     "_dl_",      "start_thread", "__clone",   "clone3",
      "runtime.",     "JavaCalls::", "JavaMain",  "JavaThread::", "call_stub", "Interpreter",
      "thread_entry", "java_start",  "std::rt::", "__rust_"};
  return StartsWithAny(name, kStarts);
}

// Libraries that are known by their names where no module is.
bool IsLibraryName(std::string_view name) {
  static constexpr std::array<std::string_view, 20> kStarts = {
      "std::", "__gnu_cxx::", "boost::", "absl::",  "google::", "core::",   "alloc::",
      "java/", "java.",       "javax/",  "javax.",  "jdk/",     "jdk.",     "sun/",
      "sun.",  "com/sun/",    "scala/",  "kotlin/", "node:",    "internal/"};
  return StartsWithAny(name, kStarts);
}

// "std" of std::sort, "net/http" of net/http.Serve, "org/mozilla" of a Java class.
std::string_view PackageOf(std::string_view name) {
  const NameParts parts = TakeApart(name);
  if (parts.qualifiers.empty()) {
    const std::size_t colon = name.find(':');
    return colon == std::string_view::npos ? std::string_view() : name.substr(0, colon);
  }
  const std::size_t count = parts.qualifiers.front().ends_with("::")
                                ? 1
                                : std::min<std::size_t>(parts.qualifiers.size(), 2);
  const char* const first = parts.qualifiers.front().data();
  const std::string_view last = parts.qualifiers[count - 1];
  return {first, static_cast<std::size_t>(last.data() + last.size() - first)};
}

char Pick(std::string_view hues, std::string_view by) { return hues[HashOf(by) % hues.size()]; }

char HueOf(const FlameFrame& frame) {
  // "Lorg/Foo;" and "[lib]": the name as the package rules read it.
  std::string_view name = frame.name;
  if (name.size() > 1 && name[0] == 'L' && name.find('/') != std::string_view::npos) {
    name.remove_prefix(1);
  }
  if (frame.kind == FrameKind::kKernel) return 'm';
  if (frame.kind == FrameKind::kUnknown && frame.module.empty()) return 'x';
  const bool is_library = frame.is_system || frame.module.find(".so") != std::string::npos;
  if (IsRuntimeModule(frame.module)) return 'r';
  if (is_library && frame.kind != FrameKind::kJit) return Pick(kLibraryHues, frame.module);
  if (frame.name == "[unknown]") return 'x';
  name.remove_prefix(TakeApart(name).result.size());
  if (IsRuntimeName(name)) return 'r';
  if (IsLibraryName(name)) return Pick(kLibraryHues, PackageOf(name));
  return Pick(kOwnHues, PackageOf(name));
}

}  // namespace

FrameColor ColorByModule(const FlameFrame& frame) {
  return {HueOf(frame), static_cast<char>('0' + (HashOf(frame.name) >> 8) % 4)};
}

FrameColor ColorByKind(const FlameFrame& frame) {
  const char step = ColorByModule(frame).step;
  switch (frame.kind) {
    case FrameKind::kUser:
      return {'b', step};
    case FrameKind::kInlined:
      return {'e', step};
    case FrameKind::kJit:
      return {'g', step};
    case FrameKind::kKernel:
      return {'m', step};
    case FrameKind::kUnknown:
      break;
  }
  return {'x', step};
}

int ColorOfChange(std::int64_t base, std::int64_t now) noexcept {
  const auto before = static_cast<double>(base);
  const auto after = static_cast<double>(now);
  const double larger = std::max(before, after);
  if (larger <= 0) return 6;
  const double change = (after - before) / larger;
  // The square root spreads the small changes: 3 % is the first visible step, 70 % the fifth.
  const double steps = std::round(std::sqrt(std::abs(change)) * 6);
  return 6 + static_cast<int>(change < 0 ? -steps : steps);
}

}  // namespace sonde
