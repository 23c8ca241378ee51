// ScopedLabel: a key and a value that the calling thread's samples carry while it lives.

#ifndef SONDE_LABEL_H_
#define SONDE_LABEL_H_

#include <cstdint>
#include <string_view>

namespace sonde {

#if defined(SONDE_ENABLED) && SONDE_ENABLED

// Nests: samples carry the labels of all scopes around them, the innermost value of a
// key. Label sets are kept for the life of the process, so values should be few (a
// route, not a request id): beyond 65,536 sets, or 4 MiB of text, a scope labels its
// samples as "[other]". The thread gets its timer at once (RegisterCurrentThread).
//
// One of a kind: construct and destroy on one thread, in order. Not async-signal-safe.
class [[nodiscard]] ScopedLabel {
 public:
  ScopedLabel(std::string_view key, std::string_view value) noexcept;
  ~ScopedLabel();
  ScopedLabel(const ScopedLabel&) = delete;
  ScopedLabel& operator=(const ScopedLabel&) = delete;

 private:
  std::uint32_t outer_;
};

#else

class [[nodiscard]] ScopedLabel {
 public:
  constexpr ScopedLabel(std::string_view, std::string_view) noexcept {}
  ~ScopedLabel() {}  // NOLINT(modernize-use-equals-default): an unused variable would warn.
  ScopedLabel(const ScopedLabel&) = delete;
  ScopedLabel& operator=(const ScopedLabel&) = delete;
};

#endif

}  // namespace sonde

#endif  // SONDE_LABEL_H_
