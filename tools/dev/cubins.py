"""cubins - are two cubins the same but for the bytes of their string tables?

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Sections, symbols and program headers in order, with all of their fields; not the places in the file, which follow
from the sizes of the string tables, nor the room that they leave in front of aligned sections of a program header.
"""
import collections
import itertools
import struct

NAMES = (".shstrtab", ".strtab")
TABLES = (".symtab", ".nv.merc.symtab")
NO_BITS, ALLOCATED, MERCURY = 8, 2, 0x10000000
MOST_SAID = 200  # characters


class Elf:
    def __init__(self, path):
        with open(path, "rb") as file:
            self.bytes = file.read()
        head = struct.unpack_from("<16sHHIQQQIHHHHHH", self.bytes)
        (_, _, _, _, _, programs, sections, _, _, _, program_count, _, section_count, names) = head
        self.head = head[:5] + head[7:]
        self.sections = [struct.unpack_from("<IIQQQQIIQQ", self.bytes, sections + 64 * index)
                         for index in range(section_count)]
        self.names = [self.text(self.sections[names], section[0]) for section in self.sections]
        self.programs = [self.program(struct.unpack_from("<IIQQQQQQ", self.bytes, programs + 56 * index), programs)
                         for index in range(program_count)]
        self.symbols = list(self.read_symbols())

    def text(self, table, at):
        begin = table[4] + at
        return self.bytes[begin:self.bytes.index(b"\0", begin)].decode()

    def program(self, header, programs):
        """With the sections that it begins and ends with in place of places."""
        kind, flags, place, *addresses, in_file, in_memory, alignment = header
        if place == programs:
            return kind, flags, "headers", in_file, in_memory, alignment
        loaded = [(name, section) for name, section in zip(self.names, self.sections)
                  if section[2] & ALLOCATED and not section[2] & MERCURY]
        inside = [name for name, section in loaded
                  if section[1] != NO_BITS and place <= section[4] < place + in_file]
        ends = inside or [name for name, section in loaded if section[4] == place]
        return kind, flags, ends[0], ends[-1], *addresses, in_memory - in_file, alignment

    def content(self, index):
        section = self.sections[index]
        return b"" if section[1] == NO_BITS else self.bytes[section[4]:section[4] + section[5]]

    def shared(self):
        """Sections that have the same bytes of the file."""
        sharers = collections.defaultdict(list)
        for name, section in zip(self.names, self.sections):
            if section[5] and section[1] != NO_BITS:
                sharers[section[4:6]].append(name)
        return (names for names in sharers.values() if len(names) > 1)

    def read_symbols(self):
        for table in (section for name, section in zip(self.names, self.sections) if name in TABLES):
            for at in range(table[4], table[4] + table[5], 24):
                name, *rest = struct.unpack_from("<IBBHQQ", self.bytes, at)
                yield self.text(self.sections[table[6]], name), *rest

    def facts(self):
        yield "header", self.head
        for name, section in zip(self.names, self.sections):
            yield name, section[1:4] + section[6:] + ((0,) if name in NAMES else section[5:6])
        yield from (("symbol", symbol) for symbol in self.symbols)
        yield from (("program header", program) for program in self.programs)
        yield from (("bytes of several", names) for names in self.shared())
        yield from ((name, self.content(index)) for index, name in enumerate(self.names)
                    if name not in NAMES + TABLES)


def first_difference(one, other):
    """Of two files; None where they are the same."""
    for mine, theirs in itertools.zip_longest(Elf(one).facts(), Elf(other).facts()):
        if mine != theirs:
            return f"one has {str(mine)[:MOST_SAID]}, the other {str(theirs)[:MOST_SAID]}"
    return None
