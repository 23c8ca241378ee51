// Dollars: an amount of money as people read it.

#ifndef SONDE_DOLLAR_TEXT_H_
#define SONDE_DOLLAR_TEXT_H_

#include <cstdint>
#include <string>

namespace sonde {

// "$1,204.50", "$0.6308", "-$0.000000750": to the cent from a dollar on, smaller ones by what they
// are. Profiles of cost count in nanodollars. Any thread.
std::string DollarText(std::int64_t nanodollars);

}  // namespace sonde

#endif  // SONDE_DOLLAR_TEXT_H_
