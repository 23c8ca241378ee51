// AddFunctionOf: a frame of debug information as a function of a profile.

#include "export/symbols/source_function.h"

#include <string>

#include "export/symbols/demangle.h"

namespace sonde::symbols {

FunctionId AddFunctionOf(const SourceFrame& frame, std::string_view symbol,
                         ProfileBuilder& builder) {
  const std::string name =
      symbol.empty() ? std::string(frame.function) : ShownName(symbol, NameStyle::kTemplates);
  Function function{.name = builder.Intern(name),
                    .file = builder.Intern(frame.file),
                    .start_line = frame.start_line};
  if (symbol != name) function.system_name = builder.Intern(symbol);
  return builder.AddFunction(function);
}

}  // namespace sonde::symbols
