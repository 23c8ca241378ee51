// TextOf: what the writers write, as a string.

#ifndef SONDE_TESTS_SUPPORT_TEXT_OF_H_
#define SONDE_TESTS_SUPPORT_TEXT_OF_H_

#include <fstream>
#include <iterator>
#include <string>

#include "sonde/folded.h"
#include "sonde/pprof.h"

namespace sonde {

inline std::string PprofOf(const Profile& profile) {
  StringSink sink;
  return WritePprof(profile, sink).ok() ? std::move(sink).Take() : std::string();
}

inline std::string FoldedOf(const Profile& profile, std::size_t sample_type = 0) {
  StringSink sink;
  const FrameNames names(profile);
  return WriteFolded(names, sample_type, sink).ok() ? std::move(sink).Take() : std::string();
}

inline std::string Gzipped(const std::string& bytes) {
  StringSink sink;
  GzipSink gzip(sink);
  return gzip.Write(bytes).ok() && gzip.Close().ok() ? std::move(sink).Take() : std::string();
}

inline std::string ContentOf(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace sonde

#endif  // SONDE_TESTS_SUPPORT_TEXT_OF_H_
