// BuildSamples: turns a SampleTable into the samples of an Interval, with the tables they name.

#ifndef SONDE_SAMPLER_INTERVAL_BUILDER_H_
#define SONDE_SAMPLER_INTERVAL_BUILDER_H_

#include <cstdint>
#include <string>
#include <unordered_map>

#include "sampler/interval.h"
#include "sampler/module_registry.h"
#include "sampler/sample_table.h"

namespace sonde {

// Fills modules, threads, label_sets and samples of `interval`. Only what a sample
// names is listed.
void BuildSamples(const SampleTable& table, const ModuleRegistry& modules,
                  const std::unordered_map<std::int32_t, std::string>& names, Interval& interval);

}  // namespace sonde

#endif  // SONDE_SAMPLER_INTERVAL_BUILDER_H_
