// PushedProfile: a profile as it is pushed.

#ifndef SONDE_CONSOLE_PUSHED_PROFILE_H_
#define SONDE_CONSOLE_PUSHED_PROFILE_H_

#include <cstdint>

#include "sonde/profile.h"
#include "sonde/push.h"
#include "sonde/result.h"

namespace sonde {

// It is of `time_ns` where it has no time of its own. Any thread.
Result<PushedProfile> MakePushedProfile(const Profile& profile, std::int64_t time_ns);

}  // namespace sonde

#endif  // SONDE_CONSOLE_PUSHED_PROFILE_H_
