// The files that a saved flame graph carries with it, built into the library.

#ifndef SONDE_EXPORT_FLAME_ASSETS_H_
#define SONDE_EXPORT_FLAME_ASSETS_H_

#include <string_view>

namespace sonde::flame_assets {

extern const std::string_view kFlameCss;
extern const std::string_view kFlameTextJs;
extern const std::string_view kFlameModelJs;
extern const std::string_view kFlameViewJs;
extern const std::string_view kFlameJs;

}  // namespace sonde::flame_assets

#endif  // SONDE_EXPORT_FLAME_ASSETS_H_
