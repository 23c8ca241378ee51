// NameStyle: how much of a C++ or Rust name is shown.

#include "sonde/name_style.h"

#include <string>

#include "export/symbols/demangle.h"
#include "profile/profile_copier.h"
#include "sonde/profile_builder.h"

namespace sonde {
namespace {

// What `function`, whose texts are of `from`, is called in that style.
std::string NameOf(const Profile& from, const Function& function, NameStyle style) {
  const std::string_view name = from.text(function.name);
  const std::string_view symbol =
      function.system_name == StringId{} ? name : from.text(function.system_name);
  if (style == NameStyle::kSymbols) return std::string(symbol);
  return symbols::IsMangled(symbol) ? symbols::ShownName(symbol, style) : std::string(name);
}

}  // namespace

Profile WithNames(const Profile& profile, NameStyle style) {
  ProfileBuilder builder({profile.sample_types().begin(), profile.sample_types().end()});
  builder.SetDefaultSampleType(profile.default_sample_type());
  ProfileCopier copier(profile, builder);
  copier.CopyMappings();
  copier.CopyFacts();
  for (std::uint32_t i = 0; i < profile.functions().size(); ++i) {
    const Function& known = profile.function(FunctionId{i});
    const std::string name = NameOf(profile, known, style);
    Function function{.name = builder.Intern(name),
                      .system_name = copier.Copy(known.system_name),
                      .file = copier.Copy(known.file),
                      .start_line = known.start_line};
    if (function.system_name == StringId{} && name != profile.text(known.name)) {
      function.system_name = copier.Copy(known.name);
    }
    copier.Replace(FunctionId{i}, builder.AddFunction(function));
  }
  copier.CopySamples();
  return std::move(builder).Build();
}

}  // namespace sonde
