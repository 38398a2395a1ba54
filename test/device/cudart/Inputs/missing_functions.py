"""missing_functions - which functions of a CUDA header a library does not export.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

usage: missing_functions.py <header> <library> <regular expression of a name>
"""
import re
import subprocess
import sys

header, library, pattern = sys.argv[1:]
with open(header, encoding="utf-8") as file:
    declared = set(re.findall(rf"^(?:extern )?\w+ CUDAAPI ({pattern})\s*\(", file.read(), re.M))
table = subprocess.run(["nm", "-D", "--defined-only", library], check=True, capture_output=True,
                       text=True).stdout
exported = {line.split()[-1].split("@")[0] for line in table.splitlines()}
for name in sorted(declared - exported):
    print("missing:", name)
print(len(declared & exported), "exported")
sys.exit(not declared or bool(declared - exported))
