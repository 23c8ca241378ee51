// RunLibraries: see workload.h.

#include <zlib.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iomanip>
#include <map>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "tests/torture/step/workload.h"

namespace sonde::step {

long RunLibraries() {
  namespace fs = std::filesystem;
  long sum = 0;
  TraceOn();
  {
    const std::regex words("([a-z]+)-(\\d{1,3})(?:x|y)*");
    std::smatch match;
    const std::string text = "noise foo-123xyx more bar-9";
    for (auto at = text.cbegin(); std::regex_search(at, text.cend(), match, words);) {
      sum += std::stol(match[2]);
      at = match[0].second;
    }
  }
  {
    const fs::path path = fs::temp_directory_path() / "sonde-step.txt";
    std::ofstream(path) << std::setw(12) << 3.14159 << " step " << 42 << '\n';
    std::string line;
    std::ifstream in(path);
    std::getline(in, line);
    sum += static_cast<long>(line.size()) + static_cast<long>(fs::file_size(path));
    fs::remove(path);
  }
  {
    std::vector<unsigned char> data(6000);
    for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<unsigned char>(i * i >> 4);
    std::vector<unsigned char> packed(compressBound(data.size()));
    uLongf size = packed.size();
    compress2(packed.data(), &size, data.data(), data.size(), 6);
    uLongf back = data.size();
    uncompress(data.data(), &back, packed.data(), size);
    sum += static_cast<long>(size + back);
  }
  {
    std::vector<std::string> names;
    for (int i = 0; i < 60; ++i) names.push_back("name" + std::to_string(i * 37 % 61));
    std::function<bool(const std::string&, const std::string&)> less =
        [](const auto& a, const auto& b) { return a > b; };
    std::sort(names.begin(), names.end(), less);
    std::map<std::string, int> index;
    for (const auto& name : names) index[name] = static_cast<int>(index.size());
    sum += index.begin()->second;
  }
  {
    char text[64];
    const std::time_t when = 1'700'000'000;
    std::tm broken{};
    gmtime_r(&when, &broken);
    sum += static_cast<long>(std::strftime(text, sizeof(text), "%A %d %B %Y %T", &broken));
    std::ostringstream out;
    out << std::put_time(&broken, "%c") << std::hex << 255 << std::fixed << 2.5;
    sum += static_cast<long>(out.str().size());
  }
  TraceOff();
  return sum;
}

}  // namespace sonde::step
