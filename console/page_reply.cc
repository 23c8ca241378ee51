// PageReply: the files of the page, as long as the build holds none.

#include "console/http_replies.h"

namespace sonde {

std::optional<HttpResponse> PageReply(std::string_view path) {
  if (path != "/") return std::nullopt;
  return HttpResponse{.status = 302, .headers = {{"location", "/debug/pprof/"}}};
}

}  // namespace sonde
