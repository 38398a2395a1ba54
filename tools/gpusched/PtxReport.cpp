// PtxReport.cpp - gpusched ptx-report: which PTX a corpus uses and the cpu device cannot run.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Takes programs, objects, archives, fat binaries and .ptx files, or folders of them. Each
// instruction is decoded as for a launch; forms are counted. A form that cannot be decoded is
// listed with its first place. Exit code 1 if there is one, or if a file could not be read.
// Folders are searched for files that carry device code; other files in them are passed over.
#include "tools/gpusched/Subcommand.h"

#include "rt/device/cpu/engine/FormSurvey.h"
#include "rt/device/cpu/image/DeviceImage.h"
#include "rt/device/cpu/ptx/Parser.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <map>
#include <memory>
#include <set>

namespace gpusched::tool {
namespace {

namespace fs = std::filesystem;

struct FormCount {
  uint64_t count = 0;
  std::set<std::string> files;
  std::string first; // "a.out, kernel 'k', PTX line 12 `...`"
};

/// A form may be decoded with some operands and not with others: it has an entry in each.
struct Survey {
  std::map<std::string, FormCount> supported, unsupported;
  uint64_t instructions = 0, modules = 0, files = 0;
  int problems = 0;
};

void add(Survey& survey, const std::string& file, const cpu::FormUse& use) {
  FormCount& form = (use.supported ? survey.supported : survey.unsupported)[use.form];
  ++survey.instructions;
  form.files.insert(file);
  if (form.count++ == 0)
    form.first = file + ", " + (use.function->isEntry ? "kernel '" : "function '") +
                 use.function->name + "', PTX line " + std::to_string(use.line) + " `" +
                 use.instruction->text + "`";
}

void surveyPtx(Survey& survey, const std::string& file, const std::string& text) {
  const Result<std::shared_ptr<const ptx::Module>> module = ptx::parse(text);
  if (!module) {
    ++survey.problems;
    return (void)fail(1, "ptx-report: " + file + ": " + module.message());
  }
  const Result<std::vector<cpu::FormUse>> uses = cpu::surveyForms(*module);
  if (!uses) {
    ++survey.problems;
    return (void)fail(1, "ptx-report: " + file + ": " + uses.message());
  }
  ++survey.modules;
  for (const cpu::FormUse& use : *uses)
    add(survey, file, use);
}

void surveyFile(Survey& survey, const fs::path& path, bool named) {
  const Result<std::vector<image::DeviceImage>> images = image::readImages(path);
  if (!images) {
    if (named)
      survey.problems += fail(1, "ptx-report: " + images.message());
    return;
  }
  bool any = false;
  for (const image::DeviceImage& image : *images)
    if (image.kind == image::ImageKind::Ptx) {
      any = true;
      surveyPtx(survey, path.string() + (image.member.empty() ? "" : "(" + image.member + ")"),
                image.bytes);
    }
  survey.files += any;
  if (!any && named)
    survey.problems += fail(1, "ptx-report: " + path.string() +
                                   " carries no PTX; build it with -gencode "
                                   "arch=compute_90,code=compute_90, or without -gencode");
}

void surveyPath(Survey& survey, const fs::path& path) {
  std::error_code error;
  if (!fs::is_directory(path, error))
    return surveyFile(survey, path, true);
  std::vector<fs::path> files;
  for (fs::recursive_directory_iterator
           at(path, fs::directory_options::skip_permission_denied, error),
       end;
       !error && at != end; at.increment(error))
    if (at->is_regular_file(error))
      files.push_back(at->path());
  std::sort(files.begin(), files.end());
  for (const fs::path& file : files)
    surveyFile(survey, file, false);
}

void printForms(const std::map<std::string, FormCount>& forms, bool withPlace) {
  std::vector<const std::pair<const std::string, FormCount>*> order;
  for (const auto& entry : forms)
    order.push_back(&entry);
  std::stable_sort(order.begin(), order.end(),
                   [](const auto* a, const auto* b) { return a->second.count > b->second.count; });
  for (const auto* entry : order) {
    std::printf("%10llu %6zu  %s\n", static_cast<unsigned long long>(entry->second.count),
                entry->second.files.size(), entry->first.c_str());
    if (withPlace)
      std::printf("                   %s\n", entry->second.first.c_str());
  }
}

int report(const std::vector<std::string>& paths, bool all) {
  Survey survey;
  for (const std::string& path : paths)
    surveyPath(survey, path);
  std::printf("%llu instructions of %zu forms in %llu PTX modules of %llu files\n",
              static_cast<unsigned long long>(survey.instructions),
              survey.supported.size() + survey.unsupported.size(),
              static_cast<unsigned long long>(survey.modules),
              static_cast<unsigned long long>(survey.files));
  if (all) {
    std::printf("\nsupported: count, files, form\n");
    printForms(survey.supported, false);
  }
  std::printf("%s%zu unsupported forms%s\n", all ? "\n" : "", survey.unsupported.size(),
              survey.unsupported.empty() ? "" : ": count, files, form, first place");
  printForms(survey.unsupported, true);
  return survey.problems || !survey.unsupported.empty();
}

} // namespace

void addPtxReport(Command& command) {
  std::shared_ptr<std::vector<std::string>> paths = std::make_shared<std::vector<std::string>>();
  std::shared_ptr<bool> all = std::make_shared<bool>(false);
  Options sub =
      command.add("ptx-report", "List the PTX forms of programs that the cpu device cannot execute",
                  [paths, all] { return report(*paths, *all); });
  sub.add("paths", *paths, "Programs, objects, .ptx files, or folders of them").required();
  sub.addFlag("--all", *all, "Also list the forms that it can");
}

} // namespace gpusched::tool
