"""listing - the files of a tree, for the checks of this folder.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

In a checkout: what git tracks and what it would not ignore. Elsewhere (the tests' small trees): all.
"""
import pathlib
import subprocess


def files(root: pathlib.Path, suffixes):
    """Sorted names relative to `root`."""
    if (root / ".git").exists():
        names = subprocess.run(["git", "-C", str(root), "ls-files", "-co", "--exclude-standard"],
                               capture_output=True, text=True, check=True).stdout.split("\n")
    else:
        names = [str(path.relative_to(root)) for path in root.rglob("*")]
    return sorted(n for n in names if pathlib.Path(n).suffix in suffixes and (root / n).is_file())
