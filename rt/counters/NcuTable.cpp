// NcuTable.cpp - CSV, number formats, and the two page layouts.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/counters/NcuTable.h"

#include "rt/counters/MetricTable.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <optional>
#include <tuple>

namespace gpusched {
namespace {

using Row = std::vector<std::string>;

constexpr size_t kAbsent = size_t(-1);

/// Labels of the details page, where metrics have no other name.
const std::map<std::string, std::string> kLabels = {
    {"Duration", "time_ns"},
    {"Eligible Warps Per Scheduler", "epc_per_scheduler"},
    {"Issue Slots Busy", "issue_active_pct"},
    {"Executed Ipc Active", "ipc"},
    {"Achieved Occupancy", "occupancy_pct"},
    {"DRAM Throughput", "dram_pct"},
    {"L1/TEX Hit Rate", "l1_hit_pct"},
    {"L2 Hit Rate", "l2_hit_pct"},
    {"Registers Per Thread", kRegistersPerThread},
    {"Static Shared Memory Per Block", kStaticSharedBytes},
};

/// Names that are about the launch, not counters.
const std::map<std::string, std::string> kLaunchNames = {
    {"launch__registers_per_thread", kRegistersPerThread},
    {"launch__shared_mem_per_block_static", kStaticSharedBytes},
    {"launch__waves_per_multiprocessor", "waves_per_sm"},
    {"launch__occupancy_limit_registers", "limit_registers"},
    {"launch__occupancy_limit_shared_mem", "limit_shared"},
    {"launch__occupancy_limit_warps", "limit_warps"},
    {"launch__occupancy_limit_blocks", "limit_blocks"},
};

std::string ourName(const std::string& metric) {
  if (std::string name = nameOfCounter(metric); !name.empty())
    return name;
  for (const auto* names : {&kLabels, &kLaunchNames})
    if (auto found = names->find(metric); found != names->end())
      return found->second;
  return metric;
}

size_t column(const Row& header, const char* name) {
  auto found = std::find(header.begin(), header.end(), name);
  return found == header.end() ? kAbsent : size_t(found - header.begin());
}

/// Some locales group digits by a space of some kind or an apostrophe, which mark nothing else.
std::string withoutGrouping(std::string cell) {
  for (const char* group : {" ", "'", "\u00a0", "\u2009", "\u202f", "\u2019"})
    for (size_t at = 0; (at = cell.find(group, at)) != std::string::npos;)
      cell.erase(at, std::string(group).size());
  return cell;
}

bool looksNumeric(const std::string& cell) {
  return !cell.empty() && cell.find_first_not_of("0123456789.,+-eE") == std::string::npos &&
         cell.find_first_of("0123456789") != std::string::npos;
}

/// True when the cell can only have `mark` as its decimal mark.
bool certainly(const std::string& cell, char mark) {
  size_t last = cell.rfind(mark);
  if (last == std::string::npos || cell.find(mark) != last)
    return false;
  size_t other = cell.find(mark == '.' ? ',' : '.');
  size_t digits = cell.find_first_not_of("0123456789", last + 1);
  digits = (digits == std::string::npos ? cell.size() : digits) - last - 1;
  return (other != std::string::npos && other < last) || digits != 3 || cell[0] == '0';
}

/// Only counters' cells are asked: CC is "9.0" in every locale.
char decimalMark(const std::vector<Row>& rows, size_t header) {
  const Row& names = rows[header];
  const size_t value = column(names, "Metric Value");
  for (size_t i = header + 1; i < rows.size(); ++i)
    for (size_t j = 0; j < std::min(names.size(), rows[i].size()); ++j)
      for (char mark : {'.', ','})
        if (const std::string cell = withoutGrouping(rows[i][j]);
            (j == value || names[j].find("__") != std::string::npos) && looksNumeric(cell) &&
            certainly(cell, mark))
          return mark;
  return '.';
}

std::optional<double> number(std::string cell, char mark) {
  cell = withoutGrouping(std::move(cell));
  if (!looksNumeric(cell))
    return std::nullopt; // n/a, nan, text
  std::erase(cell, mark == '.' ? ',' : '.');
  std::replace(cell.begin(), cell.end(), ',', '.');
  char* end = nullptr;
  double value = std::strtod(cell.c_str(), &end);
  if (end != cell.c_str() + cell.size() || !std::isfinite(value))
    return std::nullopt;
  return value;
}

/// What a value in `unit` is multiplied by to be in ns, bytes, Hz or percent.
double scaleOf(const std::string& unit) {
  static const std::map<std::string, double> kScales = {
      {"us", 1e3},       {"usecond", 1e3},      {"ms", 1e6},           {"msecond", 1e6},
      {"s", 1e9},        {"second", 1e9},       {"Kbyte", 1e3},        {"Mbyte", 1e6},
      {"Gbyte", 1e9},    {"Kbyte/s", 1e3},      {"Mbyte/s", 1e6},      {"Gbyte/s", 1e9},
      {"Tbyte/s", 1e12}, {"Kbyte/second", 1e3}, {"Mbyte/second", 1e6}, {"Gbyte/second", 1e9},
      {"Khz", 1e3},      {"Mhz", 1e6},          {"Ghz", 1e9}};
  auto found = kScales.find(unit);
  return found == kScales.end() ? 1 : found->second;
}

/// Product of "(256, 1, 1)" or "256x1x1".
uint64_t extent(const std::string& text) {
  uint64_t product = 1, value = 0;
  bool digits = false, any = false;
  for (char c : text + ",") {
    if (c >= '0' && c <= '9') {
      value = value * 10 + uint64_t(c - '0');
      digits = any = true;
    } else if (digits) {
      product *= value;
      value = 0;
      digits = false;
    }
  }
  return any ? product : 0;
}

/// "void ns::scale<float>(float *, int)" -> "ns::scale<float>".
std::string withoutSignature(std::string name) {
  if (!name.empty() && name.back() == ')') {
    int depth = 0;
    for (size_t i = name.size(); i-- > 0;) {
      depth += name[i] == ')' ? 1 : name[i] == '(' ? -1 : 0;
      if (depth == 0) {
        name.resize(i);
        break;
      }
    }
  }
  if (name.rfind("void ", 0) == 0)
    name.erase(0, 5);
  return name;
}

/// One launch's values, gathered into its kernel and shape.
class Gatherer {
public:
  Gatherer(const Row& header, char mark)
      : kernel_(column(header, "Kernel Name")), block_(column(header, "Block Size")),
        grid_(column(header, "Grid Size")), id_(column(header, "ID")), mark_(mark) {}

