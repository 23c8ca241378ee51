// The files of the live page, built into the library.

#ifndef SONDE_CONSOLE_PAGE_ASSETS_H_
#define SONDE_CONSOLE_PAGE_ASSETS_H_

#include <string_view>

namespace sonde::page_assets {

extern const std::string_view kIndexHtml;
extern const std::string_view kPageCss;
extern const std::string_view kIconSvg;
extern const std::string_view kApiJs;
extern const std::string_view kDomJs;
extern const std::string_view kFunctionsJs;
extern const std::string_view kOnlyJs;
extern const std::string_view kPageJs;
extern const std::string_view kPictureJs;
extern const std::string_view kPprofJs;
extern const std::string_view kSaveJs;
extern const std::string_view kSnapshotsJs;
extern const std::string_view kStateJs;
extern const std::string_view kTableJs;
extern const std::string_view kTasksJs;

}  // namespace sonde::page_assets

#endif  // SONDE_CONSOLE_PAGE_ASSETS_H_
