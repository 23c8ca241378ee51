// AgentStatus: what `sonde agent` reports on standard output and standard error.

#ifndef SONDE_CLI_AGENT_STATUS_H_
#define SONDE_CLI_AGENT_STATUS_H_

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sonde/agent_projection.h"
#include "sonde/profile.h"
#include "sonde/tag_report.h"

namespace sonde::cli {

// Coverage and spread of tags, under the names `prompts.total` and `total_prompts` alike.
nlohmann::json TaggingAsJson(const TagReport& report);

// The weight of a view: sample_type, unit, samples (the sum of weights), unique_stacks.
nlohmann::json WeightsAsJson(const Profile& profile);

// Positive and negative parts of a signed profile.
nlohmann::json DifferenceAsJson(const Profile& profile);

// The report for people, on standard error.
void PrintTagging(const TagReport& report);
void PrintWarnings(const std::vector<std::string>& warnings);

}  // namespace sonde::cli

#endif  // SONDE_CLI_AGENT_STATUS_H_
