// speedscope: writes a Profile for the viewer of that name.
// Format: https://github.com/jlfwong/speedscope/wiki/Importing-from-custom-sources

#ifndef SONDE_SPEEDSCOPE_H_
#define SONDE_SPEEDSCOPE_H_

#include <string_view>

#include "sonde/byte_sink.h"
#include "sonde/frame_names.h"
#include "sonde/result.h"

namespace sonde {

// Each sample type becomes a profile of the file, the default one shown first;
// the format has no room for labels. `title` names the whole. Bytes that are no UTF-8 are
// replaced. Does not close the sink. Any thread.
Status WriteSpeedscope(const FrameNames& names, std::string_view title, ByteSink& sink);

}  // namespace sonde

#endif  // SONDE_SPEEDSCOPE_H_
