// What sonde knows of a profile and pprof has no field for, as comments of the profile.

#ifndef SONDE_EXPORT_PPROF_ACCOUNTING_H_
#define SONDE_EXPORT_PPROF_ACCOUNTING_H_

#include <string>
#include <string_view>
#include <vector>

#include "sonde/profile.h"
#include "sonde/profile_builder.h"

namespace sonde::pprof {

// One comment for the records when no sample type tells them, one for each loss.
std::vector<std::string> AccountingOf(const Profile& profile);

// Takes back what AccountingOf wrote; false when `comment` is none of it.
bool TakeAccounting(std::string_view comment, ProfileBuilder& builder);

}  // namespace sonde::pprof

#endif  // SONDE_EXPORT_PPROF_ACCOUNTING_H_
