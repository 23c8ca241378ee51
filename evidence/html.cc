// HtmlPage: a Markdown report of ours as one self-contained page.

#include "evidence/html.h"

#include <algorithm>
#include <vector>

#include "sonde/markup.h"

namespace sonde {
namespace {

constexpr std::string_view kStyle = R"(:root{color-scheme:light dark;--line:#ccc;--dim:#666}
@media(prefers-color-scheme:dark){:root{--line:#444;--dim:#999}}
body{font:15px/1.5 system-ui,sans-serif;max-width:76rem;margin:2rem auto;padding:0 1rem}
h1{font-size:1.6rem}h2{font-size:1.2rem;margin-top:2rem;border-bottom:1px solid var(--line)}
h3{font-size:1rem}code{font:13px ui-monospace,monospace;overflow-wrap:anywhere}
table{border-collapse:collapse;width:100%}th,td{padding:4px 8px;border-bottom:1px solid var(--line);
text-align:left;vertical-align:top}td.id{white-space:nowrap}td.r,th.r{text-align:right;white-space:nowrap;
font-variant-numeric:tabular-nums}iframe{width:100%;height:32rem;border:1px solid var(--line)})";

std::string Escaped(std::string_view text) {
  std::string out;
  AppendXml(out, text);
  return out;
}

// Text with escapes and code spans. Entities that MarkdownText wrote stay entities.
std::string Inline(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size()) {
      AppendXml(out, text.substr(++i, 1));
      continue;
    }
    if (text[i] == '&') {
      const std::string_view rest = text.substr(i);
      const bool entity =
          rest.starts_with("&lt;") || rest.starts_with("&gt;") || rest.starts_with("&amp;");
      out += entity ? "&" : "&amp;";
      continue;
    }
    if (text[i] != '`') {
      AppendXml(out, text.substr(i, 1));
      continue;
    }
    const std::size_t fence = std::min(text.find_first_not_of('`', i), text.size()) - i;
    const std::size_t begin = i + fence;
    std::size_t end = begin;
    while (true) {
      end = text.find(std::string(fence, '`'), end);
      if (end == std::string_view::npos || end + fence == text.size() || text[end + fence] != '`') {
        break;
      }
      end = text.find_first_not_of('`', end);
    }
    if (end == std::string_view::npos) {
      out += Escaped(text.substr(i));
      return out;
    }
    std::string_view code = text.substr(begin, end - begin);
    if (code.size() > 2 && code.front() == ' ' && code.back() == ' ') {
      code = code.substr(1, code.size() - 2);
    }
    out += "<code>";
    for (std::size_t c = 0; c < code.size(); ++c) {
      // The only escape inside a code span of ours is that of a pipe, for tables.
      if (code[c] == '\\' && c + 1 < code.size() && code[c + 1] == '|') continue;
      AppendXml(out, code.substr(c, 1));
    }
    out += "</code>";
    i = end + fence - 1;
  }
  return out;
}

std::vector<std::string> CellsOf(std::string_view row) {
  std::vector<std::string> cells;
  std::string cell;
  for (std::size_t i = 1; i < row.size(); ++i) {
    if (row[i] == '\\' && i + 1 < row.size()) {
      cell += row[i];
      cell += row[++i];
    } else if (row[i] == '|') {
      const std::size_t first = cell.find_first_not_of(' ');
      const std::size_t last = cell.find_last_not_of(' ');
      cells.push_back(first == std::string::npos ? "" : cell.substr(first, last - first + 1));
      cell.clear();
    } else {
      cell += row[i];
    }
  }
  return cells;
}

std::string TableHtml(const std::vector<std::string_view>& rows) {
  // Numbers stand on the right, and what is cited stays on one line.
  std::vector<std::string> attributes;
  if (rows.size() > 1) {
    for (const std::string& rule : CellsOf(rows[1])) {
      attributes.emplace_back(rule.ends_with(':') ? " class=\"r\"" : "");
    }
    if (!attributes.empty() && CellsOf(rows[0]).front() == "ID") {
      attributes.front() = " class=\"id\"";
    }
  }
  std::string html = "<table>\n";
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i == 1) continue;
    const std::string tag = i == 0 ? "th" : "td";
    html += "<tr>";
    const std::vector<std::string> cells = CellsOf(rows[i]);
    for (std::size_t c = 0; c < cells.size(); ++c) {
      html += '<' + tag + (c < attributes.size() ? attributes[c] : "") + '>' + Inline(cells[c]) +
              "</" + tag + '>';
    }
    html += "</tr>\n";
  }
  return html + "</table>\n";
}

std::size_t NumberPrefix(std::string_view line) {
  std::size_t digits = 0;
  while (digits < line.size() && line[digits] >= '0' && line[digits] <= '9') ++digits;
  return digits > 0 && line.substr(digits).starts_with(". ") ? digits + 2 : 0;
}

}  // namespace

std::string HtmlPage(std::string_view title, std::string_view markdown, std::string_view figure) {
  std::string body;
  std::string list;  // The list element that is open: "ul", "ol" or none.
  std::vector<std::string_view> table;
  const auto close_list = [&] {
    if (!list.empty()) body += "</" + list + ">\n";
    list.clear();
  };
  const auto item = [&](const std::string& kind, std::string_view text) {
    if (list != kind) {
      close_list();
      body += '<' + kind + ">\n";
      list = kind;
    }
    body += "<li>" + Inline(text) + "</li>\n";
  };
  bool placed = figure.empty();

  while (!markdown.empty()) {
    const std::size_t end = markdown.find('\n');
    const std::string_view line = markdown.substr(0, end);
    markdown.remove_prefix(end == std::string_view::npos ? markdown.size() : end + 1);

    if (line.starts_with('|')) {
      close_list();
      table.push_back(line);
      continue;
    }
    if (!table.empty()) {
      body += TableHtml(table);
      table.clear();
    }
    if (line.starts_with("- ")) {
      item("ul", line.substr(2));
    } else if (const std::size_t prefix = NumberPrefix(line); prefix > 0) {
      item("ol", line.substr(prefix));
    } else {
      close_list();
      std::size_t level = 0;
      while (level < line.size() && line[level] == '#') ++level;
      if (level > 0 && level <= 3 && line.substr(level).starts_with(' ')) {
        if (level == 2 && !placed) {
          // The drawing is a document of its own: sandboxed, it cannot reach this page.
          body += "<iframe sandbox=\"allow-scripts\" title=\"Flame graph\" srcdoc=\"" +
                  Escaped(figure) + "\"></iframe>\n";
          placed = true;
        }
        const std::string tag = 'h' + std::to_string(level);
        body += '<' + tag + '>' + Inline(line.substr(level + 1)) + "</" + tag + ">\n";
      } else if (!line.empty()) {
        body += "<p>" + Inline(line) + "</p>\n";
      }
    }
  }
  if (!table.empty()) body += TableHtml(table);
  close_list();

  return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
         "<meta name=\"viewport\" content=\"width=device-width\">\n<title>" +
         Escaped(title) + "</title>\n<style>\n" + std::string(kStyle) +
         "\n</style>\n</head>\n<body>\n" + body + "</body>\n</html>\n";
}

}  // namespace sonde
