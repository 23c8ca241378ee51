// CollectionGates: what has to hold before anything is recorded.

#ifndef SONDE_EVIDENCE_COLLECTION_GATES_H_
#define SONDE_EVIDENCE_COLLECTION_GATES_H_

#include "sonde/collection.h"
#include "sonde/result.h"

namespace sonde {

// The switches and the phrases, and outputs that are new: in the order in which a person has to
// put them right. kDenied, kPathSafety.
Status CheckGates(const CollectionRequest& request);
// Numbers and names within their bounds. kUsage.
Status CheckRanges(const CollectionRequest& request);
// One target: an executable that is one, or a process that is there and is not us. kUsage,
// kInvalid, kNotFound.
Status CheckTarget(const CollectionRequest& request);

}  // namespace sonde

#endif  // SONDE_EVIDENCE_COLLECTION_GATES_H_
