// Any bytes are an agent log, or two: what is visited adds up to what was counted.

#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <string_view>

#include "sonde/agent_history.h"

namespace {

class Sums : public sonde::SessionVisitor {
 public:
  void OnPrompt(const sonde::AgentPrompt&) override {}
  void OnCall(const sonde::LlmCall& call) override { tokens += call.tokens; }
  void OnTool(const sonde::ToolCall&) override {}
  sonde::TokenCounts tokens;
};

class AllSums : public sonde::SessionVisitors {
 public:
  std::unique_ptr<sonde::SessionVisitor> Begin(std::uint32_t, const sonde::AgentSession&,
                                               std::string_view) override {
    return std::make_unique<Sums>();
  }
  void End(std::uint32_t, std::unique_ptr<sonde::SessionVisitor> visitor) override {
    tokens += static_cast<Sums&>(*visitor).tokens;
  }
  sonde::TokenCounts tokens;
};

// A file in memory, with a name that can be opened.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view bytes) : descriptor_(memfd_create("log", 0)) {
    if (descriptor_ < 0 ||
        write(descriptor_, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size())) {
      std::abort();
    }
  }
  ~MemoryFile() { close(descriptor_); }
  std::string name() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  int descriptor_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const std::size_t split = bytes.find('\0');
  const MemoryFile first(bytes.substr(0, split));
  const MemoryFile second(split == std::string_view::npos ? std::string_view()
                                                          : bytes.substr(split + 1));
  const sonde::HistoryOptions options{.threads = 1, .max_line_bytes = 1 << 20};
  const sonde::Result<sonde::AgentHistory> history =
      sonde::AgentHistory::Read({first.name(), second.name()}, options);
  if (!history.ok()) std::abort();
  AllSums sums;
  if (!sonde::VisitSessions(history.value(), sums, 1).ok()) std::abort();
  if (!(sums.tokens == history.value().totals().tokens)) std::abort();
  return 0;
}
