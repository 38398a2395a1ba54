// Virtualise - turn device functions that read the built-ins into function objects.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Before:  __device__ int index(int n) { return blockIdx.x * n; }
//          __global__ void k(int* a) { a[index(2)] = 0; }
// After:   namespace { struct index__gs_call { const ::uint3 blockIdx; const ::dim3 gridDim;
//            __device__ int operator()(int n) const { return blockIdx.x * n; } }; }
//          __device__ int index(int n) {
//            return index__gs_call{::blockIdx, ::gridDim}(n); }
//          ... k__gs_body(const ::uint3 blockIdx, const ::dim3 gridDim,
//                         const ::index__gs_call index, int* a) { a[index(2)] = 0; }
//
// Sound because: in a member function, members shadow the built-ins, and in the kernel's body the
// parameter shadows the function, both by the rules of the language. The texts stay as they are,
// but for calls with explicit template arguments: f<int>(a) becomes f.template operator()<int>(a).
// Functions that such a function calls are members of its object in the same way, and one that
// calls itself finds its object by its name; explicit specialisations are those of the object's
// call operator. Everybody else
// (kernels that stay native, other files) still finds the function under its name. The namespace
// keeps the structs of static functions that have one name in two files apart under -rdc.
// A member function gets the built-ins as parameters, and one with its old name calls it:
//          struct S { __device__ int index__gs(const ::uint3 blockIdx, const ::dim3 gridDim, int n)
//            { return blockIdx.x * n; } __device__ int index(int n) {
//            return index__gs(::blockIdx, ::gridDim, n); } };
//          ... a[s.index__gs(blockIdx, gridDim, 2)] = 0;
// Behind an early return it gets the drain barrier and the primitives in the same way, for itself
// and for the members and objects that it calls (analysis/HandOn): in the twin they wait with those
// who have left, elsewhere they are what they were.
// There the calls are edited, since an object could not stand for a function of another object.
// Functions that it calls are objects of its own: its caller may stand before their types. What
// the host compiles as well asks gpusched::NativeBlock for the built-ins, which the host has not.
// A call operator is such a function by the name call__gs, a constructor an overload of the old
// one. One that is defined outside its class is declared a second time in it, behind the first, so
// whoever sees the one sees the other, with the same access. An object whose function is defined
// after a caller stands behind the first declaration instead, where what it holds is known too;
// the text becomes the definition of its call operator. Lines do not move. Refuses: nothing
// here; analysis/VirtualFunctions does.
#include "passes/KernelPrinter.h"
#include "passes/Pass.h"

