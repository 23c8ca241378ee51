// Folded stacks: one line a stack, "root;leaf weight".

#ifndef SONDE_FOLDED_H_
#define SONDE_FOLDED_H_

#include "sonde/byte_sink.h"
#include "sonde/frame_names.h"
#include "sonde/result.h"

namespace sonde {

// Lines are sorted by bytes and equal stacks merged, so equal profiles give
// equal text. In names ';' becomes ':', line breaks and tabs become spaces.
// Stacks whose weight is 0 are left out. Does not close the sink. Any thread.
Status WriteFolded(const FrameNames& names, std::size_t sample_type, ByteSink& sink);

}  // namespace sonde

#endif  // SONDE_FOLDED_H_
