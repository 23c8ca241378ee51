// PresetRules: the shipped tag rules, lists of whole words in English and Chinese.

#include "agentlog/tag_presets.h"

#include <vector>

namespace sonde::agentlog {
namespace {

struct WordList {
  std::string_view tag;
  std::string_view words;    // Alternatives, matched as whole words.
  std::string_view phrases;  // In scripts without spaces between words: matched anywhere.
};

// The more particular an activity, the earlier its list.
constexpr WordList kLists[] = {
    {"profile",
     "profil(?:e|es|er|ing)|flame ?graphs?|pprof|hotspots?|bottlenecks?|perf|benchmarks?",
     "性能|火焰图|耗时|基准"},
    {"security", "vulnerabilit(?:y|ies)|cve|exploit|xss|csrf|injection|permissions?|credentials?",
     "漏洞|安全|权限"},
    {"deps", "dependenc(?:y|ies)|lock ?file|upgrade|bump|pip install|npm install", "依赖|升级"},
    {"debug",
     "debug(?:ging)?|bugs?|fix(?:es|ed|ing)?|crash(?:es|ed)?|broken|errors?|exceptions?|panics?|"
     "traceback|segfault|fails?|failing|failed|failure|wrong|doesn'?t work|not working|hangs?",
     "修复|错误|报错|调试|崩溃|失败|为什么|为啥|不工作|异常"},
    {"test", "tests?|testing|tested|unittests?|pytest|coverage|assert(?:ion)?s?|e2e",
     "测试|覆盖率"},
    {"review", "review(?:s|ed|ing)?|audit|critique|feedback|pull request|code quality",
     "审核|审查|评审|检查"},
    {"refactor", "refactor(?:ing|ed)?|clean ?up|simplif(?:y|ied)|rename|dedup(?:licate)?|extract",
     "重构|简化|重命名|整理"},
    {"release", "releas(?:e|es|ed|ing)|publish|changelog|deploy(?:ment|ed)?|version bump|ship it",
     "发布|部署|上线"},
    {"build", "builds?|compil(?:e|es|er|ation)|cmake|makefile|ci|pipeline|docker(?:file)?|linker",
     "编译|构建|打包"},
    {"git", "git|commit(?:s|ted)?|push|rebase|merge|branch(?:es)?|cherry-pick|stash",
     "提交|合并|分支"},
    {"docs", "docs?|documentation|readme|docstrings?|comments?|tutorial|markdown",
     "文档|说明|注释"},
    {"paper", "paper|abstract|latex|arxiv|citations?|related work|bibtex", "论文|摘要|引用"},
    {"research", "research|survey|compare|evaluat(?:e|ion)|literature|investigate|explor(?:e|ing)",
     "调研|研究|比较|对比"},
    {"design", "design(?:s|ed)?|architecture|schema|diagrams?|proposal|rfc|interface",
     "设计|架构|方案"},
    {"frontend", "frontend|react|vue|css|html|svg|layout|button|component|page|ui|ux",
     "前端|页面|界面|样式|按钮"},
    {"network", "network|https?|api|endpoint|curl|request|websocket|grpc|server|proxy",
     "网络|接口|请求|服务器"},
    {"database", "database|sql|query|queries|postgres|sqlite|migration|index(?:es)?",
     "数据库|查询|迁移"},
    {"config", "config(?:uration|ure)?|settings?|env(?:ironment)?|yaml|toml|flags?|options?",
     "配置|设置|环境|参数"},
    {"parser", "pars(?:e|er|ing)|token(?:iz|is)er|grammar|jsonl?|regex(?:es)?", "解析|语法"},
    {"plan", "plan(?:s|ning)?|todo|roadmap|next steps?|milestones?|break down", "计划|规划|下一步"},
    {"explain",
     "explain|what (?:is|does|are)|how (?:do|does|can|to)|why|understand|describe|show me",
     "解释|什么|怎么|如何|介绍"},
    {"feature", "implement(?:s|ed|ing|ation)?|add(?:s|ed|ing)?|create|write|support|feature|new",
     "实现|添加|增加|新增|写一个|支持|功能"},
    {"edit", "change|update|edit|modify|replace|remove|delete|move|adjust|tweak|improve",
     "修改|更新|替换|删除|调整|改进|改成|改一下"},
    {"continue", "continue|go on|proceed|keep going|carry on|resume", "继续|接着"},
    {"confirm", "yes|ok|okay|sure|thanks|thank you|lgtm|good|great|perfect|y|no",
     "好的|是的|可以|谢谢|确认"},
};

struct ToolList {
  std::string_view tag;
  std::string_view tools;
};

constexpr ToolList kToolLists[] = {
    {"edit", "edit|multiedit|write|notebookedit|apply_patch|str_replace\\w*"},
    {"search", "grep|glob|ls|find|search\\w*|tool_search"},
    {"read", "read|view|view_image|readfile|notebookread"},
    {"web", "webfetch|websearch|web_search|fetch"},
    {"plan", "todowrite|todoread|update_plan|exitplanmode|enterplanmode"},
    {"delegate", "task|agent|spawn_agent|sendmessage|wait|wait_agent"},
    {"shell", "bash|bashoutput|shell|exec|exec_command|local_shell|write_stdin|killshell"},
};

std::vector<PresetRule> MakeRules() {
  std::vector<PresetRule> rules;
  for (const ToolList& list : kToolLists) {
    rules.push_back({list.tag, "(?i)^tools?: (?:" + std::string(list.tools) + ")(?:,|$)", true});
  }
  rules.push_back({"connector", "(?i)^tools?: mcp__", true});
  // RE2's \b knows ASCII words only, and a letter of a script without spaces may stand beside a
  // Latin word: what must not touch a word is another letter of its own alphabet.
  const std::string edge = R"([^\p{Latin}\p{N}_])";
  for (const WordList& list : kLists) {
    std::string pattern =
        "(?i)(?:^|" + edge + ")(?:" + std::string(list.words) + ")(?:$|" + edge + ")";
    if (!list.phrases.empty()) pattern += "|" + std::string(list.phrases);
    rules.push_back({list.tag, std::move(pattern)});
  }
  return rules;
}

}  // namespace

std::span<const PresetRule> PresetRules() {
  static const std::vector<PresetRule> kRules = MakeRules();
  return kRules;
}

}  // namespace sonde::agentlog
