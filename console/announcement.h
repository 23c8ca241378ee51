// Announcement: the file that tells others of this user where a running console listens.

#ifndef SONDE_CONSOLE_ANNOUNCEMENT_H_
#define SONDE_CONSOLE_ANNOUNCEMENT_H_

#include <cstdint>
#include <string>

namespace sonde {

struct AnnouncementFacts {
  std::string role;
  std::uint16_t console_port = 0;
  std::uint16_t http_port = 0;
  std::string unix_socket;
};

// $XDG_RUNTIME_DIR/sonde/<pid>.json from construction to destruction. Does nothing where the
// folder is not to be had. What a process that crashed left behind names a pid that is gone.
class Announcement {
 public:
  explicit Announcement(const AnnouncementFacts& facts);
  ~Announcement();
  Announcement(const Announcement&) = delete;
  Announcement& operator=(const Announcement&) = delete;

 private:
  std::string path_;  // Empty when nothing was written.
};

}  // namespace sonde

#endif  // SONDE_CONSOLE_ANNOUNCEMENT_H_
