// XmlReader: checks that a text is well-formed XML, and finds the texts of its elements.

#include "tests/flame/xml_reader.h"

#include <algorithm>
#include <cctype>
#include <cstdint>

namespace sonde {

XmlReader::XmlReader(std::string_view xml) : xml_(xml) {
  CheckCharacters();
  Read();
}

std::vector<std::string> XmlReader::TextsOf(std::string_view element) const {
  std::vector<std::string> texts;
  for (const Element& each : elements_) {
    if (each.name == element) texts.push_back(each.text);
  }
  return texts;
}

void XmlReader::Fail(const std::string& what) {
  if (error_.empty()) error_ = what + " at byte " + std::to_string(at_);
  at_ = xml_.size();
}

void XmlReader::CheckCharacters() {
  for (std::size_t i = 0; i < xml_.size(); ++i) {
    const auto byte = static_cast<unsigned char>(xml_[i]);
    if (byte < 0x20 && byte != '\n' && byte != '\t') {
      at_ = i;
      return Fail("control character");
    }
    if (byte < 0x80) continue;
    const int tail = byte >= 0xf0 ? 3 : byte >= 0xe0 ? 2 : 1;
    std::uint32_t point = byte & (0x3fU >> tail);
    bool is_valid = byte >= 0xc2 && byte < 0xf5;
    for (int k = 0; k < tail && is_valid; ++k) {
      is_valid = ++i < xml_.size() && (static_cast<unsigned char>(xml_[i]) & 0xc0U) == 0x80;
      if (is_valid) point = point << 6 | (static_cast<unsigned char>(xml_[i]) & 0x3fU);
    }
    const bool is_surrogate = point >= 0xd800 && point < 0xe000;
    const bool is_short = (tail == 2 && point < 0x800) || (tail == 3 && point < 0x10000);
    if (!is_valid || is_surrogate || is_short || point == 0xfffe || point == 0xffff) {
      at_ = i;
      return Fail("invalid character");
    }
  }
}

std::string XmlReader::Decode(std::string_view raw) {
  std::string text;
  for (std::size_t i = 0; i < raw.size(); ++i) {
    if (raw[i] == '<') Fail("'<' in a value");
    if (raw.substr(i, 3) == "]]>") Fail("']]>' in text");
    if (raw[i] != '&') {
      text += raw[i];
      continue;
    }
    const std::size_t end = raw.find(';', i);
    const std::string_view name =
        end == std::string_view::npos ? std::string_view() : raw.substr(i + 1, end - i - 1);
    if (name == "amp")
      text += '&';
    else if (name == "lt")
      text += '<';
    else if (name == "gt")
      text += '>';
    else if (name == "quot")
      text += '"';
    else if (name == "#39")
      text += '\'';
    else
      return Fail("unknown entity"), text;
    i = end;
  }
  return text;
}

void XmlReader::ReadTag() {
  if (xml_.substr(at_, 9) == "<![CDATA[") {
    const std::size_t end = xml_.find("]]>", at_);
    if (end == std::string_view::npos) return Fail("open CDATA");
    at_ = end + 3;
    return;
  }
  if (xml_.substr(at_, 2) == "</") {
    const std::size_t end = xml_.find('>', at_);
    if (end == std::string_view::npos || open_.empty()) return Fail("stray end tag");
    if (xml_.substr(at_ + 2, end - at_ - 2) != elements_[open_.back()].name) {
      return Fail("wrong end tag");
    }
    open_.pop_back();
    at_ = end + 1;
    return;
  }
  std::size_t i = ++at_;
  while (i < xml_.size() && std::isalnum(static_cast<unsigned char>(xml_[i])) != 0) ++i;
  if (i == at_) return Fail("bad tag");
  elements_.push_back({std::string(xml_.substr(at_, i - at_)), {}});
  open_.push_back(elements_.size() - 1);
  at_ = i;
  std::vector<std::string> names;
  while (at_ < xml_.size() && xml_[at_] == ' ') {
    const std::size_t equals = xml_.find("=\"", ++at_);
    const std::size_t quote =
        equals == std::string_view::npos ? equals : xml_.find('"', equals + 2);
    if (quote == std::string_view::npos) return Fail("bad attribute");
    const std::string name(xml_.substr(at_, equals - at_));
    for (const std::string& other : names) {
      if (other == name) return Fail("attribute twice");
    }
    names.push_back(name);
    Decode(xml_.substr(equals + 2, quote - equals - 2));
    at_ = std::max(at_, quote + 1);
  }
  if (xml_.substr(at_, 2) == "/>") {
    open_.pop_back();
    at_ += 2;
  } else if (at_ < xml_.size() && xml_[at_] == '>') {
    ++at_;
  } else {
    Fail("open tag");
  }
}

void XmlReader::Read() {
  if (xml_.starts_with("<?xml ")) at_ = xml_.find("?>") + 2;
  while (at_ < xml_.size()) {
    const std::size_t next = std::min(xml_.find('<', at_), xml_.size());
    const std::string text = Decode(xml_.substr(at_, next - at_));
    if (!error_.empty()) return;
    if (open_.empty() && text.find_first_not_of('\n') != std::string::npos) {
      return Fail("text outside the root");
    }
    if (!open_.empty()) elements_[open_.back()].text += text;
    at_ = next;
    if (at_ < xml_.size()) ReadTag();
  }
  if (error_.empty() && !open_.empty()) Fail("not closed: " + elements_[open_.back()].name);
  if (error_.empty() && elements_.empty()) Fail("no root");
}

}  // namespace sonde
