"""compare_options.py NVCC_HELP TABLE: every option of nvcc's help is in the table of
--gpusched-options, with the same short name, and takes a value there exactly when nvcc says so."""
import re
import sys

OPTION = re.compile(r"(--[\w-]+)(.*?)\s+(?:\((-[\w-]+)\)|(--[\w-]+))\s*$")
ROW = re.compile(r"\| `(--[\w-]+)` \| `(--?[\w-]+)` \| (\w*) \| (read|passed on|nvcc alone) \| .* \|$")


def rows(path, pattern):
    lines = open(path).read().splitlines()
    return [match.groups() for match in map(pattern.match, lines) if match]


# nvcc's help names no value for this one, and wants one.
UNSAID = {"--dependency-output": ("-MF", True)}
helped = {name: (short or same, bool(value.strip())) for name, value, short, same in rows(sys.argv[1], OPTION)} | UNSAID
table = {name: (short, bool(value)) for name, short, value, _ in rows(sys.argv[2], ROW)}
wrong = [f"{name}: nvcc says {entry}, the table {table.get(name)}"
         for name, entry in helped.items() if table.get(name) != entry]
print("\n".join(wrong) or f"{len(helped)} options agree")
sys.exit(bool(wrong) or len(helped) < 100)
