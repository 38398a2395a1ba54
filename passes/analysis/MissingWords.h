// MissingWords.h - words that Clang asks for and nvcc does not, as `template` in a dependent call.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   nvcc takes                          Clang gets
//   v.get<N>(a)                         v.template get<N>(a)
//   T::kind(a), a type                  typename T::kind(a)
//   T::template kind<N>(a), a type      typename T::template kind<N>(a)
//   next(i), a member of Base<T>        this->next(i)
//   if constexpr (this->isWide)         if constexpr (((decltype(this))nullptr)->isWide)
//   constexpr int k = model.kSize;      constexpr int k = ((decltype(&model))nullptr)->/*.*/kSize;
//   h = {}, of a half2                  h = __half2{}
//   template <> __device__ T f()        template <> __host__ __device__ T f()
//   __host__ __device__ int f(int);
//   __device__ int f(int a) { ... }     __host__ __device__ __device__ int f(int a) { ... }
//   int f(int); ... decltype(f(1)), in device code
//                                       __host__ __device__ int f(int);
//   __device__ int __float_as_int(float f) { ... }
//                                       GPUSCHED_PREFERRED __device__ int __float_as_int(...
//
// In the first four the type of something depends on template parameters, and nvcc looks names up
// in each instantiation. In the next two a constant of a class is asked of an object that is none,
// in one more a class has several operators that take the list, and in the next two a template is
// for other processors than its specialisation, or a function than its declaration: both are made
// for all. Then device code names a function of the host where nothing is called. The last is a
// function that nvcc has built in, where Clang has a definition. The text is parsed again with the
// words; nvcc gets it as the user wrote it.
//
// Sound because: Clang's errors name the places, so none has a meaning without its word. A text in
// which Clang then reports nothing names a template, a type or a member of the base there in each
// of the instantiations that it made. The name of a template cannot be an operand of `<`, that of a
// type no value, and nothing else in sight had the member's name. A constant reached through a
// null pointer to the class is the class's own: nothing of an object is constant there. An empty
// list says nothing about blocks or threads, whichever operator takes it. nvcc itself gives
// a specialisation its template's processors, and declarations of one function all that one of them
// has; for more of them the bodies are the same. It rejects device code that calls a function of
// the host, so where a program compiles there is no call. The preferred function is the program's,
// as for nvcc.
#pragma once

#include "passes/edit/EditSet.h"

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace clang {
class Diagnostic;
class SourceLocation;
} // namespace clang

namespace gpusched::passes {

/// What is missing in a text, by the offset in front of which it belongs.
using WordsOfText = std::map<std::size_t, std::string>;

/// What is missing in the parsed texts, by the textKey of their files.
using MissingWords = std::map<std::string, WordsOfText>;

/// Takes note of an error, or a note to one, of that kind, ignores others. `error`: the place of
/// the error itself.
void noteMissingWord(const clang::Diagnostic& diagnostic, clang::SourceLocation error,
                     MissingWords& missing);

/// The words that were put into one text.
class AddedWords {
public:
  /// Puts words in front of what stands at these offsets of `text`.
  std::string add(const std::string& text, const WordsOfText& words);

  /// Follows the words through a change of the text; those that it covers become the text's own.
  void follow(const EditSet& changes);

  /// Adds to the edits of `text` those that take the words out again, where no other edit has to do
  /// with them.
  void takeOut(EditSet& edits) const;

  /// The column, counted from 1, that a place has without the words.
  unsigned columnWithout(const std::string& text, unsigned line, unsigned column) const;

private:
  /// A piece of the text.
  struct Word {
    std::size_t offset, length;
  };
  static bool covers(const Edit& edit, const Word& word);

  std::vector<Word> words_; ///< in order
};

} // namespace gpusched::passes
