// SPDX-License-Identifier: Apache-2.0
#include "cost/tiling.h"

#include "cost/count.h"
#include "cost/names.h"

#include <algorithm>
#include <cmath>

namespace npu::cost {
namespace {

constexpr std::array<std::string_view, 3> stayNames = {"weights", "data",
                                                       "sums"};

int64_t parts(int64_t extent, int64_t tile) {
  if (tile <= 0 || extent <= 0)
    return 1;
  return extent / tile + (extent % tile != 0 ? 1 : 0);
}

double share(int64_t tile, int64_t extent) {
  return extent > 0 ? static_cast<double>(tile) / static_cast<double>(extent)
                    : 1;
}

/// Of a part that has a share of one extent.
double rowsIn(double share, double rows, double all) {
  return share * (rows > 0 ? rows : all);
}

} // namespace

std::string_view nameOf(Stays stays) {
  return stayNames[static_cast<size_t>(stays)];
}

std::optional<Stays> findStays(std::string_view name) {
  return findByName<Stays>(stayNames, name);
}

const Product *extentsOf(const KernelWork &work) {
  const Product *extents = nullptr;
  if (work.products.size() == 1)
    extents = work.products.data();
  else if (work.products.empty() && work.streamed)
    extents = &*work.streamed;
  return extents && extents->macs() > 0 ? extents : nullptr;
}

bool isValid(const Tiling &tiling, const KernelWork &work) {
  if (tiling.buffers < 1 || tiling.buffers > 2)
    return false;
  const Product *extents = extentsOf(work);
  if (!extents)
    return tiling.pieces >= 1;
  const Product &product = *extents;
  auto within = [](int64_t tile, int64_t extent) {
    return tile >= 1 && tile <= extent;
  };
  return within(tiling.m, product.m) && within(tiling.k, product.k) &&
         within(tiling.n, product.n) && within(tiling.count, product.count) &&
         (product.toPoints <= 0 || tiling.count == product.count);
}

Tiling untiled(const KernelWork &work) {
  const Product *extents = extentsOf(work);
  if (!extents)
    return {};
  const Product &product = *extents;
  return {product.m, product.k, product.n, product.count, Stays::Weights, 1};
}

Cuts cutsOf(const KernelWork &work, const Tiling &tiling) {
  const Product *extents = extentsOf(work);
  if (!extents)
    return {static_cast<double>(tiling.pieces), 1, 1, 1};
  const Product &product = *extents;
  auto along = [](int64_t extent, int64_t tile) {
    return static_cast<double>(parts(extent, tile));
  };
  return {along(product.m, tiling.m), along(product.k, tiling.k),
          along(product.n, tiling.n), along(product.count, tiling.count)};
}

int64_t tileCount(const KernelWork &work, const Tiling &tiling) {
  return counted(cutsOf(work, tiling).tiles());
}

std::string describe(const Tiling &tiling, const KernelWork &work) {
  if (cutsOf(work, tiling).tiles() == 1)
    return "whole";
  const std::string buffers = tiling.buffers == 1 ? ", one buffer" : "";
  const Product *extents = extentsOf(work);
  if (!extents)
    return std::to_string(tiling.pieces) + " pieces" + buffers;
  auto size = [](int64_t m, int64_t k, int64_t n, int64_t count) {
    std::string text =
        std::to_string(m) + "x" + std::to_string(k) + "x" + std::to_string(n);
    return count > 1 ? std::to_string(count) + " of " + text : text;
  };
  const Product &all = *extents;
  return size(tiling.m, tiling.k, tiling.n, tiling.count) + " of " +
         size(all.m, all.k, all.n, all.count) + ", " +
         std::string(nameOf(tiling.stays)) + " stay" + buffers;
}

TileParts::TileParts(const KernelWork &work, const Tiling &tiling)
    : product(extentsOf(work)), tiling(tiling), along(cutsOf(work, tiling)) {
  if (!product)
    return;
  m = share(tiling.m, product->m);
  k = share(tiling.k, product->k);
  n = share(tiling.n, product->n);
  count = share(tiling.count, product->count);
}

TilePart TileParts::of(const Transfer &transfer) const {
  if (!product) {
    bool isWhole = transfer.role == Role::Bias ||
                   (hasRows(transfer) && tiling.stays != Stays::Data);
    return isWhole ? TilePart{1, 1, 1, 1}
                   : TilePart{1 / along.tiles(), 1, along.tiles(), 1};
  }
  double passes = along.k > 1 ? transfer.passes : 1;
  bool weightsStay = tiling.stays == Stays::Weights;
  switch (transfer.role) {
  case Role::Data: {
    // Each channel of a depthwise convolution has its own data.
    if (product->depthwise)
      return {count * m * n, count * n, along.count * along.m * along.n, 1};
    // All of it is in one tile, or it waits for the weights to pass by.
    bool once = tiling.stays == Stays::Data || along.m * along.k == 1;
    return {count * m * k, count * k, along.count * along.m * along.k,
            passes * (once ? 1 : along.n)};
  }
  case Role::Weight:
    return {count * k * n, count * k * n, along.count * along.k * along.n,
            passes * (weightsStay || along.k * along.n == 1 ? 1 : along.m)};
  case Role::Bias:
    return {count * n, count * n, along.count * along.n,
            weightsStay || along.n == 1 ? 1 : along.m};
  case Role::Result:
    break;
  }
  return {count * m * n, count * n, along.count * along.m * along.n, 1};
}

double TileParts::runOf(const Transfer &transfer, const TilePart &part) const {
  bool areRows = transfer.touched > 0 && tiling.stays == Stays::Data;
  double run = std::min(areRows ? transfer.touchedRun : transfer.run,
                        bytesOf(transfer) * part.share);
  if (product) {
    auto cut = [&](bool isCut, double share, double rows) {
      if (isCut)
        run = std::min(run, rowsIn(share, rows, transfer.bytes));
    };
    cut(tiling.count < product->count, count, transfer.rows.count);
    if (transfer.role == Role::Data || transfer.role == Role::Result)
      cut(tiling.m < product->m, m, transfer.rows.m);
    if (transfer.role == Role::Data || transfer.role == Role::Weight)
      cut(tiling.k < product->k, k, transfer.rows.k);
    if (transfer.role != Role::Data || product->depthwise)
      cut(tiling.n < product->n, n, transfer.rows.n);
  }
  return std::max({run, transfer.gathered, transfer.elementBytes});
}

/// Scalars and values for each column: so few that they share banks.
static bool areFew(const Transfer &transfer) {
  return transfer.role == Role::Bias || transfer.bytes <= transfer.elementBytes;
}

/// Of what the kernel reads in this role; 0: nothing.
static double elementBytesOf(const KernelWork &work, Role role) {
  for (const Transfer &read : work.reads)
    if (read.role == role)
      return read.elementBytes;
  return 0;
}

double bufferBytes(const KernelWork &work, const Tiling &tiling,
                   const Machine &machine) {
  double sum = 0, few = 0;
  TileParts parts(work, tiling);
  auto buffers = static_cast<double>(tiling.buffers);
  double bank =
      machine.sramBanks > 0 ? machine.sramKiB * 1024 / machine.sramBanks : 0;
  auto add = [&](double bytes) {
    sum += machine.sramBanks > 0 ? std::ceil(bytes / bank) * bank
                                 : std::ceil(bytes);
  };
  for (const auto *transfers : {&work.reads, &work.writes})
    for (const Transfer &transfer : *transfers) {
      if (transfer.onChip || transfer.bytes <= 0)
        continue;
      TilePart part = parts.of(transfer);
      double bytes = parts.bytesOf(transfer);
      double tile =
          std::min(bytes, bytes * part.share + transfer.halo * part.halo);
      double all = part.pieces > 1 ? buffers * tile : tile;
      if (areFew(transfer))
        few += std::ceil(all);
      else
        add(all);
    }
  add(few);
  const Product *product = extentsOf(work);
  bool hasPoints = product && product->toPoints > 0;
  if (parts.cuts().k > 1 || hasPoints)
    add(sumBytes * static_cast<double>(tiling.m) *
        static_cast<double>(tiling.n) * static_cast<double>(tiling.count));
  if (hasPoints)
    add(elementBytesOf(work, Role::Data) * static_cast<double>(tiling.m) *
        static_cast<double>(tiling.k) * static_cast<double>(tiling.count));
  return sum;
}

bool fits(const KernelWork &work, const Tiling &tiling,
          const Machine &machine) {
  return machine.sramKiB <= 0 ||
         bufferBytes(work, tiling, machine) <= tileCapacity(work, machine);
}

} // namespace npu::cost
