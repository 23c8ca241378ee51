// Announcement: the file that tells others of this user where a running console listens.

#include "console/announcement.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <utility>

#include "console/json_writer.h"
#include "sonde/byte_sink.h"

namespace sonde {

Announcement::Announcement(const AnnouncementFacts& facts) {
  const char* const runtime = std::getenv("XDG_RUNTIME_DIR");
  if (runtime == nullptr || runtime[0] != '/') return;
  const std::string folder = std::string(runtime) + "/sonde";
  ::mkdir(folder.c_str(), S_IRWXU);

  JsonWriter json;
  json.BeginObject();
  json.Number("version", 1);
  json.Number("pid", ::getpid());
  json.Text("role", facts.role);
  json.Number("console_port", facts.console_port);
  json.Number("http_port", facts.http_port);
  json.Text("unix_socket", facts.unix_socket);
  json.EndObject();

  const std::string path = folder + '/' + std::to_string(::getpid()) + ".json";
  auto file = FileSink::Open(path);
  if (!file.ok()) return;
  Status written = file.value()->Write(std::move(json).Take() + "\n");
  if (written.ok()) written = file.value()->Close();
  if (written.ok()) path_ = path;
}

Announcement::~Announcement() {
  if (!path_.empty()) ::unlink(path_.c_str());
}

}  // namespace sonde
