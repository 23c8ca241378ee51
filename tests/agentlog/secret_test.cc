// Secrets: a key of a known vendor is hidden wherever a name can stand, whatever its letters.

#include "agentlog/secret.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "agentlog/frame_namer.h"
#include "agentlog/tool_facts.h"
#include "tests/support/agent_logs.h"

namespace sonde::agentlog {
namespace {

constexpr std::string_view kWord = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
constexpr std::string_view kLetters = kWord.substr(0, 52);
constexpr std::string_view kHex = "0123456789abcdef";
constexpr std::string_view kBase32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const std::string kUrl = std::string(kWord) + "-_";
const std::string kBase64 = std::string(kWord) + "+/";

constexpr int kKeysOfAShape = 300;

class KeyMaker {
 public:
  std::string Of(std::string_view letters, std::size_t length) {
    std::string text(length, ' ');
    std::uniform_int_distribution<std::size_t> any(0, letters.size() - 1);
    for (char& c : text) c = letters[any(random_)];
    return text;
  }

 private:
  std::mt19937 random_{20'260'101};
};

std::vector<std::pair<std::string, std::function<std::string(KeyMaker&)>>> Shapes() {
  const auto with = [](std::string prefix, std::string_view letters, std::size_t length) {
    return [=](KeyMaker& make) { return prefix + make.Of(letters, length); };
  };
  return {
      {"GitHub", with("ghp_", kWord, 36)},
      {"GitHub, letters alone", with("ghs_", kLetters, 36)},
      {"GitHub, fine", with("github_pat_", kWord, 82)},
      {"GitLab", with("glpat-", kUrl, 20)},
      {"Google", with("AIza", kUrl, 35)},
      {"Google, access", with("ya29.", kUrl, 60)},
      {"AWS id", with("AKIA", kBase32, 16)},
      {"AWS session id", with("ASIA", kBase32, 16)},
      {"AWS secret", with("", kWord, 40)},
      {"OpenAI", with("sk-", kWord, 48)},
      {"OpenAI, project", with("sk-proj-", kUrl, 64)},
      {"Anthropic", with("sk-ant-api03-", kUrl, 93)},
      {"Stripe", with("sk_live_", kWord, 24)},
      {"Slack", with("xoxb-123456789012-1234567890123-", kWord, 24)},
      {"Hugging Face", with("hf_", kLetters, 34)},
      {"npm", with("npm_", kWord, 36)},
      {"PyPI", with("pypi-AgEIcHlwaS5vcmc", kUrl, 90)},
      {"DigitalOcean", with("dop_v1_", kHex, 64)},
      {"Shopify", with("shpat_", kHex, 32)},
      {"Databricks", with("dapi", kHex, 32)},
      {"Vault", with("hvs.", kUrl, 90)},
      {"Twilio", with("SK", kHex, 32)},
      {"SendGrid",
       [](KeyMaker& make) { return "SG." + make.Of(kUrl, 22) + '.' + make.Of(kUrl, 43); }},
      {"JWT",
       [](KeyMaker& make) {
         return "eyJ" + make.Of(kUrl, 17) + ".eyJ" + make.Of(kUrl, 40) + '.' + make.Of(kUrl, 43);
       }},
  };
}

// What a name shows of `key`: the longest part of twelve letters or more, whatever their case.
bool Shows(std::string name, std::string key) {
  constexpr std::size_t kTelling = 12;
  const auto lower = [](char c) { return static_cast<char>(std::tolower(c)); };
  std::transform(name.begin(), name.end(), name.begin(), lower);
  std::transform(key.begin(), key.end(), key.begin(), lower);
  for (std::size_t i = 0; i + kTelling <= key.size(); ++i) {
    if (name.find(key.substr(i, kTelling)) != std::string::npos) return true;
  }
  return false;
}

std::string FactsShown(const std::string& tool, const std::string& input) {
  const ToolFacts facts = FactsOf({.name = tool, .input_kind = ToolInput::kJson, .input = input});
  std::string shown = NameOfWord(tool) + ' ' + NameOfWord(facts.command_name);
  const PathScope scope = ScopeOf("/w/p", "/w/p", 9);
  for (const std::string& process : facts.processes) shown += ' ' + NameOfWord(process);
  for (const FileTouch& touch : facts.files) shown += ' ' + NameOfPath(touch.path, scope);
  for (const std::string& domain : facts.domains) shown += ' ' + NameOfDomain(domain);
  return shown;
}

std::string ShellShown(const std::string& command) {
  return FactsShown("Bash", R"({"command":")" + command + "\"}");
}

std::vector<std::string> NamesOf(const std::string& key) {
  const PathScope scope = ScopeOf("/w/p", "/w/p", 9);
  std::string lower = key;
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](char c) { return static_cast<char>(std::tolower(c)); });
  return {NameOfWord(key),
          NameOfWord("use_" + key),
          NameOfModel("vendor/" + key),
          NameOfId(key),
          NameOfLog("/x/" + key + ".jsonl"),
          NameOfProject("/w/" + key),
          NameOfPath(key, scope),
          NameOfPath("src/" + key + "/x", scope),
          NameOfPath(key + ".txt", scope),
          FactsShown(key, "{}"),
          FactsShown("mcp__server__" + key, "{}"),
          FactsShown("WebFetch", R"({"url":"https://)" + key + R"(/x"})"),
          FactsShown("WebFetch", R"({"url":"https://)" + key + R"(.corp.example/x"})"),
          FactsShown("Read", R"({"file_path":")" + key + R"(.txt"})"),
          ShellShown("cat " + key + ".txt"),
          ShellShown("curl https://" + key + "/x"),
          ShellShown("ssh " + key),
          ShellShown("./" + key + " --help")};
}

// A token of 20 letters and digits holds 14 pairs of letters at the mean, of which a third look
// like a name's: one in eight is taken for a name at most, and of those of 32 hardly any.
TEST(Secret, TokensOfNoKnownVendorAreToldByTheirLetters) {
  constexpr int kTokens = 2'000;
  KeyMaker make;
  for (const auto& [length, bound] :
       {std::pair<std::size_t, int>{20, kTokens / 8}, {24, kTokens / 20}, {32, kTokens / 50}}) {
    int shown = 0;
    for (int i = 0; i < kTokens; ++i) shown += LooksSecret(make.Of(kWord, length)) ? 0 : 1;
    EXPECT_LE(shown, bound) << length;
  }
}

TEST(Secret, LongNamesStay) {
  for (const std::string_view name :
       {"AbstractSingletonProxyFactoryBean", "internationalization", "getElementsByClassName",
        "HTTPServerRequestHandler", "utf8ToUtf16LittleEndian", "ConcurrentHashMapV8Test",
        "test_x86_64_unknown_linux_gnu", "Rechtsschutzversicherungen", "xcodebuildconfiguration",
        "sha256sumsOfAllReleases2026", "kubernetesClusterRoleBinding", "qtVirtualKeyboardPlugin",
        "libboost_program_options", "LC_MEASUREMENT", "debugfsTracepointSyscalls"}) {
    EXPECT_FALSE(LooksSecret(name)) << name;
  }
}

TEST(Secret, KeysOfEveryVendorAreHiddenInEveryPosition) {
  KeyMaker make;
  for (const auto& [vendor, shape] : Shapes()) {
    std::vector<int> shown;
    std::string example;
    for (int i = 0; i < kKeysOfAShape; ++i) {
      const std::string key = shape(make);
      const std::vector<std::string> names = NamesOf(key);
      shown.resize(names.size());
      for (std::size_t place = 0; place < names.size(); ++place) {
        if (!Shows(names[place], key)) continue;
        ++shown[place];
        example = names[place] + " of " + key;
      }
    }
    EXPECT_EQ(shown, std::vector<int>(shown.size())) << vendor << ": " << example;
  }
}

TEST(Secret, KeysWithSlashesAreHiddenBeforeASlashCutsThem) {
  KeyMaker make;
  const PathScope scope = ScopeOf("/w/p", "/w/p", 9);
  for (int i = 0; i < kKeysOfAShape; ++i) {
    const std::string key = make.Of(kWord, 12) + make.Of(kBase64, 28);
    for (const std::string& name :
         {NameOfWord(key), NameOfWord("use_" + key), NameOfModel("vendor/" + key),
          NameOfPath(key, scope), NameOfPath("src/" + key + "/x", scope),
          NameOfPath(key + ".txt", scope), FactsShown(key, "{}"),
          FactsShown("WebFetch", R"({"url":"https://)" + key + R"(/x"})"),
          FactsShown("Read", R"({"file_path":")" + key + R"(.txt"})"),
          ShellShown("cat " + key + ".txt"), ShellShown("curl https://" + key + "/x"),
          ShellShown("./" + key + " --help")}) {
      EXPECT_FALSE(Shows(name, key)) << name << " of " << key;
    }
  }
}

TEST(Secret, KeysAreKnownInAnyLetterCaseByTheirVendor) {
  for (const char* key : {"aizaowrl0pqsxyzabcdefghijklmnopqrstuvwx", "akiaiosfodnnexamplek",
                          "HF_ABCDEFGHIJKLMNOPQRSTUVWXYZABCDEFGH", "GLPAT-abcdefghijklmnopqrst"}) {
    EXPECT_TRUE(LooksSecret(key)) << key;
  }
}

TEST(Secret, NamesThatPeopleChooseAreNoSecrets) {
  for (const char* name :
       {"asiapacificnortheast", "sk-learn-contrib-estimators-extra", "npm_config_user_agent_string",
        "hf_hub_download", "AbstractSingletonProxyFactoryBean2ForUnit", "icon@2x.png",
        "GetUserAccountByEmailAddressOrPhoneNumbe", "eslint@v8.1.0", "@scope/pkg",
        "src/components/ButtonGroup/IndexPage/abc", "claude-opus-4@20250101"}) {
    EXPECT_FALSE(LooksSecret(name)) << name;
  }
}

TEST(Secret, PeoplesAddressesAreHiddenAsModelsIdsAndLogs) {
  EXPECT_EQ(NameOfModel("ada@corp.example"), "redacted");
  EXPECT_EQ(NameOfLog("/x/ada@corp.example.jsonl"), "redacted");
  const std::string line = ClaudeAnswer("2", "02", "msg_0123456789abcdefgh",
                                        R"({"input_tokens":-5})", "[]", "", "ada@corp.example");
  AgentLogs logs;
  std::string text = line;
  text.replace(text.find("claude-a"), 8, "ada@corp.example");
  text.replace(text.find("2.1.39"), 6, "ghp_0123456789abcdefghijABCDEFGHIJ012345");
  logs.Add("glpat-abcdefghijklmnopqrst.jsonl", text);
  const AgentHistory history = logs.Read();
  ASSERT_EQ(history.sessions().size(), 1U);
  EXPECT_EQ(history.sessions()[0].id.find("ada"), std::string::npos);
  EXPECT_EQ(history.sessions()[0].version, "redacted");
  EXPECT_TRUE(history.totals().models.contains("redacted"));
  ASSERT_EQ(history.losses().entries().size(), 1U);
  EXPECT_EQ(history.losses().entries()[0].places[0], "redacted:1");
}

}  // namespace
}  // namespace sonde::agentlog
