// JoinedChevrons.cpp - wraps files whose text holds "<< <".
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cost: one search through each file that is read; only those that hold the three characters are
// lexed.
#include "passes/analysis/JoinedChevrons.h"

#include "passes/edit/SourceTokens.h"

#include "llvm/Support/MemoryBuffer.h"

namespace gpusched::passes {
namespace {

class JoinedFile : public llvm::vfs::File {
public:
  explicit JoinedFile(std::unique_ptr<llvm::vfs::File> file) : file_(std::move(file)) {}

  llvm::ErrorOr<llvm::vfs::Status> status() override { return file_->status(); }
  llvm::ErrorOr<std::string> getName() override { return file_->getName(); }
  std::error_code close() override { return file_->close(); }

  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>>
  getBuffer(const llvm::Twine& name, int64_t size, bool terminated, bool isVolatile) override {
    llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> buffer =
        file_->getBuffer(name, size, terminated, isVolatile);
    if (!buffer || !(*buffer)->getBuffer().contains("<< <"))
      return buffer;
    const std::string text = (*buffer)->getBuffer().str();
    return llvm::MemoryBuffer::getMemBufferCopy(SourceTokens(text).withJoinedChevrons(),
                                                (*buffer)->getBufferIdentifier());
  }

private:
  std::unique_ptr<llvm::vfs::File> file_;
};

class JoinedFileSystem : public llvm::vfs::ProxyFileSystem {
public:
  using ProxyFileSystem::ProxyFileSystem;

  llvm::ErrorOr<std::unique_ptr<llvm::vfs::File>>
  openFileForRead(const llvm::Twine& path) override {
    llvm::ErrorOr<std::unique_ptr<llvm::vfs::File>> file = ProxyFileSystem::openFileForRead(path);
    if (!file)
      return file;
    return std::make_unique<JoinedFile>(std::move(*file));
  }
};

} // namespace

llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem>
withJoinedChevrons(llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> files) {
  return llvm::makeIntrusiveRefCnt<JoinedFileSystem>(std::move(files));
}

} // namespace gpusched::passes
