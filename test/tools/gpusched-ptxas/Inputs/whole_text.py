"""whole_text - PTX with the limits that another text has at some of its kernels.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

usage: whole_text.py WHOLE.ptx LIMITED.ptx
"""
import re
import sys

HEAD = re.compile(r"^(?:\.(?:visible|weak) )?\.entry ([\w$]+)\([^)]*\)( \.maxnreg \d+)?", re.MULTILINE)

whole, limited = (open(name).read() for name in sys.argv[1:3])
limits = {head[1]: head[2] for head in HEAD.finditer(limited) if head[2]}
assert limits, "no limits"
print(HEAD.sub(lambda head: head[0] + limits.get(head[1], ""), whole), end="")
