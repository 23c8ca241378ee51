// Http1Reader: takes the requests out of the bytes of a connection, and refuses what is ambiguous.

#ifndef SONDE_CONSOLE_HTTP1_READER_H_
#define SONDE_CONSOLE_HTTP1_READER_H_

#include <cstddef>
#include <memory>
#include <string>

#include "console/http_exchange.h"

namespace sonde {

// What two readers could understand in two ways (where a body ends, which host is asked) is no
// request: a proxy before this server may have understood it in the other way. Not thread-safe.
class Http1Reader {
 public:
  enum class State {
    kNeedsMore,
    kExpectsContinue,  // Once a request: the peer waits to be told that its body is wanted.
    kWhole,
    kRefused,
  };

  Http1Reader(std::size_t header_bytes, std::size_t body_bytes);
  ~Http1Reader();

  // Reads on, and removes from `input` what was read. After kWhole comes Take, after kRefused
  // nothing.
  State Read(std::string& input);
  // The whole request; the next one begins.
  HttpRequest Take();
  // Why there is no request: a status and one line of text.
  const HttpResponse& refusal() const noexcept { return refusal_; }

  // True once a part of a request was read.
  bool has_begun() const;
  // Of the last request: whether another may follow, and whether its peer knows chunks.
  bool keeps_alive() const noexcept { return keeps_alive_; }
  bool knows_chunks() const noexcept { return knows_chunks_; }

 private:
  struct Parser;

  void Begin();
  // Takes the fields out of the header. False when the request is refused.
  bool TakeHeader();
  State Refuse(int status, std::string reason);

  std::size_t header_bytes_;
  std::size_t body_bytes_;
  std::unique_ptr<Parser> parser_;
  HttpRequest request_;
  HttpResponse refusal_;
  bool has_header_ = false;
  std::size_t header_used_ = 0;
  bool keeps_alive_ = true;
  bool knows_chunks_ = true;
};

}  // namespace sonde

#endif  // SONDE_CONSOLE_HTTP1_READER_H_
