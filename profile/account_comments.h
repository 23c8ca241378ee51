// AccountComments: the comments of profiles that become one, their accounts added up.

#ifndef SONDE_PROFILE_ACCOUNT_COMMENTS_H_
#define SONDE_PROFILE_ACCOUNT_COMMENTS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sonde {

// A snapshot says where its samples and its CPU time went in lines like "sonde cpu: process_ns=12
// sampled_ns=10 ...". Lines of one kind become one, key by key, with the most of the threads that
// one looked at; what is no number, such as a share, is left out of the sum. Any other comment is
// kept once. Not thread-safe.
class AccountComments {
 public:
  void Add(std::string_view comment);

  // In the order in which they came first.
  std::vector<std::string> Take() &&;

 private:
  struct Account {
    std::string head;  // "sonde cpu:"; the whole text of a comment that is no account.
    std::vector<std::pair<std::string, std::int64_t>> sums;
    std::string only;  // The text while one alone came.
  };
  std::vector<Account> accounts_;
};

}  // namespace sonde

#endif  // SONDE_PROFILE_ACCOUNT_COMMENTS_H_
