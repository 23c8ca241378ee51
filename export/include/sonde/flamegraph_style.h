// FlamegraphStyle: folds a recording by the rules of FlameGraph's stackcollapse-perf.

#ifndef SONDE_FLAMEGRAPH_STYLE_H_
#define SONDE_FLAMEGRAPH_STYLE_H_

#include "sonde/profile.h"

namespace sonde {

// The switches of stackcollapse-perf of the same names.
struct FlamegraphStyle {
  bool pid = false;     // "comm-pid" as the root frame; "?" for an id that is not known.
  bool tid = false;     // "comm-pid/tid" as the root frame.
  bool kernel = false;  // "_[k]" behind kernel functions.
  bool jit = false;     // "_[j]" behind just-in-time compiled functions.
  bool addrs = false;   // "[module <address>]" where the function is not known.
};

// A profile of names alone that WriteFolded writes as FlameGraph would: the comm
// (the label "comm") is the root frame, with "_" for spaces; argument lists, ';'
// and quotes are taken out of names; a function that is not known is named after
// its module; calls that the JIT inlined get "_[i]". Two things are done right
// where FlameGraph errs: parentheses within templates, operators and anonymous
// namespaces are parts of the name, and no frame is dropped. `sample_type` is
// the one type of the result. Any thread.
Profile FoldLikeFlamegraph(const Profile& profile, std::size_t sample_type,
                           const FlamegraphStyle& style);

}  // namespace sonde

#endif  // SONDE_FLAMEGRAPH_STYLE_H_