  bool usable() const { return kernel_ != kAbsent; }

  void add(const Row& row, const std::string& metric, const std::string& unit,
           const std::string& cell) {
    std::optional<double> value = number(cell, mark_);
    Sums& sums = sumsOf(row);
    if (!value)
      return;
    auto& [sum, count] = sums.values[ourName(metric)];
    sum += *value * scaleOf(unit);
    ++count;
  }

  std::vector<KernelMeasurement> kernels() const {
    std::vector<KernelMeasurement> kernels;
    for (const auto& [key, sums] : sums_) {
      KernelMeasurement kernel;
      std::tie(kernel.kernel, kernel.threadsPerBlock, kernel.blocks) = key;
      kernel.launches = sums.launches.size();
      for (const auto& [metric, sum] : sums.values)
        kernel.values[metric] = sum.first / double(sum.second);
      if (auto time = kernel.values.find("time_ns"); time != kernel.values.end())
        kernel.timesUs = {time->second / 1000};
      kernels.push_back(std::move(kernel));
    }
    return kernels;
  }

private:
  using Key = std::tuple<std::string, uint32_t, uint64_t>;
  struct Sums {
    std::map<std::string, std::pair<double, size_t>> values;
    std::map<std::string, bool> launches;
  };

  static const std::string& cellOf(const Row& row, size_t index) {
    static const std::string kNone;
    return index < row.size() ? row[index] : kNone;
  }

