// NameMappedFunctions: gives names to the bare addresses of a profile of this process.

#ifndef SONDE_SAMPLER_MAPPED_NAMES_H_
#define SONDE_SAMPLER_MAPPED_NAMES_H_

#include "sonde/profile_builder.h"

namespace sonde {

// The same profile; locations without a function that lie in a mapping get the one that the
// symbol table of the mapped file has there. Locations that cannot be named stay.
// The caller may add to the builder before building. Any thread.
ProfileBuilder NameMappedFunctions(const Profile& profile);

}  // namespace sonde

#endif  // SONDE_SAMPLER_MAPPED_NAMES_H_
