#include "console/http1_reader.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sonde {
namespace {

using State = Http1Reader::State;

struct Outcome {
  std::vector<HttpRequest> requests;
  int refused = 0;
  bool keeps_alive = true;
  bool continued = false;
};

// Feeds `bytes` in pieces of `piece`.
Outcome ReadAll(std::string_view bytes, std::size_t piece = 1 << 20) {
  Http1Reader reader(1000, 1000);
  Outcome outcome;
  std::string input;
  while (!bytes.empty()) {
    input += bytes.substr(0, piece);
    bytes.remove_prefix(std::min(piece, bytes.size()));
    State state = State::kNeedsMore;
    while ((state = reader.Read(input)) != State::kNeedsMore) {
      if (state == State::kRefused) {
        outcome.refused = reader.refusal().status;
        return outcome;
      }
      if (state == State::kExpectsContinue) outcome.continued = true;
      if (state == State::kWhole) {
        outcome.requests.push_back(reader.Take());
        outcome.keeps_alive = reader.keeps_alive();
      }
      if (input.empty()) break;
    }
  }
  return outcome;
}

std::string Get(std::string_view headers) {
  return "GET /x HTTP/1.1\r\nHost: localhost\r\n" + std::string(headers) + "\r\n";
}

TEST(Http1Reader, WhatCanBeUnderstoodInTwoWaysIsRefused) {
  const std::string next = "GET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n";
  const std::vector<std::pair<std::string, int>> wrong{
      {Get("Transfer-Encoding: chunked\r\nContent-Length: 4\r\n") + next, 400},
      {Get("Content-Length: 4\r\nTransfer-Encoding: chunked\r\n") + next, 400},
      {Get("Content-Length: 4\r\nContent-Length: 5\r\n") + next, 400},
      {Get("Content-Length: 4, 5\r\n") + next, 400},
      {Get("Content-Length: +4\r\n") + next, 400},
      {Get("Content-Length: -1\r\n") + next, 400},
      {Get("Content-Length: 0x4\r\n") + next, 400},
      {Get("Content-Length: 99999999999999999999\r\n") + next, 400},
      {Get("Transfer-Encoding: chunked, identity\r\n") + next, 501},
      {Get("Transfer-Encoding: gzip, chunked\r\n") + next, 501},
      {Get("Transfer-Encoding: xchunked\r\n") + next, 501},
      {Get("Transfer-Encoding: identity\r\nTransfer-Encoding: chunked\r\n") + next, 501},
      {Get("Transfer-Encoding : chunked\r\n") + next, 400},
      {Get("Transfer-Encoding:\x0b chunked\r\n") + next, 400},
      {Get("Host: other\r\n"), 400},
      {"GET /x HTTP/1.1\r\n\r\n", 400},
      {"GET /x HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 501},
      {"GET /x HTTP/2.0\r\nHost: localhost\r\n\r\n", 505},
      {"GET /x HTTP/0.9\r\nHost: localhost\r\n\r\n", 505},
      {"GET /x\r\n\r\n", 400},
      {"GET  /x HTTP/1.1\r\nHost: localhost\r\n\r\n", 400},
      {"GET x HTTP/1.1\r\nHost: localhost\r\n\r\n", 400},
      {"CONNECT localhost:80 HTTP/1.1\r\nHost: localhost\r\n\r\n", 400},
      {Get("Expect: much\r\n"), 417},
      {Get("X: " + std::string(2000, 'x') + "\r\n"), 431},
      {Get("Content-Length: 2000\r\n"), 413},
      {Get("Transfer-Encoding: chunked\r\n") + "zz\r\n", 400},
      {Get("Transfer-Encoding: chunked\r\n") + "ffffffffffffffffff\r\n", 400},
      {Get("Transfer-Encoding: chunked\r\n") + "4\r\nabcdXY\r\n", 400},
      {std::string("GET /\0 HTTP/1.1\r\nHost: localhost\r\n\r\n", 37), 400},
      {Get(std::string("X: a\0b\r\n", 8)), 400}};
  for (const auto& [bytes, status] : wrong) {
    for (const std::size_t piece : {std::size_t{1}, std::size_t{7}, std::size_t{1} << 20}) {
      const Outcome outcome = ReadAll(bytes, piece);
      EXPECT_EQ(outcome.refused, status) << bytes;
      EXPECT_TRUE(outcome.requests.empty()) << bytes;
    }
  }
}

TEST(Http1Reader, TheLimitOfAHeaderDoesNotDependOnHowItComes) {
  const std::string begin = "GET / HTTP/1.1\r\nHost: localhost\r\n";
  const auto header = [&](std::size_t size) {  // Of small fields, and the last as long as it takes.
    std::string text = begin;
    while (text.size() + 20 < size) text += "a: b\r\n";
    return text + "a: " + std::string(size - text.size() - 7, 'b') + "\r\n\r\n";
  };
  const std::string chunked =
      "POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n";
  std::string trailer;
  while (trailer.size() < 2000) trailer += "a: b\r\n";
  for (const std::size_t piece : {1UL, 7UL, 100UL, 600UL, 1UL << 20}) {
    EXPECT_EQ(ReadAll(header(1000), piece).requests.size(), 1U) << piece;
    EXPECT_EQ(ReadAll(header(1001), piece).refused, 431) << piece;
    EXPECT_EQ(ReadAll(header(9000), piece).refused, 431) << piece;
    EXPECT_EQ(ReadAll(header(1000) + header(1000), piece).requests.size(), 2U) << piece;
    EXPECT_EQ(ReadAll(chunked + trailer, piece).refused, 431) << piece;
  }
}

TEST(Http1Reader, BodiesAndWhatFollowsThemAreToldApart) {
  const std::string chunked =
      "POST /a HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
      "3;x=\"y\"\r\nabc\r\n002\r\nde\r\n0\r\nAuthorization: late\r\nHost: other\r\n\r\n";
  const std::string sized =
      "POST /b HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4, 4\r\n\r\nGET ";
  for (const std::size_t piece : {std::size_t{1}, std::size_t{5}, std::size_t{1} << 20}) {
    const Outcome outcome = ReadAll(chunked + sized + Get(""), piece);
    ASSERT_EQ(outcome.requests.size(), 3U) << piece;
    EXPECT_EQ(outcome.requests[0].body, "abcde");
    EXPECT_EQ(outcome.requests[0].authority, "localhost");
    EXPECT_EQ(outcome.requests[0].Header("authorization"), "");  // It came behind the body.
    EXPECT_EQ(outcome.requests[1].body, "GET ");
    EXPECT_EQ(outcome.requests[2].target, "/x");
  }
}

TEST(Http1Reader, AnAbsoluteTargetNamesTheHost) {
  const auto read = [](const std::string& target) {
    const Outcome outcome = ReadAll("GET " + target + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
    return outcome.requests.empty()
               ? "refused"
               : outcome.requests[0].authority + ' ' + outcome.requests[0].target;
  };
  EXPECT_EQ(read("/x"), "localhost /x");
  EXPECT_EQ(read("http://127.0.0.1:6060/x?y"), "127.0.0.1:6060 /x?y");
  EXPECT_EQ(read("HTTP://evil.example?y"), "evil.example /?y");
  EXPECT_EQ(read("http://evil.example"), "evil.example /");
  EXPECT_EQ(read("*"), "localhost *");
  EXPECT_EQ(read("//evil.example/"), "localhost //evil.example/");
  EXPECT_EQ(read("https://localhost/"), "refused");
}

TEST(Http1Reader, PeersOfHttp10AreAskedNothingAndGetNoChunks) {
  const Outcome old = ReadAll("GET /x HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  ASSERT_EQ(old.requests.size(), 1U);
  EXPECT_FALSE(old.keeps_alive);
  EXPECT_FALSE(ReadAll(Get("Connection: close\r\n")).keeps_alive);
  EXPECT_TRUE(ReadAll(Get("")).keeps_alive);
  const std::string waits =
      "POST /x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n"
      "Expect: 100-continue\r\n\r\n";
  EXPECT_TRUE(ReadAll(waits).continued);
  EXPECT_EQ(ReadAll(waits + "ab", 10).requests.size(), 1U);
}

}  // namespace
}  // namespace sonde
