// SourceScan.cpp - a small lexer that looks for kernels, launches and includes.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cost: one pass over the bytes of the file and of each user header it reaches, once each.
// Libraries of the toolkit are not read; thrust and CUB are known to launch kernels.
#include "tools/gpusched-cc/SourceScan.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>

namespace gpusched::cc {
namespace fs = std::filesystem;
namespace {

/// Headers of the toolkit whose inline code launches kernels.
constexpr std::string_view kLaunchingLibraries[] = {"thrust/", "cub/"};

bool isWord(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

class Lexer {
public:
  explicit Lexer(const std::string& text) : text_(text) {}

  SourceMentions run() {
    while (at_ < text_.size())
      step();
    return std::move(mentions_);
  }

private:
  bool startsWith(std::string_view what) const {
    return std::string_view(text_).substr(at_, what.size()) == what;
  }

  void skipPast(std::string_view what) {
    size_t found = text_.find(what, at_);
    at_ = found == std::string::npos ? text_.size() : found + what.size();
  }

  void step() {
    char c = text_[at_];
    if (startsWith("//"))
      skipPast("\n");
    else if (startsWith("/*"))
      skipPast("*/");
    else if (c == '"' || c == '\'')
      skipQuoted(c);
    else if (c == '#')
      directive();
    else if (c == '<')
      angle();
    else if (isWord(c))
      word();
    else
      ++at_;
  }

  void skipQuoted(char quote) {
    for (++at_; at_ < text_.size() && text_[at_] != quote && text_[at_] != '\n'; ++at_)
      if (text_[at_] == '\\')
        ++at_;
    ++at_;
  }

  /// At R"delimiter( : skips to )delimiter".
  void skipRawString() {
    size_t open = text_.find('(', at_);
    std::string_view delimiter = std::string_view(text_).substr(at_ + 1, open - at_ - 1);
    at_ = std::min(open, text_.size());
    std::string close(1, ')');
    close.append(delimiter).append(1, '"');
    skipPast(close);
  }

  void directive() {
    ++at_;
    skipBlanks();
    if (!startsWith("include"))
      return;
    at_ += std::string_view("include").size();
    if (startsWith("_next"))
      at_ += std::string_view("_next").size();
    skipBlanks();
    if (at_ < text_.size() && text_[at_] == '"')
      mentions_.quotedIncludes.push_back(takeInclude('"'));
    else if (at_ < text_.size() && text_[at_] == '<')
      mentions_.angledIncludes.push_back(takeInclude('>'));
    else
      mentions_.computedInclude |= at_ < text_.size() && isWord(text_[at_]);
  }

  void skipBlanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t'))
      ++at_;
  }

  std::string takeInclude(char close) {
    size_t end = std::min(text_.find_first_of(std::string{close, '\n'}, at_ + 1), text_.size());
    std::string name = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return name;
  }

  /// `<<<`, and `<< <` as code formatters write it.
  void angle() {
    size_t next = at_ + 2;
    bool shift = startsWith("<<");
    while (shift && next < text_.size() && std::isspace(static_cast<unsigned char>(text_[next])))
      ++next;
    mentions_.launch |= shift && next < text_.size() && text_[next] == '<';
    at_ += shift ? 2 : 1;
  }

  void word() {
    size_t end = at_;
    while (end < text_.size() && isWord(text_[end]))
      ++end;
    std::string_view name = std::string_view(text_).substr(at_, end - at_);
    mentions_.kernel |= name == "__global__";
    mentions_.launch |=
        name.substr(0, 16) == "cudaLaunchKernel" || name.substr(0, 16) == "cudaLaunchDevice";
    at_ = end;
    bool raw = name == "R" || name == "LR" || name == "uR" || name == "UR" || name == "u8R";
    if (raw && at_ < text_.size() && text_[at_] == '"')
      skipRawString();
  }

  const std::string& text_;
  size_t at_ = 0;
  SourceMentions mentions_;
};

std::string readAll(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

bool isFile(const std::string& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

bool launchesByName(const std::string& include) {
  return std::any_of(std::begin(kLaunchingLibraries), std::end(kLaunchingLibraries),
                     [&](std::string_view library) {
                       return std::string_view(include).substr(0, library.size()) == library;
                     });
}

} // namespace

SourceMentions scanText(const std::string& text) {
  return Lexer(text).run();
}

CudaUse SourceScan::scan(const std::string& path) {
  visited_.clear();
  CudaUse use = CudaUse::None;
  visit(path, use);
  SourceMentions given;
  given.quotedIncludes = sources_.preIncludes;
  follow(given, "", use);
  return use;
}

void SourceScan::visit(const std::string& path, CudaUse& use) {
  std::error_code error;
  if (use == CudaUse::Kernels || !visited_.insert(fs::canonical(path, error).string()).second)
    return;
  SourceMentions mentions = scanText(readAll(path));
  if (mentions.kernel || mentions.computedInclude)
    use = CudaUse::Kernels;
  else if (mentions.launch)
    use = std::max(use, CudaUse::Launches);
  follow(mentions, fs::path(path).parent_path().string(), use);
}

void SourceScan::follow(const SourceMentions& mentions, const std::string& folder, CudaUse& use) {
  for (const std::string& name : mentions.quotedIncludes)
    if (std::string beside = (fs::path(folder) / name).string(); isFile(beside))
      visit(beside, use);
  for (const std::vector<std::string>* names : {&mentions.quotedIncludes, &mentions.angledIncludes})
    for (const std::string& name : *names) {
      if (launchesByName(name))
        use = std::max(use, CudaUse::Launches);
      for (const std::string& includeFolder : sources_.folders)
        if (std::string path = includeFolder + "/" + name; isFile(path)) {
          visit(path, use);
          break;
        }
    }
}

} // namespace gpusched::cc
