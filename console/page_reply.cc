<<<<<<< HEAD
// PageReply: the files of the page, from the library itself.
=======
// PageReply: the files of the page.

#include <array>
#include <utility>
>>>>>>> 4d4ee99 (Serve the page, live flame graphs and events; test the server; write the console down)

#include "console/http_replies.h"
#include "console/page/assets.h"
#include "export/flame/assets.h"

namespace sonde {
namespace {

struct PageFile {
  std::string_view path;
<<<<<<< HEAD
  std::string_view content_type;
  std::string_view bytes;
=======
  std::string_view type;
  const std::string_view* bytes;
>>>>>>> 4d4ee99 (Serve the page, live flame graphs and events; test the server; write the console down)
};

constexpr std::string_view kHtml = "text/html; charset=utf-8";
constexpr std::string_view kCss = "text/css; charset=utf-8";
<<<<<<< HEAD
constexpr std::string_view kScript = "text/javascript; charset=utf-8";
=======
constexpr std::string_view kJs = "text/javascript; charset=utf-8";

constexpr std::array<PageFile, 17> kFiles{{
    {"/", kHtml, &page_assets::kIndexHtml},
    {"/assets/page.css", kCss, &page_assets::kPageCss},
    {"/assets/icon.svg", "image/svg+xml", &page_assets::kIconSvg},
    {"/assets/api.js", kJs, &page_assets::kApiJs},
    {"/assets/dom.js", kJs, &page_assets::kDomJs},
    {"/assets/functions.js", kJs, &page_assets::kFunctionsJs},
    {"/assets/page.js", kJs, &page_assets::kPageJs},
    {"/assets/picture.js", kJs, &page_assets::kPictureJs},
    {"/assets/pprof.js", kJs, &page_assets::kPprofJs},
    {"/assets/snapshots.js", kJs, &page_assets::kSnapshotsJs},
    {"/assets/state.js", kJs, &page_assets::kStateJs},
    {"/assets/table.js", kJs, &page_assets::kTableJs},
    {"/assets/tasks.js", kJs, &page_assets::kTasksJs},
    {"/assets/flame.css", kCss, &flame_assets::kFlameCss},
    {"/assets/flame_text.js", kJs, &flame_assets::kFlameTextJs},
    {"/assets/flame_model.js", kJs, &flame_assets::kFlameModelJs},
    {"/assets/flame_view.js", kJs, &flame_assets::kFlameViewJs},
}};
>>>>>>> 4d4ee99 (Serve the page, live flame graphs and events; test the server; write the console down)

}  // namespace

std::optional<HttpResponse> PageReply(std::string_view path) {
<<<<<<< HEAD
  // Made at each call: the views are set up when the program starts, in no known order.
  const PageFile files[] = {
      {"/", kHtml, page_assets::kIndexHtml},
      {"/assets/page.css", kCss, page_assets::kPageCss},
      {"/assets/icon.svg", "image/svg+xml", page_assets::kIconSvg},
      {"/assets/api.js", kScript, page_assets::kApiJs},
      {"/assets/dom.js", kScript, page_assets::kDomJs},
      {"/assets/functions.js", kScript, page_assets::kFunctionsJs},
      {"/assets/page.js", kScript, page_assets::kPageJs},
      {"/assets/picture.js", kScript, page_assets::kPictureJs},
      {"/assets/pprof.js", kScript, page_assets::kPprofJs},
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
=======
  for (const PageFile& file : kFiles) {
    if (file.path != path) continue;
    return HttpResponse{.status = 200,
                        .headers = {{"content-type", std::string(file.type)}},
                        .body = std::string(*file.bytes)};
>>>>>>> 4d4ee99 (Serve the page, live flame graphs and events; test the server; write the console down)
  }
  return std::nullopt;
}

}  // namespace sonde
