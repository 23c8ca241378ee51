// InheritedSocket: a socket that a process made by fork closes before all else.

#include "console/inherited_socket.h"

#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include <mutex>
#include <unordered_set>

namespace sonde {
namespace {

// All that live. Never destroyed: a fork may come at any time.
struct Inherited {
  std::mutex mutex;
  std::unordered_set<const InheritedSocket*> sockets;

  static Inherited& Get() {
    static Inherited* const inherited = [] {
      auto* made = new Inherited;
      // Held over the fork, so that the child finds the set whole.
      pthread_atfork([] { Get().mutex.lock(); }, [] { Get().mutex.unlock(); },
                     [] {
                       for (const InheritedSocket* const socket : Get().sockets) socket->Close();
                       Get().mutex.unlock();
                     });
      return made;
    }();
    return *inherited;
  }
};

}  // namespace

InheritedSocket::InheritedSocket(int descriptor) : descriptor_(descriptor) {
  struct stat status {};
  if (::fstat(descriptor, &status) == 0) {
    device_ = status.st_dev;
    inode_ = status.st_ino;
  }
  Inherited& inherited = Inherited::Get();
  const std::lock_guard lock(inherited.mutex);
  inherited.sockets.insert(this);
}

InheritedSocket::~InheritedSocket() {
  Inherited& inherited = Inherited::Get();
  const std::lock_guard lock(inherited.mutex);
  inherited.sockets.erase(this);
}

void InheritedSocket::Close() const noexcept {
  struct stat status {};
  if (inode_ == 0 || ::fstat(descriptor_, &status) != 0) return;
  if (status.st_dev == device_ && status.st_ino == inode_) ::close(descriptor_);
}

}  // namespace sonde
