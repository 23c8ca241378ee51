// Any bytes are a sonde.toml and a list of variables: options in their ranges, or a reason.

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "console/session_config.h"

namespace {

// A file without a place, since files are what is read.
class FileInMemory {
 public:
  explicit FileInMemory(std::string_view text) : fd_(memfd_create("sonde.toml", MFD_CLOEXEC)) {
    if (fd_ < 0 || write(fd_, text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
      std::abort();
    }
  }
  ~FileInMemory() { close(fd_); }
  std::string path() const { return "/proc/self/fd/" + std::to_string(fd_); }

 private:
  int fd_;
};

void MustBeInRange(const sonde::SessionOptions& options) {
  if (options.sampler.hz < 1 || options.sampler.hz > 10'000) std::abort();
  if (options.sampler.ring_bytes < 65'536) std::abort();
  if (options.console.max_tasks < 1) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  sonde::SessionOptions options;
  const sonde::ConfigKeys keys = sonde::KeysOf(options);
  const sonde::Status read = keys.ReadFile(FileInMemory(text).path());
  if (!read.ok() && read.error().message.empty()) std::abort();
  MustBeInRange(options);

  std::vector<std::string> variables;
  std::size_t begin = 0;
  while (begin < size) {
    const std::size_t end = std::min(text.find('\n', begin), size);
    variables.push_back("SONDE_" + std::string(text.substr(begin, end - begin)));
    begin = end + 1;
  }
  std::vector<const char*> environment;
  for (const std::string& variable : variables) environment.push_back(variable.c_str());
  environment.push_back(nullptr);
  const sonde::Status set = keys.ReadEnvironment(environment.data());
  if (!set.ok() && set.error().message.empty()) std::abort();
  MustBeInRange(options);
  return 0;
}
