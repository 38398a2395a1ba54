// ClusterPolicy.cpp - the table of policies for several GPUs.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ClusterPolicyList.def is included twice: for the factories' declarations and for the table.
#include "rt/cluster/ClusterPolicy.h"

namespace gpusched::cluster {

#define GPUSCHED_CLUSTER_POLICY(type, name, help) std::unique_ptr<ClusterPolicy> make##type();
#include "rt/cluster/ClusterPolicyList.def"

const std::vector<ClusterPolicyEntry>& clusterPolicyTable() {
  static const std::vector<ClusterPolicyEntry> kTable = {
#define GPUSCHED_CLUSTER_POLICY(type, name, help) {name, help, make##type},
#include "rt/cluster/ClusterPolicyList.def"
  };
  return kTable;
}

Result<std::unique_ptr<ClusterPolicy>> makeClusterPolicy(const std::string& name) {
  std::string names;
  for (const ClusterPolicyEntry& entry : clusterPolicyTable()) {
    if (name == entry.name)
      return entry.make();
    names += (names.empty() ? "" : ", ") + std::string(entry.name);
  }
  return Status::error("no policy '" + name + "' for several GPUs; there are: " + names);
}

} // namespace gpusched::cluster
