// XmlReader: checks that a text is well-formed XML, and finds the texts of its elements.

#ifndef SONDE_TESTS_FLAME_XML_READER_H_
#define SONDE_TESTS_FLAME_XML_READER_H_

#include <string>
#include <string_view>
#include <vector>

namespace sonde {

// Reads what the writer can produce: a declaration, elements, attributes,
// character data, the predefined and numeric entities, CDATA. Stricter than
// XML where that costs nothing: every character must be one that XML 1.0 allows.
class XmlReader {
 public:
  explicit XmlReader(std::string_view xml);

  // Empty when the document is well-formed.
  const std::string& error() const noexcept { return error_; }
  std::vector<std::string> TextsOf(std::string_view element) const;

 private:
  struct Element {
    std::string name;
    std::string text;
  };
  void Read();
  void ReadTag();
  void Fail(const std::string& what);
  std::string Decode(std::string_view raw);
  void CheckCharacters();

  std::string_view xml_;
  std::size_t at_ = 0;
  std::string error_;
  std::vector<std::size_t> open_;
  std::vector<Element> elements_;
};

}  // namespace sonde

#endif  // SONDE_TESTS_FLAME_XML_READER_H_
