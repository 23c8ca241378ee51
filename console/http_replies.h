// Replies: the bodies and headers that the console's HTTP service sends.

#ifndef SONDE_CONSOLE_HTTP_REPLIES_H_
#define SONDE_CONSOLE_HTTP_REPLIES_H_

#include <optional>
#include <string>
#include <string_view>

#include "console/console_hooks.h"
#include "console/http_exchange.h"
#include "sampler/interval.h"
#include "sonde/profile.h"
#include "sonde/result.h"

namespace sonde {

// All may be called by any thread.

HttpResponse TextReply(int status, std::string text);
HttpResponse JsonReply(std::string json);
// 405; `allowed` are the methods that are, as the header has them.
HttpResponse WrongMethod(std::string_view allowed, std::string text);
// An error as Go's net/http/pprof sends it.
HttpResponse GoError(int status, std::string_view message);
// A profile as gzip-compressed pprof.
HttpResponse PprofReply(const Profile& profile, const std::string& file_name);
// Samples in the CPU format of gperftools, addresses unnamed.
HttpResponse GperftoolsReply(const Interval& interval);
HttpResponse PprofIndex(const ConsoleHooks& hooks);

// The catalog of a folder of snapshots, the newest entry of a role and kind, and one file. Only
// names that the catalog lists are served.
HttpResponse CatalogReply(const std::string& folder);
HttpResponse NewestReply(const std::string& folder, const std::string& role,
                         const std::string& kind);
HttpResponse ArtifactReply(const std::string& folder, const std::string& file_name);
HttpResponse SnapshotReply(const Result<std::string>& written);

// "num_symbols: 1", then a name for each address of "0x1+0x2".
HttpResponse SymbolReply(const std::string& addresses);
// Arguments of the process, separated by NUL.
std::string CommandLine();

// A file of the page; nullopt when there is none at `path`.
std::optional<HttpResponse> PageReply(std::string_view path);

// What keeps browsers from reading or framing an answer out of its place.
void AddSafetyHeaders(HttpResponse& response);

}  // namespace sonde

#endif  // SONDE_CONSOLE_HTTP_REPLIES_H_
