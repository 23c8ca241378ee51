// FileNames: what lies in a folder.

#ifndef SONDE_SAMPLER_FILE_NAMES_H_
#define SONDE_SAMPLER_FILE_NAMES_H_

#include <string>
#include <vector>

#include "sonde/result.h"

namespace sonde {

// The names in `folder`, in no order. The standard library's iterator ends the program where it
// finds no memory. Errors: kNotFound when there is no such folder, kInvalid when it cannot be
// read. Any thread.
Result<std::vector<std::string>> FileNames(const std::string& folder);

}  // namespace sonde

#endif  // SONDE_SAMPLER_FILE_NAMES_H_
