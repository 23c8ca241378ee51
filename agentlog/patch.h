// FilesOfPatch: the files that a patch of an agent adds, changes, deletes or moves.

#ifndef SONDE_AGENTLOG_PATCH_H_
#define SONDE_AGENTLOG_PATCH_H_

#include <string_view>
#include <vector>

#include "agentlog/shell_command.h"

namespace sonde::agentlog {

// Whether `text` holds a patch in the "*** Begin Patch" form. Any thread.
bool IsPatch(std::string_view text) noexcept;
// By its headers, in their order; the body says nothing. Any thread.
std::vector<FileTouch> FilesOfPatch(std::string_view text);

}  // namespace sonde::agentlog

#endif  // SONDE_AGENTLOG_PATCH_H_
