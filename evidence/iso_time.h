// IsoTime: a time as artifacts write it.

#ifndef SONDE_EVIDENCE_ISO_TIME_H_
#define SONDE_EVIDENCE_ISO_TIME_H_

#include <array>
#include <cstdio>
#include <ctime>
#include <string>

namespace sonde {

// "2026-07-30T12:00:00.123456+00:00"; the fraction is left out when it is zero.
inline std::string IsoTime(const timespec& time) {
  std::tm parts{};
  gmtime_r(&time.tv_sec, &parts);
  std::array<char, 64> text{};
  std::size_t length = std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%S", &parts);
  std::string iso(text.data(), length);
  if (const long micros = time.tv_nsec / 1000; micros != 0) {
    length = static_cast<std::size_t>(std::snprintf(text.data(), text.size(), ".%06ld", micros));
    iso.append(text.data(), length);
  }
  return iso + "+00:00";
}

inline std::string IsoTimeNow() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return IsoTime(now);
}

}  // namespace sonde

#endif  // SONDE_EVIDENCE_ISO_TIME_H_