namespace gpusched::passes {
namespace {

std::string members(const VirtualFunction& function) {
  std::string text = "const ::uint3 blockIdx; const ::dim3 gridDim; ";
  if (function.hasBarrier)
    text += "::gpusched::BodyBarrier __syncthreads; ";
  for (const std::string& primitive : function.text.primitives)
    text += primitiveType(primitive) + " " + primitive + "; ";
  for (const NamedObject& callee : namedObjects(function.callees))
    text += callee.type() + " " + callee.name() + "; ";
  return text;
}

/// The object of one file is not that of another. Inside an unnamed namespace a second one would
/// only get in the way: nvcc gives both one name, and its stubs of kernels there find two.
std::string openObject(const VirtualFunction& function) {
  return (function.inUnnamedNamespace ? "struct " : "namespace { struct ") + function.typeName() +
         " { " + members(function);
}

std::string closeObject(const VirtualFunction& function) {
  return function.inUnnamedNamespace ? " };" : " }; }";
}

/// A member function cannot be extern, and a static one could not see the members.
void removeStorageClass(const FunctionPassInput& input, EditSet& edits) {
  const KernelText& text = input.text;
  const SourceTokens& tokens = input.file.tokens;
  for (std::size_t index = tokens.at(text.signatureBegin);
       tokens.all()[index].offset < text.nameBegin; ++index)
    if (tokens.text(index) == "static" || tokens.text(index) == "extern")
      edits.replace(tokens.all()[index].offset, tokens.all()[index].length, "");
}

/// The wrapper's call of the function that has the parameters.
std::string callMethod(const VirtualFunction& function, const SignaturePrinter& print) {
  std::string call = function.methodName() +
                     (function.isConstructor ? "" : print.templateArguments()) + "(" +
                     memberArguments(function, nativeSurroundings(function));
  const std::string arguments = print.arguments();
  return call + (arguments.empty() ? "" : ", ") + arguments + ")";
}

/// "const ::uint3 blockIdx = ::blockIdx, ...": those of a lambda, which is called without, too.
std::string defaultedParameters(const VirtualFunction& function) {
  std::string parameters;
  for (const GivenBuiltin& given : givenBuiltins(function.hasBarrier, function.text.primitives))
    parameters += (parameters.empty() ? "const " : ", const ") + given.type + " " + given.name +
                  " = " + given.native;
  return parameters;
}

/// The host's compiler warns of names that only the device's part of a text uses.
std::string markUsed(const VirtualFunction& function, const std::string& name) {
  return function.onHost ? " static_cast<void>(" + name + ");" : "";
}

/// The parameters and the objects of a member.
void declareObjects(const VirtualFunction& function, EditSet& edits) {
  Surroundings inside{"blockIdx", "gridDim"};
  inside.named = true;
  std::string text;
  for (const GivenBuiltin& given : givenBuiltins(function.hasBarrier, function.text.primitives))
    text += markUsed(function, given.name);
  for (const NamedObject& callee : namedObjects(function.callees))
    text += " const " + callee.type() + " " + callee.name() + " = " + callee.value(inside) + ";" +
            markUsed(function, callee.name());
  if (!text.empty())
    edits.insert(function.text.bodyBegin + 1, text);
}

EditSet extendLambda(const FunctionPassInput& input) {
  const KernelText& text = input.text;
  const std::string parameters = defaultedParameters(input.function);
  const std::size_t first = text.leftParenthesis + 1;
  EditSet edits;
  if (text.leftParenthesis == text.bodyBegin)
    edits.insert(text.bodyBegin, "(" + parameters + ") ");
  else if (text.parameters.empty())
    edits.replace(first, text.rightParenthesis - first,
                  parameters + newlinesOf(input.file.text, first, text.rightParenthesis));
  else
    edits.insert(text.rightParenthesis, ", " + parameters);
  declareObjects(input.function, edits);
  callObjects(input.file.tokens, text, input.function.hasBarrier, edits);
  return edits;
}

EditSet addParameters(const FunctionPassInput& input) {
  const VirtualFunction& function = input.function;
  const KernelText& text = input.text;
  const SignaturePrinter print(input.file.tokens, text);
  const std::string parameters = print.parameterList();
  EditSet edits;
  edits.replace(text.nameBegin, text.nameEnd - text.nameBegin, function.methodName());
  const std::size_t first = text.leftParenthesis + 1;
  const std::string builtins = builtinParameters({}, function.hasBarrier, text.primitives);
  if (text.parameters.empty())
    edits.replace(first, text.rightParenthesis - first,
                  builtins + newlinesOf(input.file.text, first, text.rightParenthesis));
  else
    edits.insert(first, builtins + ", ");
  declareObjects(function, edits);
  callObjects(input.file.tokens, text, function.hasBarrier, edits);
  const std::string call = callMethod(function, print);
  edits.insert(text.bodyEnd,
               " " + print.templateHeader() + print.specifiers() + " " + print.qualifier() +
                   function.name + "(" + parameters + ") " +
                   (function.isConstructor ? ": " + call + " {}"
                                           : print.trailer() + "{ return " + call + "; }"));
  return edits;
}

/// What stands in front of the name, but for what a member cannot be.
std::string memberSpecifiers(const SourceTokens& tokens, const KernelText& text) {
  std::string specifiers;
  for (std::size_t index = tokens.at(text.signatureBegin);
       tokens.all()[index].offset < text.nameBegin; ++index)
    if (tokens.text(index) != "static" && tokens.text(index) != "extern")
      specifiers += flatten(tokens, tokens.all()[index].offset, tokens.all()[index].end()) + " ";
  return specifiers;
}

/// Behind the first declaration of a function that is defined after its caller: its object, whose
/// call operator is defined where the function is.
EditSet declareObject(const FunctionPassInput& input) {
  const VirtualFunction& function = input.function;
  const KernelText& text = input.text;
  const SignaturePrinter print(input.file.tokens, text);
  EditSet edits;
  edits.insert(text.bodyEnd, " " + openObject(function) + print.templateHeader() +
                                 memberSpecifiers(input.file.tokens, text) + "operator()(" +
                                 print.parameterList() + ") const " + print.trailer() + ";" +
                                 closeObject(function));
  return edits;
}

/// A class befriends the object of its friend, which is declared before the class.
EditSet befriend(const FunctionPassInput& input) {
  const VirtualFunction& function = input.function;
  const std::string object = "struct " + function.typeName() + ";";
  EditSet edits;
  edits.insert(input.text.templateBegin,
               function.inUnnamedNamespace ? object + " " : "namespace { " + object + " } ");
  edits.insert(input.text.bodyBegin + 1,
               " friend struct " + function.scope + function.typeName() + ";");
  return edits;
}

/// Behind the declaration in the class: the same with the parameters.
EditSet declareParameters(const FunctionPassInput& input) {
  const VirtualFunction& function = input.function;
  const KernelText& text = input.text;
  const SignaturePrinter print(input.file.tokens, text);
  const std::string parameters = print.parameterList();
  EditSet edits;
  edits.insert(text.bodyEnd,
               " " + print.templateHeader() + print.specifiers() + " " + function.methodName() +
                   "(" + builtinParameters({}, function.hasBarrier, function.text.primitives) +
                   (parameters.empty() ? "" : ", ") + parameters + ") " + print.trailer() + ";");
  return edits;
}

/// What the body of a call operator has to see and change.
void editBody(const FunctionPassInput& input, EditSet& edits) {
  const VirtualFunction& function = input.function;
  edits.insert(input.text.rightParenthesis + 1, " const");
  if (input.text.callsItself)
    edits.insert(input.text.bodyBegin + 1, " const " + function.typeName() + "& " + function.name +
                                               " = *this;" + markUsed(function, function.name));
  callObjects(input.file.tokens, input.text, function.hasBarrier, edits);
}

/// An explicit specialisation becomes one of the call operator.
EditSet specialise(const FunctionPassInput& input) {
  const VirtualFunction& function = input.function;
  const KernelText& text = input.text;
  const SignaturePrinter print(input.file.tokens, text);
  const std::string arguments =
      flatten(input.file.tokens, text.nameBegin + function.name.size(), text.nameEnd);
  EditSet edits;
  edits.replace(text.nameBegin, function.name.size(), function.typeName() + "::operator()");
  editBody(input, edits);
  edits.insert(text.bodyEnd, " " + print.nativeHeader() + print.specifiers() + " " +
                                 print.qualifier() + print.name() + "(" + print.parameterList() +
                                 ") " + print.trailer() + "{ return " +
                                 functionObject(function, nativeSurroundings(function)) +
                                 (arguments.empty() ? "" : ".template operator()" + arguments) +
                                 "(" + print.arguments() + "); }");
  return edits;
}

} // namespace

EditSet virtualise(const FunctionPassInput& input) {
  const VirtualFunction& function = input.function;
  if (input.part == FunctionPart::Specialisation)
    return specialise(input);
  if (input.part == FunctionPart::Declaration)
    return function.isMethod ? declareParameters(input) : declareObject(input);
  if (input.part == FunctionPart::Friend)
    return befriend(input);
  if (function.isLambda)
    return extendLambda(input);
  if (function.isMethod)
    return addParameters(input);
  const KernelText& text = input.text;
  EditSet edits;
  const bool isDeclared = function.declaration.has_value();
  if (!isDeclared)
    edits.insert(text.templateBegin, openObject(function));
  removeStorageClass(input, edits);
  edits.replace(text.nameBegin, text.nameEnd - text.nameBegin,
                isDeclared ? function.typeName() + "::operator()" : "operator()");
  for (const auto& [end, value] : text.defaults)
    edits.insert(end, " = " + value);
  editBody(input, edits);
  const SignaturePrinter print(input.file.tokens, text);
  edits.insert(text.bodyEnd, (isDeclared ? " " : closeObject(function) + " ") +
                                 print.templateHeader() + print.specifiers() + " " +
                                 print.qualifier() + function.name + "(" + print.parameterList() +
                                 ") " + print.trailer() + "{ return " +
                                 functionObject(function, nativeSurroundings(function)) +
                                 (text.isTemplate ? ".template operator()" : "") +
                                 print.templateArguments() + "(" + print.arguments() + "); }");
  return edits;
}

} // namespace gpusched::passes
