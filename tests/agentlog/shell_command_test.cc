// ShellCommand: what command lines are understood to do.

#include "agentlog/shell_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "agentlog/domain.h"
#include "agentlog/patch.h"
#include "agentlog/tool_facts.h"

namespace sonde::agentlog {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::string Processes(std::string_view text) {
  std::string joined;
  for (const std::string& process : ReadShellCommand(text).processes) {
    if (!joined.empty()) joined += ' ';
    joined += process;
  }
  return joined;
}

std::string Files(const std::vector<FileTouch>& files) {
  std::string joined;
  for (const FileTouch& touch : files) {
    if (!joined.empty()) joined += ' ';
    joined += std::string(NameOf(touch.access)) + ':';
    if (!touch.previous_path.empty()) joined += touch.previous_path + '>';
    joined += touch.path;
  }
  return joined;
}

std::string Files(std::string_view text) { return Files(ReadShellCommand(text).files); }
std::string_view EffectName(std::string_view text) { return NameOf(ReadShellCommand(text).effect); }

TEST(ShellCommand, ACompoundLineIsItsProgramsFilesAndEffect) {
  const ShellCommand command =
      ReadShellCommand("cd /r && FOO=1 timeout 30 cargo test 2>&1 | tee out.txt");

  EXPECT_THAT(command.processes, ElementsAre("cargo", "tee"));
  EXPECT_EQ(command.name, "cargo");
  EXPECT_EQ(command.effect, Effect::kTest);
  EXPECT_EQ(Files(command.files), "write:/r/out.txt");
}

TEST(ShellCommand, ASecretBeforeTheProgramOrInTheUrlIsNoPartOfWhatIsFound) {
  const ShellCommand command = ReadShellCommand("TOKEN=s3cr3t curl https://u:pw@h.example:8443/x");

  EXPECT_THAT(command.processes, ElementsAre("curl"));
  EXPECT_THAT(command.domains, ElementsAre("h.example"));
  EXPECT_THAT(command.files, IsEmpty());
  EXPECT_EQ(command.effect, Effect::kNetwork);
}

TEST(ShellCommand, TheWordsOfAListAreNoCommands) {
  EXPECT_EQ(Processes("declare -a KEYS=(s3cr3t 'a)b' # c)\n \"$(cat list.txt)\" [2]=x) && make; "
                      "MORE+=(s3cr3t other)\nls src"),
            "make ls cat");
  std::string deep;
  for (int i = 0; i < 100'000; ++i) deep += "a=(";
  EXPECT_EQ(Processes(deep), "");
}

TEST(ShellCommand, AnArgumentListIsReadLikeALine) {
  const std::vector<std::string> words = {"bash", "-lc", "cargo test"};
  const ShellCommand command = ReadShellArguments(words);

  EXPECT_THAT(command.processes, ElementsAre("bash", "cargo"));
  EXPECT_EQ(command.name, "cargo");
  EXPECT_EQ(command.effect, Effect::kTest);
}

TEST(ShellCommand, WrappersInAnArgumentListTakeTheirAssignments) {
  const auto programs = [](std::vector<std::string> words) {
    return ReadShellArguments(words).processes;
  };
  EXPECT_THAT(programs({"env", "A=1", "curl", "https://h.example"}), ElementsAre("curl"));
  EXPECT_THAT(programs({"nice", "-n", "5", "env", "B=2", "rm", "y"}), ElementsAre("rm"));
  EXPECT_THAT(programs({"A=1", "rm", "y"}), IsEmpty());
}

TEST(ShellCommand, WrappersAndBuiltinsAreNoProcesses) {
  EXPECT_EQ(Processes("sudo -u build env -u X A=1 nice -n 5 nohup make -j4"), "make");
  EXPECT_EQ(Processes("timeout -s KILL 30 stdbuf -oL ./run.sh"), "run.sh");
  EXPECT_EQ(Processes("cd x; export A=b; echo hi; [ -f y ] && true"), "");
  EXPECT_EQ(Processes("[[ -f x && -d y ]] || exit 1"), "");
  EXPECT_EQ(Processes("command -v cargo"), "");
  EXPECT_EQ(Processes("find . -name '*.o' -print0 | xargs -0 -n 5 rm -f"), "find xargs rm");
  EXPECT_EQ(ReadShellCommand("cd x && pwd").name, "cd");
}

TEST(ShellCommand, NestedShellsSubstitutionsAndFunctionsAreFollowed) {
  EXPECT_EQ(Processes(R"(bash -c "sh -c 'git status | head'")"), "bash sh git head");
  EXPECT_EQ(Processes("echo \"$(git rev-parse HEAD) `date`\""), "git date");
  EXPECT_EQ(Processes("diff <(sort a) <(sort b)"), "diff sort sort");
  EXPECT_EQ(Processes("for f in a b; do cat \"$f\"; done"), "cat");
  EXPECT_EQ(Processes("case $x in a|b) ls ;; *) pwd;; esac"), "ls");
  EXPECT_EQ(Processes("if grep -q x y; then rm z; else touch w; fi"), "grep rm touch");
  EXPECT_EQ(Processes("build() { make; }; build"), "make");
  EXPECT_EQ(Processes("function build { make; }; function clean () (ls); build && clean; rm x"),
            "make ls rm");
  EXPECT_EQ(Processes("bash <<'EOF'\nmake all\nEOF\nls"), "bash make ls");
  EXPECT_EQ(Processes("eval \"make -k\""), "make");
  EXPECT_EQ(Processes("\"$TOOL\" --version; $(which x) y"), "which");
}

TEST(ShellCommand, ArithmeticConditionsAndPatternsAreNoCommands) {
  for (const auto& [text, processes, files] : std::vector<std::array<std::string_view, 3>>{
           {"for ((i=0; i<10; i++)); do cat a; done", "cat", "read:a"},
           {"for ((i=0; i<10; i++))\ndo cat a\ndone", "cat", "read:a"},
           {"(( n > 5 )) && ls", "ls", ""},
           {"while (( $(wc -l < f) > 5 )); do rm g; done", "rm wc", "delete:g read:f"},
           {"((a); (b))", "a b", ""},
           {"echo $((1 > 2)) $((x | y)) ${z:-$(cat f)}", "cat", "read:f"},
           {"[[ $x =~ ^(alpha|beta)$ ]] && cat k", "cat", "read:k"},
           {"[[ $x =~ a|b>c ]] && cat k", "cat", "read:k"},
           {"if [[ a > b && ( -n $(cat f) ) ]]; then ls; fi > g", "ls cat", "write:g read:f"},
           {"! [[ a <\n b ]] || ls", "ls", ""},
           {"case \"$1\" in\n  start|stop) cat x ;;\n  (a|b) rm y;;\n *) ls\nesac | wc",
            "cat rm ls wc", "read:x delete:y"},
           {"case $x in a|b|c) ls;; esac; cat k", "ls cat", "read:k"},
           {"(case x in a) cd sub;; esac; cat k); cat m", "cat cat", "read:sub/k read:m"},
           {"case x in a) case y in b|c) ls;& d) rm e;; esac;; f|g) cat h;; esac", "ls rm cat",
            "delete:e read:h"},
           {"case x in esac; ls", "ls", ""},
           {"echo case x in a b; echo [[ a", "", ""},
       }) {
    EXPECT_EQ(Processes(text), processes) << text;
    EXPECT_EQ(Files(text), files) << text;
  }
}

TEST(ShellCommand, BracketsWithoutAnEndAreReadOnce) {
  std::string text;
  for (int i = 0; i < 50'000; ++i) text += '(';
  for (int i = 0; i < 50'000; ++i) text += ") ";
  EXPECT_EQ(Processes(text), "");
  EXPECT_EQ(Processes("[[ a | b"), "");
  EXPECT_EQ(Processes("(( a | b"), "");
  EXPECT_EQ(Processes("case x in a | b"), "");
}

TEST(ShellCommand, HereDocumentsAndPatchesAreNoCommands) {
  const ShellCommand command = ReadShellCommand(
      "cat <<'EOF' > notes/a.md\nrm -rf /\nhttps://not.visited/\nEOF\npython3 - <<PY\nimport "
      "os\nPY");

  EXPECT_THAT(command.processes, ElementsAre("cat", "python3"));
  EXPECT_EQ(Files(command.files), "write:notes/a.md");
  EXPECT_THAT(command.domains, IsEmpty());
  EXPECT_EQ(command.effect, Effect::kWrite);
  EXPECT_EQ(Processes("cat <<EOF\n$(hostname) $(unclosed\nEOF"), "cat hostname unclosed");
}

TEST(ShellCommand, FilesAreWhatTheProgramDoesToItsOperands) {
  EXPECT_EQ(Files("rm -f build.sh Dockerfile"), "delete:build.sh delete:Dockerfile");
  EXPECT_EQ(Files("mv a.txt b.txt"), "rename:a.txt>b.txt");
  EXPECT_EQ(Files("mv a b dir/"), "rename:a>dir/a rename:b>dir/b");
  EXPECT_EQ(Files("cp -r a/x b"), "read:a/x create:b");
  EXPECT_EQ(Files("touch new; mkdir -p d/e"), "create:new create:d/e");
  EXPECT_EQ(Files("cat notes.txt 2>&1"), "read:notes.txt");
  EXPECT_EQ(Files("head -n 20 a.c; tail -5 b.c"), "read:a.c read:b.c");
  EXPECT_EQ(Files("grep -rn -A 3 'x|y' src include"), "read:src read:include");
  EXPECT_EQ(Files("grep -e x -e y src"), "read:src");
  EXPECT_EQ(Files("sed -i.bak 's/a/b/' f.c"), "write:f.c");
  EXPECT_EQ(Files("sed -n '1,5p' f.c"), "read:f.c");
  EXPECT_EQ(Files("sed -i '' 's/a/b/' f.c; sed -E -i \"\" -e 's/a/b/' g.c"), "write:f.c write:g.c");
  EXPECT_EQ(Files("jq .a x.json > y.json"), "write:y.json read:x.json");
  EXPECT_EQ(Files("find src tests -name '*.cc'"), "read:src read:tests");
  EXPECT_EQ(Files("clang-format -i a.cc"), "write:a.cc");
  EXPECT_EQ(Files("python3 tools/gen.py out"), "read:tools/gen.py");
  EXPECT_EQ(Files("python3 -c 'print(1)' x.py"), "");
  EXPECT_EQ(Files("pytest tests/a.py::test_b -k name"), "read:tests/a.py");
  EXPECT_EQ(Files("curl -sS -o page.html -H 'A: b' https://h.example"), "write:page.html");
  EXPECT_EQ(Files("git mv a b && git rm c && git checkout -- d"), "rename:a>b delete:c write:d");
  EXPECT_EQ(Files("dd if=a of=b bs=1"), "read:a write:b");
  EXPECT_EQ(Files("sftp u@h.example"), "");
}

TEST(ShellCommand, WhatNamesNoFileIsNone) {
  for (const std::string_view text :
       {"git diff origin/main HEAD", "rm *.o", "cat a{1,2}.txt", "cat $FILE", "cat \"$(ls)\"",
        "rm -rf build/*", "cat https://h.example/x", "echo x > /dev/null", "cat -", "sleep 3",
        "kill 1234", "ls -la", "cd - && cat a.txt"}) {
    EXPECT_EQ(Files(text), "") << text;
  }
}

TEST(ShellCommand, FoldersFollowCdAndSubshellsGiveItBack) {
  EXPECT_EQ(Files("cd sub && cat a"), "read:sub/a");
  EXPECT_EQ(Files("(cd sub; cat a); cat b"), "read:sub/a read:b");
  EXPECT_EQ(Files("cd /p/q && rm x; cd ~; cat y"), "delete:/p/q/x read:~/y");
  EXPECT_EQ(Files("pushd sub; cat a; popd; cat b"), "read:sub/a read:b");
  EXPECT_EQ(Files("pushd /s; pushd /t; pushd; cat a; pushd; cat b"), "read:/s/a read:/t/b");
  EXPECT_EQ(Files("cd sub; cat a; cd -; cat b"), "read:sub/a read:b");
  EXPECT_EQ(Files("cd $X; cat a; cd /t; cat b"), "read:/t/b");
  EXPECT_EQ(Files("bash -c 'cd sub; cat a'; cat b"), "read:sub/a read:b");
}

TEST(ShellCommand, PipelinesAndBackgroundJobsKeepTheirFolderToThemselves) {
  EXPECT_EQ(Files("cd sub | cat a"), "read:a");
  EXPECT_EQ(Files("ls | cd sub; cat a"), "read:a");
  EXPECT_EQ(Files("cd sub && cat a & cat b"), "read:sub/a read:b");
  EXPECT_EQ(Files("cd sub && ls | wc && cat a"), "read:sub/a");
  EXPECT_EQ(Files("{ cd sub; cat a; } | cat b; cat c"), "read:sub/a read:b read:c");
  EXPECT_EQ(Files("{ cd sub; cat a; }; cat b"), "read:sub/a read:sub/b");
  EXPECT_EQ(Files("for x in 1; do cd sub; cat a; done & cat b"), "read:sub/a read:b");
}

TEST(ShellCommand, GitWorksInTheFolderItIsSentTo) {
  EXPECT_EQ(Files("git -C sub add x.c; cat y"), "read:sub/x.c read:y");
  EXPECT_EQ(Files("cd s; git -c a=b -C ../o -C p rm z"), "delete:s/../o/p/z");
}

TEST(ShellCommand, EffectsAreTheMostTellingOne) {
  EXPECT_EQ(EffectName("npm run build"), "test");
  EXPECT_EQ(EffectName("python -m pytest -q"), "test");
  EXPECT_EQ(EffectName("cmake --build build"), "test");
  EXPECT_EQ(EffectName("make -j4"), "test");
  EXPECT_EQ(EffectName("make check-docs"), "test");
  EXPECT_EQ(EffectName("make migrate"), "process");
  EXPECT_EQ(EffectName("git add -A && git commit -m 'see https://x.example'"), "repo");
  EXPECT_EQ(EffectName("git -C sub fetch origin"), "network");
  EXPECT_EQ(EffectName("git status"), "read");
  EXPECT_EQ(EffectName("pip install x"), "network");
  EXPECT_EQ(EffectName("echo hi > f"), "write");
  EXPECT_EQ(EffectName("rg x | head"), "read");
  EXPECT_EQ(EffectName("sleep 1"), "process");
}

TEST(ShellCommand, DomainsComeWithoutPortUserAndPath) {
  const auto domains = [](std::string_view text) { return ReadShellCommand(text).domains; };
  EXPECT_THAT(domains("curl -X POST example.com:8080/a --data x=https"),
              ElementsAre("example.com"));
  EXPECT_THAT(domains("git clone git@Host.example:org/repo.git"), ElementsAre("host.example"));
  EXPECT_THAT(domains("git clone https://tok3n@h.example/r"), ElementsAre("h.example"));
  EXPECT_THAT(domains("scp a.txt me@box.example:/tmp/"), ElementsAre("box.example"));
  EXPECT_THAT(domains("ssh -p 22 root@box 'curl http://inner'"), ElementsAre("box"));
  EXPECT_THAT(domains("curl 'http://[::1]:80/x'"), ElementsAre("[::1]"));
  EXPECT_THAT(domains("git commit -m 'https://x.example'; grep http://y.example f"), IsEmpty());
  EXPECT_THAT(domains("curl https://$HOST/x"), IsEmpty());
}

TEST(ShellCommand, OnlyTheTargetsOfANetworkProgramAreHosts) {
  const auto hosts = [](std::string_view text) {
    std::string joined;
    for (const std::string& domain : ReadShellCommand(text).domains) {
      if (!joined.empty()) joined += ' ';
      joined += domain;
    }
    return joined;
  };
  for (const auto& [text, expected] : std::vector<std::array<std::string_view, 2>>{
           {"gh pr create --title t --body 'see https://body.example/x'", ""},
           {"gh pr create --body https://body.example/x", ""},
           {"curl --data 'see https://no.example' -H 'Referer: https://no.example' a.example",
            "a.example"},
           {"curl -e https://no.example --url https://a.example", "a.example"},
           {"curl 'https://q.example/x?u=https://inner.example'", "q.example"},
           {"node -e \"// https://no.example\"; python -c \"get('http://no.example')\"", ""},
           {"git remote add up https://no.example/r; git remote set-url o git@no.example:r", ""},
           {"git push https://p.example/r main; git submodule add git@s.example:a/b",
            "p.example s.example"},
           {"./tool --note https://no.example; echo https://no.example > u", ""},
           {"psql -h pg.example -U u; psql postgres://u:p@db.example:5432/x",
            "db.example pg.example"},
           {"mysql --host=my.example -u root; redis-cli -hcache.example ping",
            "cache.example my.example"},
           {"ftp f.example; telnet t.example 23; sftp u@s.example",
            "f.example s.example t.example"},
           {"pip install git+https://g.example/x --index-url https://i.example/simple",
            "g.example i.example"},
           {"npm install https://n.example/a.tgz; go install ./...", "n.example"},
           {"wget -O - w.example/x --header 'A: https://no.example'", "w.example"},
           {"rsync -a rsync://r.example/m . ; scp a u@c.example:b", "c.example r.example"},
       }) {
    EXPECT_EQ(hosts(text), expected) << text;
  }
}

TEST(ShellCommand, FilesAreFoundBehindOptionsToo) {
  for (const auto& [text, expected] : std::vector<std::array<std::string_view, 2>>{
           {"curl --output=f https://c.example", "write:f"},
           {"curl -sof https://c.example; curl -o g https://c.example", "write:f write:g"},
           {"curl -LO https://c.example/d/f.zip?x=1", "write:f.zip"},
           {"curl -d @b.json -F 'f=@up.txt;type=x' -T t.bin https://c.example",
            "read:b.json read:up.txt read:t.bin"},
           {"curl -d a@b.example https://c.example", ""},
           {"wget https://w.example/a.tgz -P in", "write:in/a.tgz"},
           {"wget -q https://w.example/", "write:index.html"},
           {"wget -qO- https://w.example/a; wget -O out https://w.example/a", "write:out"},
           {"sort -o s.out s.in; sort -k2 --output=t a", "write:s.out read:s.in write:t read:a"},
           {"perl -pi -e 's/a/b/' p.txt; perl -pi.bak -e s/a/b/ q.txt", "write:p.txt write:q.txt"},
           {"perl -ne 'print' p.txt; perl x.pl p.txt", "read:p.txt read:x.pl"},
           {"tar czf o.tgz d e; tar -xf i.tgz -C to; tar --list --file=l.tar",
            "write:o.tgz read:d read:e read:i.tgz read:l.tar"},
           {"tar -C sub -cf o.tar d", "write:o.tar read:sub/d"},
           {"gcc -o prog main.c -Iinc; g++ -c a.cc -o a.o",
            "write:prog read:main.c write:a.o read:a.cc"},
           {"grep -f pats f.c; grep -rnf pats2 src", "read:pats read:f.c read:pats2 read:src"},
           {"jq -e .a x.json; sed -f s.sed t", "read:x.json read:s.sed read:t"},
           {"find build tmp -name '*.o' -delete", "delete:build delete:tmp"},
           {"npx -y prettier@3 --write src/a.ts", "write:src/a.ts"},
           {"uv run --with x pytest tests/x.py", "read:tests/x.py"},
           {"busybox rm a", "delete:a"},
       }) {
    EXPECT_EQ(Files(text), expected) << text;
  }
  EXPECT_EQ(EffectName("find . -name '*.tmp' -delete"), "write");
  EXPECT_EQ(EffectName("sort -o a b"), "write");
}

TEST(ShellCommand, RunnersShowWhatTheyStart) {
  EXPECT_EQ(Processes("npx prettier@3.1 a; uv run pytest; busybox wget -O- u; poetry run make"),
            "npx prettier uv pytest busybox wget poetry make");
  EXPECT_EQ(Processes("uv sync; npm test; npm exec -- tsc; bundle install"),
            "uv npm npm tsc bundle");
  EXPECT_EQ(Processes("npx ada@corp.example"), "npx");
  EXPECT_EQ(EffectName("npx jest"), "test");
  EXPECT_EQ(EffectName("uv run pytest"), "test");
}

TEST(Domains, UserInfoNeverBecomesAHost) {
  EXPECT_THAT(DomainsIn("see https://u:p,w;x@h.example/ and http://b.example."),
              ElementsAre("b.example", "h.example"));
  EXPECT_THAT(DomainsIn("https://user:pass/word@h.example"), IsEmpty());
  EXPECT_THAT(DomainsIn("(https://a.example) mailto://x file:///etc 'wss://w.example/s'"),
              ElementsAre("a.example", "w.example"));
}

TEST(ShellCommand, AnythingIsReadToTheEnd) {
  for (const std::string_view text : {"'", "\"", "`", "$(", "${", "<<", "<<EOF", "a <<-\"x", "\\",
                                      "((((", "))))", ">", "2>", "<(", "$'", "a=", "|||", "&&&&"}) {
    ReadShellCommand(text);
  }
  std::string deep;
  for (int i = 0; i < 100; ++i) deep += "$(a ";
  EXPECT_TRUE(ReadShellCommand(deep).is_cut);
}

TEST(ToolFacts, OfASkillOnlyItsNameIsKept) {
  const auto skill = [](std::string_view input) {
    return FactsOf({.name = "Skill", .input_kind = ToolInput::kJson, .input = input}).skill;
  };
  EXPECT_EQ(skill(R"({"command":"commit for customer Contoso"})"), "commit");
  EXPECT_EQ(skill(R"({"skill":" ns:review\nwhat","args":"x"})"), "ns:review");
}

TEST(ToolFacts, AUrlsQueryIsNotVisitedAndASearchReadsItsFolder) {
  const ToolFacts fetch = FactsOf({.name = "WebFetch",
                                   .input_kind = ToolInput::kJson,
                                   .input = R"({"url":"https://a.example/?u=https://b.example"})"});
  EXPECT_THAT(fetch.domains, ElementsAre("a.example"));
  const ToolFacts search = FactsOf({.name = "grep_files",
                                    .input_kind = ToolInput::kJson,
                                    .input = R"({"pattern":"x","path":"src"})"});
  EXPECT_EQ(Files(search.files), "read:src");
}

TEST(Patch, ItsHeadersNameTheFilesAndItsBodyDoesNot) {
  const std::string_view patch =
      "*** Begin Patch\n*** Update File: src/a.cc\n*** Move to: src/b.cc\n+ rm old/c.cc\n"
      "*** Add File: d.md\n+*** Delete File: no\n*** Delete File: e.md\r\n*** End Patch\n";

  ASSERT_TRUE(IsPatch(patch));
  EXPECT_EQ(Files(FilesOfPatch(patch)), "rename:src/a.cc>src/b.cc create:d.md delete:e.md");
}

}  // namespace
}  // namespace sonde::agentlog
