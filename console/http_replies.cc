// Replies: the bodies and headers that the console's HTTP service sends.

#include "console/http_replies.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <utility>
#include <vector>

#include "console/json_writer.h"
#include "sampler/gperftools_profile.h"
#include "sonde/byte_sink.h"
#include "sonde/pprof.h"
#include "sonde/snapshot_catalog.h"

namespace sonde {
namespace {

HttpResponse ErrorReply(const Error& error) {
  const int status =
      error.code == ErrorCode::kNotFound || error.code == ErrorCode::kUnsupported ? 404 : 500;
  return TextReply(status, error.message + "\n");
}

std::string ReadWhole(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace

HttpResponse TextReply(int status, std::string text) {
  return {.status = status,
          .headers = {{"content-type", "text/plain; charset=utf-8"}},
          .body = std::move(text)};
}

HttpResponse JsonReply(std::string json) {
  return {.headers = {{"content-type", "application/json; charset=utf-8"}},
          .body = std::move(json)};
}

HttpResponse WrongMethod(std::string_view allowed, std::string text) {
  HttpResponse response = TextReply(405, std::move(text));
  response.headers.emplace_back("allow", allowed);
  return response;
}

HttpResponse GoError(int status, std::string_view message) {
  HttpResponse response = TextReply(status, std::string(message) + "\n");
  response.headers.emplace_back("x-go-pprof", "1");
  return response;
}

HttpResponse GperftoolsReply(const Interval& interval) {
  GperftoolsProfile profile;
  profile.Add(interval);
  StringSink bytes;
  const Status written = profile.Write(bytes);
  if (!written.ok()) return ErrorReply(written.error());
  return {.headers = {{"content-type", "application/octet-stream"},
                      {"content-disposition", "attachment; filename=\"profile\""}},
          .body = std::move(bytes).Take()};
}

HttpResponse PprofReply(const Profile& profile, const std::string& file_name) {
  StringSink bytes;
  GzipSink gzip(bytes);
  Status written = WritePprof(profile, gzip);
  if (written.ok()) written = gzip.Close();
  if (!written.ok()) return ErrorReply(written.error());
  return {.headers = {{"content-type", "application/octet-stream"},
                      {"content-disposition", "attachment; filename=\"" + file_name + "\""}},
          .body = std::move(bytes).Take()};
}

void AddSafetyHeaders(HttpResponse& response) {
  for (const auto& [name, value] :
       {std::pair("x-content-type-options", "nosniff"), std::pair("cache-control", "no-store"),
        std::pair("referrer-policy", "no-referrer"), std::pair("x-frame-options", "DENY"),
        std::pair("cross-origin-resource-policy", "same-origin"),
        std::pair("content-security-policy",
                  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
                  "img-src 'self'; frame-ancestors 'none'")}) {
    response.headers.emplace_back(name, value);
  }
}

HttpResponse PprofIndex(const ConsoleHooks& hooks) {
  std::string html =
      "<!doctype html><meta charset=utf-8><title>/debug/pprof/</title><h1>/debug/pprof/</h1><ul>";
  const auto entry = [&](std::string_view name, std::string_view text) {
    html += "<li><a href=\"";
    html += name;
    html += "\">";
    html += name;
    html += "</a> ";
    html += text;
  };
  entry("profile?seconds=30",
        hooks.samples != nullptr ? "CPU time of the next 30 seconds" : "not sampled");
  entry("wall?seconds=30",
        hooks.wall != nullptr ? "wall-clock time of the next 30 seconds" : "not sampled");
  entry("heap", hooks.heap ? "memory in use" : "not available: sonde::heap is not linked");
  entry("allocs", hooks.heap ? "the same, for scrapers" : "not available");
  entry("tasks", "living tasks and those that ended lately");
  entry("cmdline", "arguments of the process");
  entry("symbol", "names for addresses");
  html +=
      "</ul><p>Profiles hold the names of functions and, unless full_paths is off, build "
      "paths. Look at them before you hand them on.";
  return {.headers = {{"content-type", "text/html; charset=utf-8"}}, .body = std::move(html)};
}

HttpResponse CatalogReply(const std::string& folder) {
  if (folder.empty()) return TextReply(404, "no session writes snapshots here\n");
  const auto catalog = SnapshotCatalog::Read(folder);
  return catalog.ok() ? JsonReply(catalog.value().ToJson()) : ErrorReply(catalog.error());
}

HttpResponse ArtifactReply(const std::string& folder, const std::string& file_name) {
  if (folder.empty()) return TextReply(404, "no session writes snapshots here\n");
  const auto catalog = SnapshotCatalog::Read(folder);
  if (!catalog.ok()) return ErrorReply(catalog.error());
  const auto& entries = catalog.value().entries();
  const bool is_listed = std::ranges::any_of(
      entries, [&](const SnapshotEntry& entry) { return entry.file_name == file_name; });
  if (!is_listed) return TextReply(404, "no such snapshot\n");
  std::string bytes = ReadWhole(catalog.value().folder() + '/' + file_name);
  // Rotation may have taken it away meanwhile.
  if (bytes.empty()) return TextReply(404, "no such snapshot any more\n");
  return {.headers = {{"content-type", "application/octet-stream"},
                      {"content-disposition", "attachment; filename=\"" + file_name + "\""}},
          .body = std::move(bytes)};
}

HttpResponse NewestReply(const std::string& folder, const std::string& role,
                         const std::string& kind) {
  if (folder.empty()) return TextReply(404, "no session writes snapshots here\n");
  const auto catalog = SnapshotCatalog::Read(folder);
  if (!catalog.ok()) return ErrorReply(catalog.error());
  const SnapshotEntry* const newest = catalog.value().Newest(role, kind);
  if (newest == nullptr) return TextReply(404, "no such snapshot\n");
  return ArtifactReply(folder, newest->file_name);
}

HttpResponse SnapshotReply(const Result<std::string>& written) {
  if (!written.ok()) return ErrorReply(written.error());
  const std::string& path = written.value();
  JsonWriter json;
  json.BeginObject();
  json.Text("name", std::string_view(path).substr(path.rfind('/') + 1));
  json.EndObject();
  return JsonReply(std::move(json).Take());
}

std::string CommandLine() {
  std::string line = ReadWhole("/proc/self/cmdline");
  while (!line.empty() && line.back() == '\0') line.pop_back();
  return line;
}

}  // namespace sonde
