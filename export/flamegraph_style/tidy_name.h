// TidyName: a function's name without what a flame graph has no room for.

#ifndef SONDE_EXPORT_FLAMEGRAPH_STYLE_TIDY_NAME_H_
#define SONDE_EXPORT_FLAMEGRAPH_STYLE_TIDY_NAME_H_

#include <string>
#include <string_view>
#include <vector>

namespace sonde::flamegraph_style {

// Cuts the argument list and what stands behind it, but not the parentheses of
// template arguments, of "operator()", of "(anonymous namespace)" or of Go's
// receivers ("net/http.(*Client).Do"); ';' becomes ':' and quotes go. In a
// program called java the "L" before a class goes too. Any thread.
std::string TidyName(std::string_view function, bool is_java);

// The parts of "caller->callee", as Java agents name inlined calls. Arrows of
// operators and within brackets are no such calls. At least one part. Any thread.
std::vector<std::string_view> SplitAtArrows(std::string_view function);

}  // namespace sonde::flamegraph_style

#endif  // SONDE_EXPORT_FLAMEGRAPH_STYLE_TIDY_NAME_H_
