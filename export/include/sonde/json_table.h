// JSON table: what `sonde top` lists, for programs.

#ifndef SONDE_JSON_TABLE_H_
#define SONDE_JSON_TABLE_H_

#include <cstddef>

#include "sonde/byte_sink.h"
#include "sonde/frame_names.h"
#include "sonde/result.h"

namespace sonde {

// One object, keys sorted, indent 2: the sample types with their totals, all
// functions with self and inclusive weight (heaviest self weight first), what is
// known of the profile, and the losses. Does not close the sink. Any thread.
Status WriteJsonTable(const FrameNames& names, std::size_t sample_type, ByteSink& sink);

}  // namespace sonde

#endif  // SONDE_JSON_TABLE_H_
