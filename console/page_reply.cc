// PageReply: the files of the page, from the library itself.

#include "console/http_replies.h"
#include "console/page/assets.h"
#include "export/flame/assets.h"

namespace sonde {
namespace {

struct PageFile {
  std::string_view path;
  std::string_view content_type;
  std::string_view bytes;
};

constexpr std::string_view kHtml = "text/html; charset=utf-8";
constexpr std::string_view kCss = "text/css; charset=utf-8";
constexpr std::string_view kScript = "text/javascript; charset=utf-8";

}  // namespace

std::optional<HttpResponse> PageReply(std::string_view path) {
  // Made at each call: the views are set up when the program starts, in no known order.
  const PageFile files[] = {
      {"/", kHtml, page_assets::kIndexHtml},
      {"/assets/page.css", kCss, page_assets::kPageCss},
      {"/assets/icon.svg", "image/svg+xml", page_assets::kIconSvg},
      {"/assets/api.js", kScript, page_assets::kApiJs},
      {"/assets/dom.js", kScript, page_assets::kDomJs},
      {"/assets/only.js", kScript, page_assets::kOnlyJs},
      {"/assets/functions.js", kScript, page_assets::kFunctionsJs},
      {"/assets/page.js", kScript, page_assets::kPageJs},
      {"/assets/picture.js", kScript, page_assets::kPictureJs},
      {"/assets/pprof.js", kScript, page_assets::kPprofJs},
      {"/assets/save.js", kScript, page_assets::kSaveJs},
      {"/assets/snapshots.js", kScript, page_assets::kSnapshotsJs},
      {"/assets/state.js", kScript, page_assets::kStateJs},
      {"/assets/table.js", kScript, page_assets::kTableJs},
      {"/assets/tasks.js", kScript, page_assets::kTasksJs},
      {"/assets/flame.css", kCss, flame_assets::kFlameCss},
      {"/assets/flame_text.js", kScript, flame_assets::kFlameTextJs},
      {"/assets/flame_model.js", kScript, flame_assets::kFlameModelJs},
      {"/assets/flame_view.js", kScript, flame_assets::kFlameViewJs},
  };
  for (const PageFile& file : files) {
    if (file.path != path) continue;
    return HttpResponse{.headers = {{"content-type", std::string(file.content_type)}},
                        .body = std::string(file.bytes)};
  }
  return std::nullopt;
}

}  // namespace sonde
