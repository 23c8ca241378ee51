// NumberedId: "H-001", how hotspots, paths, candidates and evidence are cited.

#ifndef SONDE_EVIDENCE_NUMBERED_ID_H_
#define SONDE_EVIDENCE_NUMBERED_ID_H_

#include <cstddef>
#include <string>

namespace sonde {

// At least three digits.
inline std::string NumberedId(char prefix, std::size_t number) {
  std::string digits = std::to_string(number);
  if (digits.size() < 3) digits.insert(0, 3 - digits.size(), '0');
  return std::string(1, prefix) + '-' + digits;
}

}  // namespace sonde

#endif  // SONDE_EVIDENCE_NUMBERED_ID_H_
