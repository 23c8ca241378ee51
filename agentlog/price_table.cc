// PriceTable: what tokens of each model cost.

#include "sonde/price_table.h"

// It asserts what it then checks properly: "[[[" is an error, not a fault.
#define TOML_ASSERT(expression) static_assert(true)
#include <toml++/toml.h>

#include <algorithm>
#include <cmath>

#include "agentlog/shipped_prices.h"
#include "agentlog/token_kinds.h"

namespace sonde {
namespace {

constexpr double kMaxDollars = 1e6;

Error Malformed(std::string message, std::uint64_t line) {
  return {.code = ErrorCode::kMalformed, .message = std::move(message), .line = line};
}

Result<std::int64_t> PriceAt(const toml::table& table, std::string_view key) {
  const toml::node& node = *table.get(key);
  const std::uint64_t line = node.source().begin.line;
  const std::optional<double> dollars = node.value<double>();
  if (!node.is_number() || !dollars || !(*dollars >= 0) || *dollars > kMaxDollars) {
    return Malformed("'" + std::string(key) + "' is not a price in dollars a million tokens", line);
  }
  const double nanos = *dollars * 1000;
  if (std::abs(nanos - std::round(nanos)) > 1e-6) {
    return Malformed("'" + std::string(key) + "' is finer than a thousandth of a dollar", line);
  }
  return static_cast<std::int64_t>(std::llround(nanos));
}

std::int64_t Multiplied(std::uint64_t tokens, std::int64_t price) noexcept {
  std::int64_t product = 0;
  const auto count = static_cast<std::int64_t>(std::min<std::uint64_t>(tokens, INT64_MAX));
  return __builtin_mul_overflow(count, price, &product) ? INT64_MAX : product;
}

}  // namespace

std::int64_t PriceTable::Cost::Total() const noexcept {
  std::int64_t total = 0;
  for (const std::int64_t part : {input, cache_read, cache_creation, output, reasoning}) {
    if (__builtin_add_overflow(total, part, &total)) return INT64_MAX;
  }
  return total;
}

Result<PriceTable> PriceTable::FromToml(std::string_view toml) {
  toml::table parsed;
  try {
    parsed = toml::parse(toml);
  } catch (const toml::parse_error& error) {
    return Malformed(std::string(error.description()), error.source().begin.line);
  }
  PriceTable table;
  for (const auto& [key, node] : parsed) {
    const toml::array* list = node.as_array();
    if (key.str() != "model" || list == nullptr) {
      return Malformed(key.str() == "model"
                           ? "'model' is not a list of tables (expected [[model]])"
                           : "unknown key '" + std::string(key.str()) + "' (expected [[model]])",
                       node.source().begin.line);
    }
    for (const toml::node& element : *list) {
      const std::uint64_t line = element.source().begin.line;
      const toml::table* model = element.as_table();
      if (model == nullptr) return Malformed("a model is a table", line);
      // What is there and wrong explains more than what is missing.
      Entry entry;
      bool has_creation = false;
      bool has_creation_1h = false;
      for (const auto& [field, value] : *model) {
        std::int64_t* target = nullptr;
        if (field.str() == "name") {
          entry.name = value.value_or(std::string());
          if (entry.name.empty()) {
            return Malformed("'name' is not the name of a model", value.source().begin.line);
          }
          entry.is_prefix = entry.name.ends_with('*');
          if (entry.is_prefix) entry.name.pop_back();
          continue;
        }
        if (field.str() == "input") target = &entry.prices.input;
        if (field.str() == "output") target = &entry.prices.output;
        if (field.str() == "cache_read") target = &entry.prices.cache_read;
        if (field.str() == "cache_creation") {
          target = &entry.prices.cache_creation;
          has_creation = true;
        }
        if (field.str() == "cache_creation_1h") {
          target = &entry.prices.cache_creation_1h;
          has_creation_1h = true;
        }
        if (target == nullptr) {
          return Malformed("unknown key '" + std::string(field.str()) + "' in a model",
                           value.source().begin.line);
        }
        const Result<std::int64_t> price = PriceAt(*model, field.str());
        if (!price.ok()) return price.error();
        *target = price.value();
      }
      for (const std::string_view needed : {"name", "input", "output", "cache_read"}) {
        if (model->get(needed) == nullptr) {
          return Malformed("a model needs '" + std::string(needed) + "'", line);
        }
      }
      if (!has_creation) entry.prices.cache_creation = entry.prices.input;
      if (!has_creation_1h) entry.prices.cache_creation_1h = entry.prices.cache_creation;
      table.entries_.push_back(std::move(entry));
    }
  }
  return table;
}

const PriceTable& PriceTable::Shipped() {
  static const PriceTable kShipped = FromToml(agentlog::ShippedPrices()).value();
  return kShipped;
}

PriceTable PriceTable::After(const PriceTable& first) const {
  PriceTable both = first;
  const std::uint32_t turns = first.entries_.empty() ? 0 : first.entries_.back().turn + 1;
  for (Entry entry : entries_) {
    entry.turn += turns;
    both.entries_.push_back(std::move(entry));
  }
  return both;
}

const PriceTable::Prices* PriceTable::Find(std::string_view model) const noexcept {
  const Entry* best = nullptr;
  for (const Entry& entry : entries_) {
    if (best != nullptr && entry.turn != best->turn) break;
    if (!entry.is_prefix && entry.name == model) return &entry.prices;
    if (entry.is_prefix && model.starts_with(entry.name) &&
        (best == nullptr || entry.name.size() > best->name.size())) {
      best = &entry;
    }
  }
  return best == nullptr ? nullptr : &best->prices;
}

std::optional<PriceTable::Cost> PriceTable::CostOf(std::string_view model,
                                                   const TokenCounts& tokens) const noexcept {
  const Prices* prices = Find(model);
  if (prices == nullptr) return std::nullopt;
  const std::uint64_t hour = std::min(tokens.cache_creation_1h, tokens.cache_creation);
  const agentlog::TokenKinds kinds = agentlog::TokenKindsOf(tokens);
  Cost cost{.input = Multiplied(tokens.input, prices->input),
            .cache_read = Multiplied(tokens.cache_read, prices->cache_read),
            .cache_creation = Multiplied(hour, prices->cache_creation_1h),
            .output = Multiplied(kinds.output, prices->output),
            .reasoning = Multiplied(kinds.reasoning, prices->output)};
  if (__builtin_add_overflow(cost.cache_creation,
                             Multiplied(tokens.cache_creation - hour, prices->cache_creation),
                             &cost.cache_creation)) {
    cost.cache_creation = INT64_MAX;
  }
  return cost;
}

}  // namespace sonde
