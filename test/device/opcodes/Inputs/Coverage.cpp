// Coverage - compares the PTX forms that decode with those that tests executed.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// usage: opcodes-Coverage <executed> forms.txt...
// A line of a forms file is an instruction whose first word has alternatives, `add{.sat|}.s32`;
// each is a form. One that begins with `!` is a form that must not decode. <executed> is what
// test programs wrote because GPUSCHED_TEST_FORMS named that file (ExecutedForms.h). Wrong are:
//   a listed form that does not decode, or a `!` one that does
//   a listed form that no test executed
//   an executed form that is not listed, so that the list keeps up with the tests
#include "rt/device/cpu/engine/FormSurvey.h"
#include "rt/device/cpu/ptx/Parser.h"

#include <cstdio>
#include <fstream>
#include <set>
#include <string>
#include <vector>

using namespace gpusched;

namespace {

struct Form {
  std::string text; // the whole instruction
  bool refused = false;
};

/// All ways to choose the alternatives of `text` from `from` on.
void expand(const std::string& text, std::vector<std::string>& out) {
  const size_t open = text.find('{');
  if (open == std::string::npos || open > text.find(' '))
    return out.push_back(text);
  const size_t close = text.find('}', open);
  for (size_t at = open + 1; at <= close;) {
    const size_t end = std::min(text.find('|', at), close);
    expand(text.substr(0, open) + text.substr(at, end - at) + text.substr(close + 1), out);
    at = end + 1;
  }
}

bool readForms(const char* path, std::vector<Form>& forms) {
  std::ifstream file(path);
  if (!file)
    return std::printf("cannot read %s\n", path), false;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#')
      continue;
    const bool refused = line[0] == '!';
    std::vector<std::string> texts;
    expand(line.substr(refused), texts);
    for (std::string& text : texts)
      forms.push_back({std::move(text), refused});
  }
  return true;
}

std::string moduleOf(const std::vector<Form>& forms) {
  std::string text = ".version 9.0\n.target sm_90a\n.address_size 64\n"
                     ".global .align 16 .b8 g[64]; .shared .align 16 .b8 s[64];\n"
                     ".const .align 16 .b8 c[64];\n"
                     ".func callee() { ret; }\n"
                     ".visible .entry k(.param .u64 pa)\n{\n"
                     ".local .align 16 .b8 l[64];\n"
                     ".reg .b16 %h<20>; .reg .b32 %r<70>; .reg .b64 %d<20>; .reg .f32 %f<70>;\n"
                     ".reg .f64 %e<20>; .reg .b128 %q<4>; .reg .pred %p<10>;\n"
                     ".param .b32 given;\nT: .branchtargets L, L;\n";
  for (const Form& form : forms)
    text += form.text + ";\n";
  return text + "ret;\nL: ret;\n}\n";
}

int report(const char* what, const std::set<std::string>& forms) {
  for (const std::string& form : forms)
    std::printf("%s: %s\n", what, form.c_str());
  return static_cast<int>(forms.size());
}

std::set<std::string> readExecuted(const char* path) {
  std::set<std::string> executed;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);)
    executed.insert(line);
  return executed;
}

} // namespace

int main(int argc, char** argv) {
  if (argc < 3)
    return std::printf("usage: opcodes-Coverage <executed> forms.txt...\n"), 2;
  std::vector<Form> forms;
  for (int i = 2; i < argc; ++i)
    if (!readForms(argv[i], forms))
      return 2;
  const auto module = ptx::parse(moduleOf(forms));
  if (!module)
    return std::printf("%s\n", module.message().c_str()), 2;
  auto uses = cpu::surveyForms(*module);
  if (!uses)
    return std::printf("the forms do not load: %s\n", uses.message().c_str()), 2;
  std::erase_if(*uses, [](const cpu::FormUse& use) { return !use.function->isEntry; });
  const std::set<std::string> executed = readExecuted(argv[1]);
  std::set<std::string> listed, undecoded, decoded, untested, unlisted;
  for (size_t i = 0; i < forms.size(); ++i) {
    const cpu::FormUse& use = (*uses)[i];
    listed.insert(use.form);
    if (use.supported == forms[i].refused)
      (forms[i].refused ? decoded : undecoded).insert(use.form);
    if (!forms[i].refused && !executed.contains(use.form))
      untested.insert(use.form);
  }
  for (const std::string& form : executed)
    if (!listed.contains(form))
      unlisted.insert(form);
  const int wrong = report("does not decode", undecoded) + report("decodes, take off the !", decoded) +
                    report("no test executes", untested) + report("executed, not listed", unlisted);
  std::printf("%zu forms listed, %zu executed, %d wrong\n", listed.size(), executed.size(), wrong);
  return wrong != 0;
}
