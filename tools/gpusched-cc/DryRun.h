// DryRun.h - `--dryrun` on rewritten copies, for tools that run nvcc's commands themselves.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// sccache never runs nvcc on a source: it asks `nvcc --dryrun` for the commands, runs those, and
// caches each. A dry run of the original would lose the transform without a word. So under sccache
// the copies are written where they can stay, and nvcc lists the commands that compile those.
#pragma once

#include "tools/gpusched-cc/CommandLine.h"
#include "tools/gpusched-cc/OwnOptions.h"
#include "tools/gpusched-cc/Process.h"

namespace gpusched::cc {

/// True for a dry run of one compile to an object that is to list our commands: asked for with
/// --gpusched-dryrun, or started by sccache.
bool listsOurCommands(const OwnOptions& own, const CommandLine& line);

/// The nvcc command that lists them; `original` when there is nothing to transform or it fails.
/// Writes the copies to a folder of the profile store that is named after the command, so the same
/// compile finds the same names again, and is safe to run side by side.
Command dryRunCommand(const OwnOptions& own, const CommandLine& line, const Command& original);

} // namespace gpusched::cc
