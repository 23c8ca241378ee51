// WithProgramFirst: a profile whose first mapping is the program, which readers take for it.

#include "export/program_first.h"

#include <utility>

#include "profile/profile_copier.h"
#include "sonde/profile_builder.h"

namespace sonde {

Profile WithProgramFirst(Profile profile, MappingId program) {
  if (program == MappingId{0}) return profile;
  ProfileBuilder builder({profile.sample_types().begin(), profile.sample_types().end()});
  builder.SetDefaultSampleType(profile.default_sample_type());
  ProfileCopier copier(profile, builder);
  copier.Copy(program);
  copier.CopyMappings();
  copier.CopyFacts();
  for (std::uint32_t i = 0; i < profile.location_count(); ++i) copier.Copy(LocationId{i});
  copier.CopySamples();
  return std::move(builder).Build();
}

}  // namespace sonde
