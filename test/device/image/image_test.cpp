// image_test - fat binaries made by hand: choice of PTX, padding, damage.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What real compilers write is checked by the .cu files beside this one.
#include "rt/device/cpu/image/DeviceImage.h"
#include "rt/device/cpu/image/PtxChoice.h"
#include "rt/device/cpu/image/RegisteredBinary.h"
#include "test/Check.h"

#include <cstring>
#include <string>

using namespace gpusched;
using namespace gpusched::image;

namespace {

template <class T> void put(std::string& bytes, std::size_t at, T value) {
  std::memcpy(bytes.data() + at, &value, sizeof(value));
}

std::string entry(uint16_t kind, uint32_t sm, const std::string& payload, uint64_t flags = 0x11) {
  std::string bytes(64, '\0');
  put<uint16_t>(bytes, 0, kind);
  put<uint32_t>(bytes, 4, 64);
  put<uint64_t>(bytes, 8, (payload.size() + 7) / 8 * 8);
  put<uint32_t>(bytes, 28, sm);
  put<uint64_t>(bytes, 40, flags);
  bytes += payload;
  bytes.resize((bytes.size() + 7) / 8 * 8);
  return bytes;
}

std::string fatBinary(const std::string& entries) {
  std::string bytes(16, '\0');
  put<uint32_t>(bytes, 0, 0xBA55ED50);
  put<uint16_t>(bytes, 4, 1);
  put<uint16_t>(bytes, 6, 16);
  put<uint64_t>(bytes, 8, entries.size());
  return bytes + entries;
}

ByteView view(const std::string& bytes) {
  return ByteView(bytes.data(), bytes.size());
}

FatBinaryEntry ptx(unsigned sm, char variant = 0) {
  FatBinaryEntry made;
  made.kind = ImageKind::Ptx;
  made.sm = sm;
  made.variant = variant;
  return made;
}

void testReadsConcatenatedBinaries() {
  const std::string bytes = fatBinary(entry(1, 90, ".version 9.0") + entry(2, 75, "ELF")) +
                            std::string(16, '\0') + fatBinary("") +
                            fatBinary(entry(1, 80, "abc", 0x100011));
  const Result<std::vector<FatBinaryEntry>> entries = readFatBinaries(view(bytes));
  CHECK(entries && entries->size() == 3);
  if (!entries || entries->size() != 3)
    return;
  CHECK_EQUAL(describe((*entries)[0]), "PTX compute_90");
  CHECK_EQUAL(*unpack((*entries)[0]), ".version 9.0"); // without the padding
  CHECK_EQUAL(describe((*entries)[1]), "ELF sm_75");
  CHECK_EQUAL(describe((*entries)[2]), "PTX compute_80a");
}

/// One of several: `text` behind the header is a file's name.
std::string listed(uint16_t kind, uint32_t sm, uint32_t begin, uint64_t size,
                   const std::string& name, const std::string& options) {
  std::string bytes = entry(kind, sm, name + '\0').substr(0, 64 + (name.size() + 8) / 8 * 8);
  put<uint32_t>(bytes, 4, begin);
  put<uint64_t>(bytes, 8, size);
  put<uint32_t>(bytes, 32, 64);
  put<uint32_t>(bytes, 36, static_cast<uint32_t>(name.size()));
  if (options.empty())
    return bytes;
  const std::size_t record = bytes.size();
  put<uint32_t>(bytes, 20, static_cast<uint32_t>(record));
  bytes.resize(record + 8 + (options.size() + 8) / 8 * 8);
  put<uint32_t>(bytes, record, static_cast<uint32_t>(record + 8));
  put<uint32_t>(bytes, record + 4, static_cast<uint32_t>(options.size()));
  bytes.replace(record + 8, options.size(), options);
  return bytes;
}

/// What -concat makes: images stored as one, each of which the list in the header names.
std::string several(const std::string& list, uint32_t count, const std::string& payload) {
  std::string bytes = entry(0x100, 0, std::string(8, '\0') + list);
  put<uint32_t>(bytes, 4, static_cast<uint32_t>(bytes.size()));
  put<uint64_t>(bytes, 8, payload.size());
  put<uint32_t>(bytes, 20, 64);
  put<uint32_t>(bytes, 64, count);
  return bytes + payload;
}

void testReadsSeveralInOne() {
  const std::string list = listed(1, 80, 0, 8, "12345678.cu", "-O1 --compile-only") +
                           listed(2, 90, 16, 4, "1234567", "") + listed(1, 90, 8, 8, "", "-O2");
  const std::string bytes =
      fatBinary(several(list, 3, "eighty..ninety..ELF.....") + entry(1, 75, "alone"));
  const Result<std::vector<FatBinaryEntry>> entries = readFatBinaries(view(bytes));
  CHECK(entries && entries->size() == 4);
  if (!entries || entries->size() != 4)
    return;
  CHECK_EQUAL(describe((*entries)[0]) + " " + *unpack((*entries)[0]), "PTX compute_80 eighty..");
  CHECK_EQUAL((*entries)[0].sourceName + (*entries)[0].options, "12345678.cu-O1 --compile-only");
  CHECK_EQUAL(describe((*entries)[1]) + " " + *unpack((*entries)[1]), "ELF sm_90 ELF.");
  CHECK_EQUAL(describe((*entries)[2]) + " " + *unpack((*entries)[2]), "PTX compute_90 ninety..");
  CHECK_EQUAL((*entries)[2].options, "-O2");
  CHECK_EQUAL(describe((*entries)[3]) + " " + *unpack((*entries)[3]), "PTX compute_75 alone");

  CHECK(!readFatBinaries(view(fatBinary(several(list, 4, "eighty..ninety..ELF.....")))));
  CHECK(!readFatBinaries(view(fatBinary(several(list, 3, "eighty..ninety..")))));
}

void testDamage() {
  const std::string whole = fatBinary(entry(1, 90, ".version 9.0"));
  for (std::size_t length = 17; length < whole.size(); ++length)
    CHECK(!readFatBinaries(view(whole.substr(0, length))));
  CHECK_EQUAL(readFatBinaries(view("just some text here")).message(),
              "not a fat binary, or a damaged one, at byte 0 of 19; was it written by a CUDA "
              "toolkit newer than 13?");

  std::string bomb = entry(1, 90, "compressed", 0x8011);
  put<uint32_t>(bomb, 16, 10);
  put<uint64_t>(bomb, 56, uint64_t(1) << 60);
  const std::string bytes = fatBinary(bomb);
  const Result<std::vector<FatBinaryEntry>> entries = readFatBinaries(view(bytes));
  CHECK(entries && !unpack(entries->front()));
  CHECK_EQUAL(readImages(view("hello"), "notes.txt").message(),
              "cannot read device code from notes.txt: neither an object, an archive, a fat "
              "binary, a cubin nor PTX");
}

void testChoice() {
  using Entries = std::vector<FatBinaryEntry>;
  const auto chosen = [](const Entries& entries, unsigned device) {
    const std::optional<PtxChoice> choice = choosePtx(entries, device);
    return choice ? describe(entries[choice->index]) + (choice->remark.empty() ? "" : "?") : "none";
  };
  CHECK_EQUAL(chosen({ptx(75), ptx(90), ptx(80)}, 90), "PTX compute_90");
  CHECK_EQUAL(chosen({ptx(75), ptx(90), ptx(80)}, 86), "PTX compute_80");
  CHECK_EQUAL(chosen({ptx(90), ptx(100)}, 80), "PTX compute_90?");
  CHECK_EQUAL(chosen({ptx(90), ptx(90, 'a')}, 90), "PTX compute_90a");
  CHECK_EQUAL(chosen({ptx(80), ptx(90, 'a')}, 100), "PTX compute_80");
  CHECK_EQUAL(chosen({ptx(80), ptx(100, 'f')}, 103), "PTX compute_100f");
  CHECK_EQUAL(chosen({}, 90), "none");
  FatBinaryEntry elf;
  elf.kind = ImageKind::Elf;
  elf.sm = 90;
  CHECK_EQUAL(chosen({elf}, 90), "none");
  CHECK_EQUAL(explainMissingPtx({elf}).substr(0, 54),
              "the program carries no PTX for this code, only ELF sm_");
}

void testWrapper() {
  const std::string first = fatBinary(entry(1, 90, "one")), second = fatBinary(entry(1, 75, "two"));
  struct {
    uint32_t magic = 0x466243B1, version = 1;
    const void* data = nullptr;
    const void* more = nullptr;
  } wrapper;
  wrapper.data = first.data();
  const Result<RegisteredBinary> plain = readRegisteredBinary(&wrapper);
  CHECK(plain && !plain->relocatable && plain->units.size() == 1);

  const void* units[] = {second.data(), first.data(), nullptr};
  wrapper.version = 2;
  wrapper.more = units;
  const Result<RegisteredBinary> linked = readRegisteredBinary(&wrapper);
  CHECK(linked && linked->relocatable && linked->units.size() == 2 && linked->linked.size() == 1);
  CHECK(linked && linked->units[0][0].sm == 75);

  wrapper.magic = 0;
  CHECK(!readRegisteredBinary(&wrapper));
  CHECK(!readRegisteredBinary(nullptr));
}

} // namespace

int main() {
  testReadsConcatenatedBinaries();
  testReadsSeveralInOne();
  testDamage();
  testChoice();
  testWrapper();
  return checkResult();
}
