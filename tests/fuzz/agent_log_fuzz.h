// FeedLines: hands lines to a dialect and checks the tally that comes of them.

#ifndef SONDE_TESTS_FUZZ_AGENT_LOG_FUZZ_H_
#define SONDE_TESTS_FUZZ_AGENT_LOG_FUZZ_H_

#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include "agentlog/dialect.h"
#include "agentlog/line_reader.h"
#include "agentlog/parse_cache.h"

namespace sonde::agentlog {

inline void FeedLines(std::unique_ptr<Dialect> (*make)(LogSink&, const DialectOptions&),
                      const unsigned char* data, std::size_t size) {
  std::string_view rest_of_file(reinterpret_cast<const char*>(data), size);
  Tally tally;
  const std::unique_ptr<Dialect> dialect =
      make(tally, {.wants_text = size % 2 == 0, .file_key = 1, .file_name = "x.jsonl"});
  std::uint64_t number = 0;
  while (!rest_of_file.empty()) {
    const std::size_t end = rest_of_file.find('\n');
    // A copy of the exact size: the sanitizer sees a read beyond the padding.
    std::string line(rest_of_file.substr(0, end));
    const std::size_t length = line.size();
    line.append(kLinePadding, '\0');
    std::string_view text(line.data(), length);
    ++number;
    while (!text.empty()) {
      std::string_view rest;
      dialect->Take(text, number, rest);
      if (rest.size() >= text.size()) std::abort();
      text = rest;
    }
    if (end == std::string_view::npos) break;
    rest_of_file.remove_prefix(end + 1);
  }
  dialect->Finish();
  const std::string bytes = EncodeTally(tally);
  const std::unique_ptr<Tally> again = DecodeTally(bytes);
  if (!again || EncodeTally(*again) != bytes) std::abort();
}

}  // namespace sonde::agentlog

#endif  // SONDE_TESTS_FUZZ_AGENT_LOG_FUZZ_H_
