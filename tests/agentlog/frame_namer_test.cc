// FrameNamer: names show where work was done and nothing that is secret.

#include "agentlog/frame_namer.h"

#include <gtest/gtest.h>

#include "agentlog/secret.h"

namespace sonde::agentlog {
namespace {

const PathScope kScope = ScopeOf("/home/ada/proj", "/home/ada/proj/sub", 2);

TEST(FrameNamer, PathsInTheProjectAreRelativeToItAndTwoComponentsDeep) {
  EXPECT_EQ(NameOfPath("/home/ada/proj/src/users/a.py", kScope), "src/users");
  EXPECT_EQ(NameOfPath("a.py", kScope), "sub/a.py");
  EXPECT_EQ(NameOfPath("../pages/home.ts", kScope), "pages/home.ts");
  EXPECT_EQ(NameOfPath("~/proj/lib/x.c", kScope), "lib/x.c");
  EXPECT_EQ(NameOfPath("/home/ada/proj/", kScope), "repo");
  EXPECT_EQ(NameOfPath("/home/ada/proj/.claude/settings.json", kScope), ".claude/settings.json");
  EXPECT_EQ(NameOfPath("src/README.md", ScopeOf("", "", 2)), "src/readme.md");
  EXPECT_EQ(NameOfPath("/w/p/a/b/c/d", ScopeOf("/w/p", "/w/p", 3)), "a/b/c");
}

TEST(FrameNamer, BucketsAreDecidedByWholeComponentsForAnyUser) {
  const PathScope scope = ScopeOf("/w/p", "/w/p", 2);
  EXPECT_EQ(NameOfPath("src/users/a.py", scope), "src/users");
  EXPECT_EQ(NameOfPath("pages/home.ts", scope), "pages/home.ts");
  EXPECT_EQ(NameOfPath("lib/tmpl.c", scope), "lib/tmpl.c");
  EXPECT_EQ(NameOfPath("root/tmp/x", scope), "root/tmp");
  EXPECT_EQ(NameOfPath("/home/ada/x", scope), "external/home");
  EXPECT_EQ(NameOfPath("/Users/ada/x", scope), "external/home");
  EXPECT_EQ(NameOfPath("/root/.ssh/id", scope), "external/home");
  EXPECT_EQ(NameOfPath("~/.bashrc", scope), "external/home");
  EXPECT_EQ(NameOfPath("~ada/x", scope), "external/home");
  EXPECT_EQ(NameOfPath("C:\\Users\\ada\\x.txt", scope), "external/home");
  EXPECT_EQ(NameOfPath("/mnt/c/Users/ada", scope), "external/home");
  EXPECT_EQ(NameOfPath("/tmp/x", scope), "external/tmp");
  EXPECT_EQ(NameOfPath("/private/var/folders/ab/x", scope), "external/tmp");
  EXPECT_EQ(NameOfPath("/home/ada/.codex/sessions/a", scope), "external/codex");
  EXPECT_EQ(NameOfPath("~/.claude/projects/-home-ada-x/y", scope), "external/claude");
  EXPECT_EQ(NameOfPath("/usr/include/stdio.h", scope), "external/path");
  EXPECT_EQ(NameOfPath("/", scope), "external/path");
  EXPECT_EQ(NameOfPath("../../../../etc/passwd", scope), "external/path");
  EXPECT_EQ(NameOfPath("../other/x", scope), "external/path");
  EXPECT_EQ(NameOfPath("/w/p2/x", scope), "external/path");
  EXPECT_EQ(NameOfPath("/w/p/x", ScopeOf("/w/p", "", 2)), "external/path");
  EXPECT_EQ(NameOfPath("C:Users\\ada\\x", scope), "external/home");
  for (const char* path : {"file:///home/ada/x", "file:/home/ada/x", "file://host/home/ada/x"}) {
    EXPECT_EQ(NameOfPath(path, scope), "external/home") << path;
  }
  // A session that worked above the homes names nobody's either.
  EXPECT_EQ(NameOfPath("ada/x", ScopeOf("/home", "/home", 2)), "external/home");
  EXPECT_EQ(NameOfPath("/mnt/c/Users/ada/x", ScopeOf("/mnt/c", "/mnt/c", 9)), "external/home");
  EXPECT_EQ(NameOfPath("C:\\Users\\ada", ScopeOf("C:\\", "C:\\", 9)), "external/home");
}

TEST(FrameNamer, ASessionOutsideTheProjectIsMeasuredByItsOwnFolder) {
  const PathScope scope = ScopeOf("/w/p", "/w/p2", 2);
  EXPECT_EQ(NameOfPath("/w/p2/src/a.c", scope), "src/a.c");
  EXPECT_EQ(NameOfPath("/w/p/src/a.c", scope), "external/path");
  const PathScope windows = ScopeOf("C:\\w\\p", "C:\\w\\p\\sub", 2);
  EXPECT_EQ(NameOfPath("C:\\w\\p\\src\\a.c", windows), "src/a.c");
}

TEST(FrameNamer, WordsKeepLettersOfAnyScriptAndNothingElse) {
  EXPECT_EQ(NameOfWord("Run  Tests!"), "run_tests");
  EXPECT_EQ(NameOfWord("修复 错误"), "修复_错误");
  EXPECT_EQ(NameOfWord("ÀÉß ΑΒΓ ПРИВЕТ"), "àéß_αβγ_привет");
  EXPECT_EQ(NameOfWord("a;b\nc"), "a_b_c");
  EXPECT_EQ(NameOfWord("\xff\xfe"), "unknown");
  EXPECT_EQ(NameOfWord("🙂"), "unknown");
  EXPECT_EQ(NameOfWord("mcp__server__tool"), "mcp__server__tool");
  EXPECT_EQ(NameOfWord(std::string(200, 'a')).size(), 80U);
  EXPECT_EQ(NameOfModel("anthropic/Claude-Opus-4"), "claude-opus-4");
}

TEST(FrameNamer, SecretsAreKnownByTheirShape) {
  for (const char* secret :
       {"sk-"
        "proj-a1b2C3d4e5F6g7H8i9J0k1L2",
        "ghp_0123456789abcdefghijABCDEFGHIJ012345", "AKIAIOSFODNN7EXAMPLE",
        "xoxb-123456789012-abcdefGHIJKL", "0123456789abcdef0123456789abcdef",
        "key-A7b9C2d4E6f8G1h3J5k7L9m2", "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.e30.x"}) {
    EXPECT_TRUE(LooksSecret(secret)) << secret;
    EXPECT_EQ(NameOfWord(secret), "redacted") << secret;
  }
  for (const char* name : {"sk-learn", "TestThatParsesVeryLongInputs2Times", "claude-opus-4-7",
                           "019ec561-a99a-7a81-a344-6d898f7615ab", "npm_config_registry",
                           "gpt-5.1-codex-max", "deadbeef"}) {
    EXPECT_FALSE(LooksSecret(name)) << name;
  }
  const PathScope scope = ScopeOf("/w/p", "/w/p", 2);
  EXPECT_EQ(NameOfPath("keys/ghp_0123456789abcdefghijABCDEFGHIJ012345", scope), "keys/redacted");
  EXPECT_EQ(NameOfPath("TOKEN=s3cr3t/x", scope), "token/x");
  EXPECT_EQ(NameOfPath("ada:pw@h/x", scope), "redacted/x");
  EXPECT_EQ(NameOfPath("u:pw@h/x", scope), "external/path");
  EXPECT_EQ(NameOfPath("mail/ada@corp.example.txt", scope), "mail/redacted");
  EXPECT_EQ(NameOfPath("icons/dark@2x.png", scope), "icons/dark_2x.png");
  EXPECT_EQ(NameOfPath("@scope/pkg", scope), "scope/pkg");
  EXPECT_EQ(NameOfPath("x/-home-ada-work", scope), "x/redacted");
  EXPECT_EQ(NameOfPath("x/C--Users-ada", scope), "x/redacted");
  EXPECT_EQ(NameOfPath("wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", scope), "redacted");
  EXPECT_EQ(NameOfDomain("0123456789abcdef0123456789abcdef.h.example"), "redacted.h.example");
}

TEST(FrameNamer, ProjectsAreCalledAfterTheirFolderButNeverAfterAPerson) {
  EXPECT_EQ(NameOfProject("/home/ada/My Proj"), "my_proj");
  EXPECT_EQ(NameOfProject("/home/ada"), "home");
  EXPECT_EQ(NameOfProject("/root"), "home");
  EXPECT_EQ(NameOfProject("/"), "project");
}

TEST(FrameNamer, HashesAreSha256) { EXPECT_EQ(HashOf("abc", 12), "ba7816bf8f01"); }

}  // namespace
}  // namespace sonde::agentlog
