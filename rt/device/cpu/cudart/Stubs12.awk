# Stubs12.awk - libcudart.so.12 in front of libgpusched_cudart.so: one jump for each function.
#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Input: `nm -D --defined-only` of libgpusched_cudart.so. A program that is linked with CUDA 12's
# runtime wants each function as NAME@libcudart.so.12; what it gets is gpusched12_NAME where there
# is one (ApiCuda12.cpp), else 13's NAME. Output: assembly: the jumps, the names of what they lead
# to, and room for its addresses, which BindStubs12.cpp finds: GNU ld writes a broken symbol table
# where one name has a version that is defined and another that is wanted.

{ name = $3; sub(/@.*/, "", name) }
name ~ /^gpusched12_/ { of12[name] = 1; name = substr(name, 12) }
name ~ /^(__)?cuda/ && !(name in seen) { seen[name] = 1; names[++count] = name }

END {
  print ".section .note.GNU-stack, \"\", @progbits\n.text"
  for (i = 1; i <= count; ++i) {
    print ".globl stub_" names[i] "\n.type stub_" names[i] ", @function"
    print ".symver stub_" names[i] ", " names[i] "@@libcudart.so.12"
    print "stub_" names[i] ":\n  endbr64\n  jmp *gpusched_stub_targets+" 8 * (i - 1) "(%rip)"
  }
  print ".section .rodata\n.globl gpusched_stub_names\n.hidden gpusched_stub_names\ngpusched_stub_names:"
  for (i = 1; i <= count; ++i)
    print "  .asciz \"" (("gpusched12_" names[i] in of12) ? "gpusched12_" : "") names[i] "\""
  print "  .byte 0"
  print ".bss\n.globl gpusched_stub_targets\n.hidden gpusched_stub_targets\n.balign 8"
  print "gpusched_stub_targets:\n  .zero " 8 * count
}
