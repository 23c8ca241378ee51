// PriceTable: what tokens of each model cost.

#ifndef SONDE_PRICE_TABLE_H_
#define SONDE_PRICE_TABLE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sonde/agent_session.h"
#include "sonde/result.h"

namespace sonde {

// Prices in US dollars a million tokens. Costs are whole nanodollars: a price of a thousandth of
// a dollar a million is one nanodollar a token, so sums are exact.
class PriceTable {
 public:
  struct Prices {
    std::int64_t input = 0;  // Nanodollars a token, all of them.
    std::int64_t cache_read = 0;
    std::int64_t cache_creation = 0;     // Also where the log does not say for how long.
    std::int64_t cache_creation_1h = 0;  // Kept for an hour.
    std::int64_t output = 0;             // Reasoning too.
  };
  // The cost of the tokens of one call by kind, in nanodollars. Saturates.
  struct Cost {
    std::int64_t input = 0;
    std::int64_t cache_read = 0;
    std::int64_t cache_creation = 0;
    std::int64_t output = 0;  // Without reasoning.
    std::int64_t reasoning = 0;
    std::int64_t Total() const noexcept;
  };

  // The shipped table. Never fails to parse.
  static const PriceTable& Shipped();
  // [[model]] tables with `name`, `input`, `output` and, where they differ from nothing,
  // `cache_read`, `cache_creation`, `cache_creation_1h`. A name that ends in "*" stands for all
  // names that start so; an exact name goes first, then the longest that fits. Fails with
  // kMalformed and the line.
  static Result<PriceTable> FromToml(std::string_view toml);
  // This table, asked only where nothing in `first` fits.
  PriceTable After(const PriceTable& first) const;

  // Null when the model has no price: then nothing is guessed. **Any thread.**
  const Prices* Find(std::string_view model) const noexcept;
  std::optional<Cost> CostOf(std::string_view model, const TokenCounts& tokens) const noexcept;

 private:
  struct Entry {
    std::string name;
    bool is_prefix = false;
    Prices prices{};
    std::uint32_t turn = 0;  // A table that is asked earlier has a lower one.
  };
  std::vector<Entry> entries_;
};

}  // namespace sonde

#endif  // SONDE_PRICE_TABLE_H_
