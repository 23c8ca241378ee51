// FakeEngine: a continuous-profiling engine on loopback that answers as a test wants.

#ifndef SONDE_TESTS_SUPPORT_FAKE_ENGINE_H_
#define SONDE_TESTS_SUPPORT_FAKE_ENGINE_H_

#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/support/loopback_socket.h"

namespace sonde {

class FakeEngine {
 public:
  // Answers each request with the next of `statuses`: the last again and again, with the requests
  // kept, or, `in_turn`, from the first again. An empty one hangs up instead.
  explicit FakeEngine(std::vector<std::string> statuses, bool in_turn = false)
      : statuses_(std::move(statuses)), in_turn_(in_turn), listener_(BindToLoopback()) {
    ::listen(listener_.fd, 16);
    thread_ = std::thread([this] { Run(); });
  }
  ~FakeEngine() {
    ::shutdown(listener_.fd, SHUT_RDWR);
    thread_.join();
    ::close(listener_.fd);
  }
  FakeEngine(const FakeEngine&) = delete;
  FakeEngine& operator=(const FakeEngine&) = delete;

  std::string url() const { return "http://127.0.0.1:" + std::to_string(listener_.port); }
  std::vector<std::string> requests() const {
    const std::lock_guard lock(mutex_);
    return requests_;
  }

 private:
  void Run() {
    int peer = -1;
    while ((peer = ::accept4(listener_.fd, nullptr, nullptr, SOCK_CLOEXEC)) >= 0) {
      const timeval limit = {5, 0};
      ::setsockopt(peer, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
      std::string request;
      char bytes[4096];
      ssize_t size = 0;
      while (!IsWhole(request) && (size = ::recv(peer, bytes, sizeof(bytes), 0)) > 0) {
        request.append(bytes, static_cast<std::size_t>(size));
      }
      const std::string status = Next(std::move(request));
      const std::string answer = "HTTP/1.1 " + status + "\r\nContent-Length: 3\r\n\r\nno\n";
      if (!status.empty()) ::send(peer, answer.data(), answer.size(), MSG_NOSIGNAL);
      ::close(peer);
    }
  }
  std::string Next(std::string request) {
    const std::lock_guard lock(mutex_);
    const std::size_t turn = turn_++;
    if (in_turn_) return statuses_[turn % statuses_.size()];
    requests_.push_back(std::move(request));
    return statuses_[std::min(turn, statuses_.size() - 1)];
  }
  static bool IsWhole(const std::string& request) {
    const std::size_t end = request.find("\r\n\r\n");
    const std::size_t length = request.find("content-length: ");
    return end != std::string::npos && length < end &&
           request.size() >= end + 4 + std::stoul(request.substr(length + 16));
  }

  const std::vector<std::string> statuses_;
  const bool in_turn_;
  const LoopbackSocket listener_;
  mutable std::mutex mutex_;
  std::size_t turn_ = 0;
  std::vector<std::string> requests_;
  std::thread thread_;
};

}  // namespace sonde

#endif  // SONDE_TESTS_SUPPORT_FAKE_ENGINE_H_
