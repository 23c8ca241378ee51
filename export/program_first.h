// WithProgramFirst: a profile whose first mapping is the program, which readers take for it.

#ifndef SONDE_EXPORT_PROGRAM_FIRST_H_
#define SONDE_EXPORT_PROGRAM_FIRST_H_

#include "sonde/profile.h"

namespace sonde {

// The same profile with `program`, one of its mappings, in front of the others, which keep their
// order, as locations do. Any thread.
Profile WithProgramFirst(Profile profile, MappingId program);

}  // namespace sonde

#endif  // SONDE_EXPORT_PROGRAM_FIRST_H_
