// ProfileCopier: carries the contents of one profile into the builder of another.

#ifndef SONDE_PROFILE_PROFILE_COPIER_H_
#define SONDE_PROFILE_PROFILE_COPIER_H_

#include <vector>

#include "sonde/profile_builder.h"

namespace sonde {

// Each id is translated once. Both outlive the copier. Not thread-safe.
class ProfileCopier {
 public:
  ProfileCopier(const Profile& from, ProfileBuilder& to);

  StringId Copy(StringId id);
  FunctionId Copy(FunctionId id);
  MappingId Copy(MappingId id);
  LocationId Copy(LocationId id);
  StackId Copy(StackId id);
  LabelSetId Copy(LabelSetId id);

  // From now on `copy`, a function of the builder, stands for `id`.
  void Replace(FunctionId id, FunctionId copy) {
    functions_[static_cast<std::uint32_t>(id)] = static_cast<std::uint32_t>(copy) + 1;
  }

  // All mappings, in their order: readers take the first for the program itself.
  void CopyMappings();
  // All samples with the records behind each, and the number of all records.
  void CopySamples();
  // Period, time, duration, comments, losses and what else there is once.
  void CopyFacts();

 private:
  const Profile& from_;
  ProfileBuilder& to_;
  // By the id in `from`: the id in `to` + 1, or 0 when not yet copied.
  std::vector<std::uint32_t> strings_, functions_, mappings_, locations_, stacks_, labels_;
};

}  // namespace sonde

#endif  // SONDE_PROFILE_PROFILE_COPIER_H_
