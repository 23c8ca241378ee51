// InheritedSocket: a socket that a process made by fork closes before all else.

#ifndef SONDE_CONSOLE_INHERITED_SOCKET_H_
#define SONDE_CONSOLE_INHERITED_SOCKET_H_

#include <sys/types.h>

namespace sonde {

// A child has copies of all descriptors of its parent, and would keep ports taken and peers
// waiting when the parent is gone. While this lives, a child closes `descriptor`, provided that
// it still stands for the same socket. Any thread.
class InheritedSocket {
 public:
  explicit InheritedSocket(int descriptor);
  ~InheritedSocket();
  InheritedSocket(const InheritedSocket&) = delete;
  InheritedSocket& operator=(const InheritedSocket&) = delete;

  // In the child. **Async-signal-safe.**
  void Close() const noexcept;

 private:
  int descriptor_;
  dev_t device_ = 0;
  ino_t inode_ = 0;  // 0: not to be told from others, and left alone.
};

}  // namespace sonde

#endif  // SONDE_CONSOLE_INHERITED_SOCKET_H_