  Sums& sumsOf(const Row& row) {
    Sums& sums = sums_[{withoutSignature(cellOf(row, kernel_)),
                        uint32_t(extent(cellOf(row, block_))), extent(cellOf(row, grid_))}];
    sums.launches[cellOf(row, id_)] = true;
    return sums;
  }

  size_t kernel_, block_, grid_, id_;
  char mark_;
  std::map<Key, Sums> sums_;
};

bool isHeader(const Row& row) {
  return column(row, "ID") != kAbsent && column(row, "Kernel Name") != kAbsent;
}

void gatherLong(const std::vector<Row>& rows, size_t header, Gatherer& gatherer) {
  size_t metric = column(rows[header], "Metric Name"), unit = column(rows[header], "Metric Unit"),
         value = column(rows[header], "Metric Value");
  for (size_t i = header + 1; i < rows.size(); ++i)
    if (rows[i].size() > std::max(value, metric) && !rows[i][metric].empty())
      gatherer.add(rows[i], rows[i][metric], unit < rows[i].size() ? rows[i][unit] : "",
                   rows[i][value]);
}

void gatherWide(const std::vector<Row>& rows, size_t header, Gatherer& gatherer) {
  const Row& names = rows[header];
  // The row of units has no launch id.
  bool hasUnits = header + 1 < rows.size() && rows[header + 1][column(names, "ID")].empty();
  const Row units = hasUnits ? rows[header + 1] : Row(names.size());
  for (size_t i = header + (hasUnits ? 2 : 1); i < rows.size(); ++i)
    for (size_t j = 0; j < std::min(names.size(), rows[i].size()); ++j)
      if (names[j].find("__") != std::string::npos) // not ID, Kernel Name, CC, ...
        gatherer.add(rows[i], names[j], j < units.size() ? units[j] : "", rows[i][j]);
}

} // namespace

std::vector<std::vector<std::string>> csvRows(const std::string& text) {
  std::vector<Row> rows;
  Row row;
  std::string cell;
  bool quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (quoted && c == '"' && i + 1 < text.size() && text[i + 1] == '"')
      cell += text[i++];
    else if (c == '"')
      quoted = !quoted;
    else if (!quoted && (c == ',' || c == '\n')) {
      row.push_back(std::move(cell));
      cell.clear();
      if (c == '\n') {
        rows.push_back(std::move(row));
        row.clear();
      }
    } else if (c != '\r')
      cell += c;
  }
  if (!cell.empty() || !row.empty()) { // no line end at the end
    row.push_back(std::move(cell));
    rows.push_back(std::move(row));
  }
  return rows;
}

Result<MeasurementFile> measurementFromNcu(const std::string& text) {
  // The program's own output comes before the table and may hold single quotes of any kind.
  size_t start = text.rfind("\"ID\",");
  std::vector<Row> rows = csvRows(start == std::string::npos ? text : text.substr(start));
  auto header = std::find_if(rows.begin(), rows.end(), isHeader);
  if (header == rows.end())
    return Status::error(
        "no table of Nsight Compute (no row with ID and Kernel Name); make it with "
        "ncu --csv --page raw --print-units base");
  size_t at = size_t(header - rows.begin());
  Gatherer gatherer(*header, decimalMark(rows, at));
  if (column(*header, "Metric Name") != kAbsent)
    gatherLong(rows, at, gatherer);
  else
    gatherWide(rows, at, gatherer);
  MeasurementFile file;
  file.source = "ncu";
  file.kernels = gatherer.kernels();
  if (file.kernels.empty())
    return Status::error("the table of Nsight Compute has no kernel");
  return file;
}

} // namespace gpusched
