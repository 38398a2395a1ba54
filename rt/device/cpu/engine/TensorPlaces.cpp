// TensorPlaces.cpp - the placement rules of mma and wmma as tables.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See TensorOp.h for the rules.
#include "rt/device/cpu/engine/TensorPlaces.h"

namespace gpusched::cpu {
namespace {

/// Of Volta's m8n8k4: the lanes with the same lane / 4 % 4 hold one product's matrices.
unsigned quadPlace(const TensorFragment& fragment, bool byColumn, unsigned lane, unsigned number) {
  const unsigned product = lane / 4 % 4, upper = lane < 16 ? 0 : 4, place = lane % 4;
  unsigned row = place + upper, column = number;
  switch (fragment.role) {
  case TensorRole::A:
    if (byColumn)
      row = number + upper, column = place;
    break;
  case TensorRole::B:
    row = byColumn ? number : place;
    column = (byColumn ? place : number) + upper;
    break;
  case TensorRole::C:
    if (fragment.element == TensorElement::F32) {
      row = (lane & 1) + (number & 2) + upper;
      column = (number & 4) + (lane & 2) + (number & 1);
    }
    break;
  }
  return (product * fragment.rows / 4 + row) * fragment.columns + column;
}

/// Element `number` of `lane`, counted through its registers, as row * columns + column.
unsigned place(const TensorFragment& fragment, TensorPlacement placement, unsigned lane,
               unsigned number) {
  if (placement == TensorPlacement::QuadsByRow || placement == TensorPlacement::QuadsByColumn)
    return quadPlace(fragment, placement == TensorPlacement::QuadsByColumn, lane, number);
  if (placement == TensorPlacement::Wmma) {
    const unsigned index = lane * fragment.share() + number % fragment.share();
    const bool byColumn = fragment.role == TensorRole::B && elementBits(fragment.element) < 8;
    return byColumn ? index % fragment.rows * fragment.columns + index / fragment.rows : index;
  }
  const unsigned each = fragment.elementsInRegister();
  const unsigned r = number / each, i = number % each;
  const unsigned group = lane / 4, place = lane % 4;
  switch (fragment.role) {
  case TensorRole::A:
    return (group + 8 * (r % 2)) * fragment.columns + place * each + i + 4 * each * (r / 2);
  case TensorRole::B:
    return (place * each + i + 4 * each * r) * fragment.columns + group;
  case TensorRole::C:
    break;
  }
  return (group + 8 * (number / 2)) * fragment.columns + place * 2 + number % 2;
}

} // namespace

const uint16_t* tensorPlaces(LoadedModule& module, const TensorFragment& fragment,
                             TensorPlacement placement) {
  const LoadedModule::TensorKind kind{
      placement,          fragment.role, fragment.elementsInRegister(),
      fragment.registers, fragment.rows, fragment.columns};
  std::vector<uint16_t>& table = module.tensorPlaces[kind];
  if (table.empty())
    for (unsigned lane = 0; lane < kLanes; ++lane)
      for (unsigned number = 0; number < fragment.held(); ++number)
        table.push_back(static_cast<uint16_t>(place(fragment, placement, lane, number)));
  return table.data();
}

} // namespace gpusched::cpu
