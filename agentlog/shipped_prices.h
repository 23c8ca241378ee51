// ShippedPrices: the text of prices.toml.

#ifndef SONDE_AGENTLOG_SHIPPED_PRICES_H_
#define SONDE_AGENTLOG_SHIPPED_PRICES_H_

#include <string_view>

namespace sonde::agentlog {

// Any thread.
std::string_view ShippedPrices() noexcept;

}  // namespace sonde::agentlog

#endif  // SONDE_AGENTLOG_SHIPPED_PRICES_H_
