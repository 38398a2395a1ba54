// KernelPrinter.cpp - token copies of the signature.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tokens, not text: comments vanish, so nothing on the line can be commented out by accident.
#include "passes/KernelPrinter.h"

#include <algorithm>

namespace gpusched::passes {
namespace {

template <class Parameter> std::vector<NamedPlace> madeUpNames(const std::vector<Parameter>& all) {
  std::vector<NamedPlace> names;
  for (const Parameter& parameter : all)
    if (parameter.unnamed)
      names.push_back({parameter.nameOffset, parameter.name});
  return names;
}

template <class Parameter> std::string listNames(const std::vector<Parameter>& all) {
  std::string list;
  for (const Parameter& parameter : all)
    list += (list.empty() ? "" : ", ") + parameter.name + (parameter.pack ? "..." : "");
  return list;
}

std::string truth(bool value) {
  return value ? "true" : "false";
}

std::string primitiveState(const std::string& primitive, const Surroundings& around) {
  if (isCountingBarrier(primitive))
    return truth(around.counts) + ", " + truth(around.drainsLanes);
  if (primitive == kMbarrierNotes)
    return around.mbarrierTable.empty() ? "false" : "true, " + around.mbarrierTable;
  return around.drainsMasks ? "true, true" : truth(around.drainsLanes);
}

/// Values for the barrier and the primitives, in the order of the parameters.
std::string waits(bool hasBarrier, const std::set<std::string>& primitives,
                  const Surroundings& around) {
  std::string values;
  if (around.named) {
    values += hasBarrier ? ", __syncthreads" : "";
    for (const std::string& primitive : primitives)
      values += ", " + primitive;
    return values;
  }
  if (hasBarrier)
    values += ", ::gpusched::BodyBarrier{" + truth(around.drains) +
              (around.counts        ? ", " + truth(around.drainsLanes) + ", true}"
               : around.drainsLanes ? ", true}"
                                    : "}");
  for (const std::string& primitive : primitives)
    values += ", " + primitiveType(primitive) + "{" + primitiveState(primitive, around) + "}";
  return values;
}

/// In a text that has no drain barrier itself, nobody has left before the member's.
std::string toldHere(const VirtualFunction& function, bool hasBarrier) {
  std::string arguments = "blockIdx, gridDim";
  if (function.hasBarrier)
    arguments += hasBarrier ? ", __syncthreads" : ", ::gpusched::BodyBarrier{false}";
  for (const std::string& primitive : function.text.primitives)
    arguments += ", " + primitive;
  return arguments;
}

void tellGroups(const SourceTokens& tokens, const KernelText& text, EditSet& edits) {
  for (const auto& [begin, primitive] : text.groupPrimitives) {
    if (primitive.callEnd == 0) {
      edits.insert(begin, std::string(kLaneGroups) + ".of(");
      edits.insert(primitive.groupEnd, ")");
      continue;
    }
    const std::string group = flatten(tokens, begin, primitive.groupEnd);
    edits.insert(primitive.callBegin, std::string(kLaneGroups) + ".among(" + group +
                                          ", [&](const auto& gpusched_group) { return ");
    edits.replace(begin, primitive.groupEnd - begin, "gpusched_group");
    edits.insert(primitive.callEnd, "; })");
  }
}

} // namespace

std::string newlinesOf(const std::string& source, std::size_t begin, std::size_t end) {
  return std::string(std::count(source.begin() + begin, source.begin() + end, '\n'), '\n');
}

std::string
SignaturePrinter::templateHeader(const std::map<std::size_t, std::size_t>& leftOut) const {
  if (!text_.isTemplate && !text_.outerHeader)
    return "";
  return flatten(tokens_, text_.templateBegin, text_.signatureBegin,
                 madeUpNames(text_.templateParameters), leftOut) +
         " ";
}

std::string SignaturePrinter::templateHeader() const {
  return templateHeader({});
}

std::string SignaturePrinter::templateHeaderWithoutDefaults() const {
  return templateHeader(text_.defaultArguments);
}

std::string SignaturePrinter::specifiers() const {
  return flatten(tokens_, text_.signatureBegin, text_.specifiersEnd);
}

std::string SignaturePrinter::qualifier() const {
  return flatten(tokens_, text_.specifiersEnd, text_.nameBegin);
}

std::string SignaturePrinter::name() const {
  return flatten(tokens_, text_.nameBegin, text_.nameEnd);
}

std::string SignaturePrinter::nativeHeader() const {
  return text_.isSpecialization ? "template <> " : templateHeader();
}

std::string SignaturePrinter::twinSpecifiers() const {
  return (text_.isSpecialization ? "static " : "") +
         returningVoid(text_.signatureBegin, text_.specifiersEnd);
}

std::string SignaturePrinter::returningVoid(std::size_t begin, std::size_t end) const {
  if (!text_.returnType || text_.returnType->first < begin || text_.returnType->first >= end)
    return flatten(tokens_, begin, end);
  return flatten(tokens_, begin, end, {{text_.returnType->first, "void"}}, {*text_.returnType});
}

std::string
SignaturePrinter::parameterList(const std::map<std::size_t, std::size_t>& leftOut) const {
  if (text_.parameters.empty())
    return "";
  return flatten(tokens_, text_.leftParenthesis + 1, text_.rightParenthesis,
                 madeUpNames(text_.parameters), leftOut);
}

std::string SignaturePrinter::parameterList() const {
  return parameterList({});
}

std::string SignaturePrinter::parameterListWithoutDefaults() const {
  return parameterList(text_.defaultArguments);
}

std::string SignaturePrinter::trailer() const {
  return flatten(tokens_, text_.rightParenthesis + 1, text_.bodyBegin);
}

std::string SignaturePrinter::twinTrailer() const {
  return returningVoid(text_.rightParenthesis + 1, text_.bodyBegin);
}

std::string SignaturePrinter::arguments(bool areFresh) const {
  std::vector<KernelParameter> passed = text_.parameters;
  for (KernelParameter& parameter : passed)
    if (parameter.byReference && parameter.isChanged && !areFresh)
      parameter.name = "::gpusched::ArgumentBits::of(" + parameter.name + ").get()";
    else if (parameter.asConstant)
      parameter.name =
          "static_cast<const decltype(" + parameter.name + ")&>(" + parameter.name + ")";
    else if (parameter.isMoved)
      parameter.name = "static_cast<decltype(" + parameter.name + ")&&>(" + parameter.name + ")";
  return listNames(passed);
}

std::string SignaturePrinter::templateArguments() const {
  return text_.isTemplate ? "<" + listNames(text_.templateParameters) + ">" : "";
}

void callObjects(const SourceTokens& tokens, const KernelText& text, bool hasBarrier,
                 EditSet& edits) {
  if (hasBarrier)
    for (const auto& [begin, change] : text.blockSyncs)
      edits.replace(begin, change.end - begin, change.becomes);
  for (const std::size_t offset : text.explicitCalls)
    edits.insert(offset, ".template operator()");
  for (const auto& [begin, end] : text.qualifiers)
    edits.replace(begin, end - begin, "");
  for (const auto& [begin, change] : text.groupIndices)
    edits.replace(begin, change.end - begin, change.becomes);
  if (text.primitives.count(kLaneGroups) != 0)
    tellGroups(tokens, text, edits);
  for (const auto& [begin, change] : text.mbarriers) {
    edits.insert(begin, std::string(kMbarrierNotes) + "." + change.becomes + "(");
    edits.insert(change.end, ")");
  }
  for (const auto& [offset, call] : text.methodCalls) {
    const VirtualFunction& callee = *call.callee;
    if (call.mixedObject) {
      edits.insert(*call.mixedObject, "::gpusched::toldCall(");
      edits.insert(call.leftParenthesis, ", " + toldHere(callee, hasBarrier) + ")");
      continue;
    }
    if (callee.isLambda) {
      edits.insert(call.rightParenthesis,
                   (call.isEmpty ? "" : ", ") + toldHere(callee, hasBarrier));
      continue;
    }
    if (call.nameLength != 0)
      edits.replace(offset, call.nameLength, callee.methodName());
    else if (callee.isCallOperator)
      edits.insert(call.leftParenthesis, "." + callee.methodName());
    edits.insert(call.leftParenthesis + 1,
                 toldHere(callee, hasBarrier) + (call.isEmpty ? "" : ", "));
  }
}

std::string primitiveType(const std::string& primitive) {
  if (primitive == kMbarrierNotes)
    return "::gpusched::MbarrierNotes";
  if (primitive == kLaneGroups)
    return "::gpusched::LaneGroups";
  return (isCountingBarrier(primitive) ? "::gpusched::CountingBarrier"
                                       : "::gpusched::LanePrimitive") +
         primitive;
}

std::string memberArguments(const VirtualFunction& function, const Surroundings& around) {
  return around.blockIndex + ", " + around.grid +
         waits(function.hasBarrier, function.text.primitives, around);
}

Surroundings nativeSurroundings(const VirtualFunction& function) {
  return function.onHost
             ? Surroundings{"::gpusched::NativeBlock::index()", "::gpusched::NativeBlock::grid()"}
             : Surroundings{};
}

std::vector<GivenBuiltin> givenBuiltins(bool hasBarrier, const std::set<std::string>& primitives) {
  std::vector<GivenBuiltin> given = {{"::uint3", "blockIdx", "::blockIdx"},
                                     {"::dim3", "gridDim", "::gridDim"}};
  if (hasBarrier)
    given.push_back({"::gpusched::BodyBarrier", "__syncthreads", "::gpusched::BodyBarrier{false}"});
  for (const std::string& primitive : primitives)
    given.push_back({primitiveType(primitive), primitive, primitiveType(primitive) + "{false}"});
  return given;
}

std::string builtinParameters(const std::vector<const VirtualFunction*>& objects, bool hasBarrier,
                              const std::set<std::string>& primitives) {
  std::string parameters;
  const auto add = [&](const std::string& type, const std::string& name) {
    parameters += (parameters.empty() ? "const " : ", const ") + type + " " + name;
  };
  for (const GivenBuiltin& given : givenBuiltins(hasBarrier, primitives))
    add(given.type, given.name);
  for (const NamedObject& object : namedObjects(objects))
    add(object.type(), object.name());
  return parameters;
}

std::vector<NamedObject> namedObjects(const std::vector<const VirtualFunction*>& functions) {
  std::vector<NamedObject> objects;
  for (const VirtualFunction* function : functions) {
    const auto known = std::find_if(objects.begin(), objects.end(), [&](const NamedObject& object) {
      return object.name() == function->name;
    });
    if (known == objects.end())
      objects.push_back({{function}});
    else
      known->overloads.push_back(function);
  }
  return objects;
}

std::string NamedObject::type() const {
  std::string types;
  for (const VirtualFunction* function : overloads)
    types += (types.empty() ? "" : ", ") + function->scope + function->typeName();
  return overloads.size() == 1 ? types : "::gpusched::Overloads<" + types + ">";
}

std::string NamedObject::value(const Surroundings& around) const {
  std::string values;
  for (const VirtualFunction* function : overloads)
    values += (values.empty() ? "" : ", ") + functionObject(*function, around);
  return overloads.size() == 1 ? values : type() + "(" + values + ")";
}

std::string functionObject(const VirtualFunction& function, const Surroundings& around) {
  std::string object =
      function.scope + function.typeName() + "{" + around.blockIndex + ", " + around.grid;
  object += waits(function.hasBarrier, function.text.primitives, around);
  for (const NamedObject& callee : namedObjects(function.callees))
    object += ", " + callee.value(around);
  return object + "}";
}

std::string callBody(const PassInput& input, const Surroundings& around) {
  const KernelInfo& kernel = input.kernel;
  const SignaturePrinter print(input.file.tokens, kernel.text);
  std::string call =
      kernel.bodyName() + print.templateArguments() + "(" + around.blockIndex + ", " + around.grid;
  call += waits(kernel.record.facts.drainBarrier, kernel.text.primitives, around);
  for (const NamedObject& callee : namedObjects(kernel.callees))
    call += ", " + callee.value(around);
  const std::string arguments = print.arguments(!around.repeats);
  return call + (arguments.empty() ? "" : ", ") + arguments + ");";
}

} // namespace gpusched::passes
