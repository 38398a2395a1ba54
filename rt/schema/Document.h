// Document.h - a file of ours: a header that says its format, and what follows it.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal to rt/schema. Every format has the same frame, written once here; a format gives its
// DocumentKind and a `body(json, file)` that a JsonReader and a JsonWriter both understand.
#pragma once

#include "rt/schema/JsonReader.h"
#include "rt/schema/JsonWriter.h"
#include "rt/schema/TextFile.h"

#include <string>

namespace gpusched {

struct DocumentKind {
  const char* name;   ///< for messages: "profile"
  const char* format; ///< the file's member "format"
  int version;        ///< written, and the newest that is read
  int oldest;         ///< that is read
};

/// Nothing when the header is of that kind, and `version` is one that is read.
Status checkHeader(const DocumentKind& kind, const std::string& format, int version);

template <typename File, typename Body>
std::string documentText(const DocumentKind& kind, const File& file, Body body) {
  JsonWriter json;
  json.map("format", kind.format);
  json.map("version", kind.version);
  body(json, file);
  return json.text();
}

/// Sets File::version to the one found. Errors name the member and what was expected.
template <typename File, typename Body>
Result<File> documentFromText(const DocumentKind& kind, const std::string& text, Body body) {
  Result<nlohmann::json> value = parseJson(text);
  if (!value)
    return value.status();
  Status firstError;
  JsonReader json(*value, "", firstError);
  File file;
  std::string format;
  file.version = 0;
  json.map("format", format);
  json.map("version", file.version);
  if (!firstError)
    return firstError;
  if (Status header = checkHeader(kind, format, file.version); !header)
    return header;
  body(json, file);
  if (!firstError)
    return firstError;
  return file;
}

/// `fromText` on the file's text; its errors get the kind's name and the path in front.
template <typename File>
Result<File> readDocument(const DocumentKind& kind, const std::string& path,
                          Result<File> (*fromText)(const std::string&)) {
  Result<std::string> text = readTextFile(path);
  if (!text)
    return text.status();
  Result<File> file = fromText(*text);
  if (!file)
    return Status::error(std::string(kind.name) + " '" + path + "': " + file.message());
  return file;
}

} // namespace gpusched
