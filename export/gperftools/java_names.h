// The names that profiles of Java programs carry behind their samples.

#ifndef SONDE_EXPORT_GPERFTOOLS_JAVA_NAMES_H_
#define SONDE_EXPORT_GPERFTOOLS_JAVA_NAMES_H_

#include <string_view>

#include "export/gperftools/pc_stacks.h"

namespace sonde::gperftools {

// Takes "0x1f com.example.Thing.run (Thing.java:12)"; false when it is none.
bool TakeJavaName(std::string_view line, PcStacks& stacks);

}  // namespace sonde::gperftools

#endif  // SONDE_EXPORT_GPERFTOOLS_JAVA_NAMES_H_
