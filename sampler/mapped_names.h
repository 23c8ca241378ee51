// NameMappedFunctions: gives names to the bare addresses of a profile of this process.

#ifndef SONDE_SAMPLER_MAPPED_NAMES_H_
#define SONDE_SAMPLER_MAPPED_NAMES_H_

#include <vector>

#include "sonde/profile_builder.h"

namespace sonde {

// The same profile; locations without a function that lie in a mapping get the one that the
// symbol table of the mapped file has there. Locations that cannot be named stay. The sample
// types get the names in `sample_types`, in the order of the profile. The caller may add to the
// builder before building. Any thread.
ProfileBuilder NameMappedFunctions(const Profile& profile, std::vector<ValueType> sample_types);

}  // namespace sonde

#endif  // SONDE_SAMPLER_MAPPED_NAMES_H_
