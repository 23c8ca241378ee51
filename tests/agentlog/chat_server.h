// ChatServer: a chat server on loopback that answers as a test tells it to.

#ifndef SONDE_TESTS_AGENTLOG_CHAT_SERVER_H_
#define SONDE_TESTS_AGENTLOG_CHAT_SERVER_H_

#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "tests/support/loopback_socket.h"

namespace sonde {

// `reply` gets the body of a request and gives the whole HTTP response, or nothing to hang up.
class ChatServer {
 public:
  struct Reply {
    // NOLINTNEXTLINE(google-explicit-constructor)
    Reply(std::string bytes, bool hangs_up = false)
        : text(std::move(bytes)), then_hangs_up(hangs_up || text.empty()) {}
    std::string text;
    bool then_hangs_up;
  };

  explicit ChatServer(std::function<Reply(const std::string&)> reply)
      : reply_(std::move(reply)), listener_(BindToLoopback()) {
    ::listen(listener_.fd, 16);
    accepting_ = std::thread([this] { Accept(); });
  }
  ~ChatServer() {
    ::shutdown(listener_.fd, SHUT_RDWR);
    accepting_.join();
    {
      const std::lock_guard lock(mutex_);
      for (const int client : clients_) ::shutdown(client, SHUT_RDWR);
    }
    for (std::thread& serving : serving_) serving.join();
    for (const int client : clients_) ::close(client);
    ::close(listener_.fd);
  }

  std::string url() const { return "http://127.0.0.1:" + std::to_string(listener_.port); }
  int requests() const { return requests_.load(); }

  static std::string Ok(const std::string& json) {
    return "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: " +
           std::to_string(json.size()) + "\r\n\r\n" + json;
  }
  static std::string Says(const std::string& word) {
    return Ok(R"({"choices":[{"message":{"role":"assistant","content":")" + word + "\"}}]}");
  }

 private:
  void Accept() {
    while (true) {
      const int client = ::accept(listener_.fd, nullptr, nullptr);
      if (client < 0) return;
      const std::lock_guard lock(mutex_);
      clients_.push_back(client);
      serving_.emplace_back([this, client] { Serve(client); });
    }
  }

  static bool SendAll(int client, std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(client, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }

  void Serve(int client) {
    std::string read;
    char block[4096];
    while (true) {
      const std::size_t head = read.find("\r\n\r\n");
      if (head != std::string::npos) {
        const std::size_t field = read.find("Content-Length: ");
        const std::size_t length = std::stoul(read.substr(field + 16));
        if (read.size() >= head + 4 + length) {
          ++requests_;
          const Reply answer = reply_(read.substr(head + 4, length));
          read.erase(0, head + 4 + length);
          if (!SendAll(client, answer.text) || answer.then_hangs_up) {
            ::shutdown(client, SHUT_RDWR);
            return;
          }
          continue;
        }
      }
      const ssize_t got = ::recv(client, block, sizeof(block), 0);
      if (got <= 0) return;
      read.append(block, static_cast<std::size_t>(got));
    }
  }

  std::function<Reply(const std::string&)> reply_;
  const LoopbackSocket listener_;
  std::atomic<int> requests_{0};
  std::mutex mutex_;
  std::vector<int> clients_;
  std::vector<std::thread> serving_;
  std::thread accepting_;
};

}  // namespace sonde

#endif  // SONDE_TESTS_AGENTLOG_CHAT_SERVER_H_
