// SPDX-License-Identifier: Apache-2.0
#include "cost/tile_memo.h"

#include <cstring>
#include <vector>

namespace npu::cost {
namespace {

/// So many kernels are kept; what is forgotten is found again.
constexpr size_t mostEntries = 1 << 14;

/// All that a tiling's time and memory depend on, but for the capacity.
class Key {
public:
  Key(const KernelWork &work, const Machine &machine, Goal goal) {
    words.reserve(128);
    add(static_cast<int>(goal));
    for (const MachineNumber &number : machineNumbers)
      add(machine.*number.member);
    visitWords(machine, [&](std::string_view, auto word, auto, auto) {
      add(static_cast<int>(word));
    });
    add(work.elements);
    add(work.factor);
    for (const Product &product : work.products)
      addProduct(product);
    add(work.streamed.has_value());
    if (work.streamed)
      addProduct(*work.streamed);
    for (const auto *transfers : {&work.reads, &work.writes}) {
      add(transfers->size());
      for (const Transfer &transfer : *transfers)
        addTransfer(transfer);
    }
  }

  std::string text() const {
    return {reinterpret_cast<const char *>(words.data()),
            words.size() * sizeof(uint64_t)};
  }

private:
  template <class Number>
  void add(Number number) {
    static_assert(sizeof number <= sizeof(uint64_t));
    uint64_t word = 0;
    std::memcpy(&word, &number, sizeof number);
    words.push_back(word);
  }

  void addProduct(const Product &product) {
    add(product.rate);
    add(product.toPoints);
    for (int64_t number :
         {product.m, product.k, product.n, product.count, product.row,
          product.window, static_cast<int64_t>(product.depthwise)})
      add(number);
  }

  void addTransfer(const Transfer &transfer) {
    for (double number :
         {transfer.bytes, transfer.run, transfer.halo, transfer.elementBytes,
          transfer.gathered, transfer.rows.m, transfer.rows.k, transfer.rows.n,
          transfer.rows.count, transfer.passes, transfer.touched,
          transfer.touchedRun, transfer.rewritten})
      add(number);
    for (int number :
         {static_cast<int>(transfer.role), static_cast<int>(transfer.scattered),
          static_cast<int>(transfer.onChip)})
      add(number);
  }

  std::vector<uint64_t> words;
};

} // namespace

TileMemo::Entry &TileMemo::of(const KernelWork &work, const Machine &machine,
                              Goal goal) {
  if (entries.size() >= mostEntries)
    entries.clear();
  return entries[Key(work, machine, goal).text()];
}

} // namespace npu::cost
