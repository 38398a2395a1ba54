// ClangSpelling.cpp - wraps files whose text holds "<< <", "<<<{", or "#pragma" behind something.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cost: three searches through each file that is read; only those that hold one of these are lexed.
#include "passes/analysis/ClangSpelling.h"

#include "passes/edit/SourceTokens.h"

#include "llvm/Support/MemoryBuffer.h"

namespace gpusched::passes {
namespace {

/// A `#pragma` that does not begin its line: the body of a macro, or in a comment.
bool hasInnerPragma(llvm::StringRef text) {
  constexpr llvm::StringRef kPragma = "#pragma";
  for (std::size_t at = text.find(kPragma); at != llvm::StringRef::npos;
       at = text.find(kPragma, at + 1)) {
    const llvm::StringRef before = text.take_front(at).rtrim(" \t");
    if (!before.empty() &&
        (before.back() != '\n' || before.drop_back().rtrim('\r').ends_with("\\")))
      return true;
  }
  return false;
}

/// Precompiled headers come this way, too: megabytes in which "<<<" may stand by chance.
bool isText(llvm::StringRef bytes) {
  constexpr std::size_t kHead = 256;
  return !bytes.take_front(kHead).contains('\0');
}

/// Whether Clang would read it otherwise than nvcc does.
bool isRespelt(llvm::StringRef bytes) {
  return isText(bytes) &&
         (bytes.contains("<< <") || hasInnerPragma(bytes) || hasBracedLaunch(bytes));
}

class RespeltFile : public llvm::vfs::File {
public:
  explicit RespeltFile(std::unique_ptr<llvm::vfs::File> file) : file_(std::move(file)) {}

  llvm::ErrorOr<llvm::vfs::Status> status() override { return file_->status(); }
  llvm::ErrorOr<std::string> getName() override { return file_->getName(); }
  std::error_code close() override { return file_->close(); }

  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>>
  getBuffer(const llvm::Twine& name, int64_t size, bool terminated, bool isVolatile) override {
    llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> buffer =
        file_->getBuffer(name, size, terminated, isVolatile);
    if (!buffer)
      return buffer;
    const llvm::StringRef original = (*buffer)->getBuffer();
    if (!isRespelt(original))
      return buffer;
    const std::string text = original.str();
    return llvm::MemoryBuffer::getMemBufferCopy(SourceTokens(text).withClangSpelling(),
                                                (*buffer)->getBufferIdentifier());
  }

private:
  std::unique_ptr<llvm::vfs::File> file_;
};

class RespeltFileSystem : public llvm::vfs::ProxyFileSystem {
public:
  using ProxyFileSystem::ProxyFileSystem;

  llvm::ErrorOr<std::unique_ptr<llvm::vfs::File>>
  openFileForRead(const llvm::Twine& path) override {
    llvm::ErrorOr<std::unique_ptr<llvm::vfs::File>> file = ProxyFileSystem::openFileForRead(path);
    if (!file)
      return file;
    return std::make_unique<RespeltFile>(std::move(*file));
  }
};

} // namespace

llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem>
withClangSpelling(llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> files) {
  return llvm::makeIntrusiveRefCnt<RespeltFileSystem>(std::move(files));
}

} // namespace gpusched::passes
