// Heap text whose addresses have names already.

#ifndef SONDE_EXPORT_GPERFTOOLS_HEAP_TEXT_H_
#define SONDE_EXPORT_GPERFTOOLS_HEAP_TEXT_H_

#include <string_view>

#include "export/gperftools/pc_stacks.h"
#include "sonde/heap_text.h"

namespace sonde::gperftools {

// Like ReadHeapText, with the names of a symbolised container.
Result<Profile> ReadNamedHeapText(std::string_view text, AddressNames names,
                                  const HeapTextOptions& options);

}  // namespace sonde::gperftools

#endif  // SONDE_EXPORT_GPERFTOOLS_HEAP_TEXT_H_
