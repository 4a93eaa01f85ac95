// SPDX-License-Identifier: Apache-2.0
//
// Two pictures of the chip's time: what each kernel is bound by (roofline), and
// what lies in on-chip memory meanwhile.
"use strict";

const CHART = { width: 336, height: 190, left: 44, right: 8, top: 10, bottom: 34 };

function chart(id, title, xLabel, yLabel) {
  const { width, height, left, right, top, bottom } = CHART;
  const picture = draw("svg", { id, class: "chart", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": title });
  picture.append(
    draw("path", { class: "axis", d: `M${left} ${top}V${height - bottom}H${width - right}` }),
    draw("text", { class: "label", x: (left + width - right) / 2, y: height - 4, "text-anchor": "middle" }, xLabel),
    draw("text", { class: "label", transform: `translate(10 ${(top + height - bottom) / 2}) rotate(-90)`, "text-anchor": "middle" }, yLabel),
  );
  return picture;
}

// From a range of values to places on an axis.
const scale = (from, to, start, end) => (value) => start + ((value - from) / (to - from || 1)) * (end - start);
const xScale = (from, to) => scale(from, to, CHART.left, CHART.width - CHART.right);
const yScale = (from, to) => scale(from, to, CHART.height - CHART.bottom, CHART.top);

function powersOfTen(from, to) {
  const ticks = [];
  for (let power = Math.ceil(from); power <= Math.floor(to); ++power) ticks.push(power);
  return ticks;
}

const powerText = (power) => (power < -2 || power > 4 ? `1e${power}` : String(10 ** power));

// Of each kernel that multiplies: multiply-adds for each byte of DRAM, and for
// each cycle. The roof is what the array and the DMA could do at most.
function roofline(kernels, chip) {
  const points = kernels
    .map(({ node, kernel }) => ({ node, kernel, x: kernel.macs / Math.max(1, kernel.dram_read_bytes + kernel.dram_written_bytes), y: kernel.macs / kernel.cycles }))
    .filter((point) => point.kernel.macs > 0);
  if (!points.length) return undefined;
  // Of the fastest element type: what a kernel does by what it makes use of.
  const roof = Math.max(chip.macs_per_cycle, ...points.map(({ kernel }) => kernel.macs / kernel.cycles / (kernel.utilisation || Infinity)));
  const ridge = roof / chip.dma_bytes_per_cycle;
  const xs = [...points.map((point) => point.x), ridge].map(Math.log10);
  const ys = [...points.map((point) => point.y), roof].map(Math.log10);
  const [x0, x1] = [Math.min(...xs) - 0.3, Math.max(...xs) + 0.5];
  const [y0, y1] = [Math.min(...ys) - 0.3, Math.max(...ys) + 0.2];
  const [px, py] = [xScale(x0, x1), yScale(y0, y1)];
  const picture = chart("roofline", "roofline", "multiply-adds per byte of DRAM", "multiply-adds per cycle");
  for (const power of powersOfTen(x0, x1)) picture.append(draw("text", { class: "tick", x: px(power), y: CHART.height - CHART.bottom + 12, "text-anchor": "middle" }, powerText(power)));
  for (const power of powersOfTen(y0, y1)) picture.append(draw("text", { class: "tick", x: CHART.left - 4, y: py(power) + 3, "text-anchor": "end" }, powerText(power)));
  const [start, peak] = [Math.max(x0, y0 - Math.log10(chip.dma_bytes_per_cycle)), Math.log10(roof)];
  picture.append(draw("path", { class: "roof", d: `M${px(start)} ${py(start + Math.log10(chip.dma_bytes_per_cycle))}L${px(Math.log10(ridge))} ${py(peak)}H${px(x1)}` }));
  const most = Math.max(...points.map((point) => point.kernel.cycles));
  for (const { node, kernel, x, y } of points) {
    const radius = 2 + 5 * Math.sqrt(kernel.cycles / most);
    const dot = draw("circle", { class: `dot ${kernel.bound.replaceAll(" ", "-")}`, cx: px(Math.log10(x)), cy: py(Math.log10(y)), r: radius });
    dot.append(draw("title", {}, `${kernel.name}: ${numberText(kernel.cycles)} cycles (floor ${numberText(kernel.floor_cycles)}), bound by ${kernel.bound}${kernel.energy_pj ? `, ${numberText(kernel.energy_pj / 1e6)} µJ` : ""}\n${node.node}`));
    dot.addEventListener("click", () => select(node, true));
    picture.append(dot);
  }
  return picture;
}

// On-chip memory over time: values that stay, and on top of them the tiles.
function occupancy(kernels, chip) {
  if (!chip.sram_bytes) return undefined;
  const total = kernels.reduce((sum, { kernel }) => sum + kernel.cycles, 0);
  const [px, py] = [xScale(0, total), yScale(0, chip.sram_bytes)];
  const picture = chart("occupancy", "on-chip memory over time", `cycles, ${numberText(total)} in all`, "on-chip memory");
  const outline = (height) => {
    let [path, at] = [`M${px(0)} ${py(0)}`, 0];
    for (const { kernel } of kernels) {
      path += `V${py(height(kernel))}H${px((at += kernel.cycles))}`;
    }
    return `${path}V${py(0)}Z`;
  };
  picture.append(
    draw("path", { class: "tiles", d: outline((kernel) => kernel.resident_bytes + kernel.tile_bytes) }),
    draw("path", { class: "values", d: outline((kernel) => kernel.resident_bytes) }),
    draw("text", { class: "tick", x: CHART.left - 4, y: py(chip.sram_bytes) + 6, "text-anchor": "end" }, bytesText(chip.sram_bytes).replace(/\.0+ /, " ")),
    draw("text", { class: "tick", x: CHART.left - 4, y: py(0) + 3, "text-anchor": "end" }, "0"),
  );
  picture.addEventListener("click", (event) => {
    const box = picture.getBoundingClientRect();
    const at = (((event.clientX - box.left) / box.width) * CHART.width - CHART.left) / (CHART.width - CHART.left - CHART.right);
    let end = 0;
    const hit = kernels.find(({ kernel }) => (end += kernel.cycles) >= at * total);
    if (hit) select(hit.node, true);
  });
  return picture;
}

function showChip() {
  const kernels = nodes.filter((node) => node.kernel).map((node) => ({ node, kernel: node.kernel }));
  const chip = data.report.chip;
  const section = byId("chip");
  section.append(make("h2", {}, "On the chip"));
  const roof = roofline(kernels, chip);
  if (roof) section.append(roof, make("p", { class: "soft" }, "Each dot a kernel, as large as its time: ", make("b", { class: "dma" }, "DMA"), ", ", make("b", { class: "mac-array" }, "array"), ", ", make("b", { class: "vector-unit" }, "vector unit"), ", or ", make("b", { class: "on-chip-memory" }, "on-chip memory"), " binds. The line is the chip's limit."));
  const memory = occupancy(kernels, chip);
  if (memory) section.append(memory, make("p", { class: "soft" }, make("b", { class: "values" }, "resident values"), " and ", make("b", { class: "tiles" }, "tiles"), ` in ${bytesText(chip.sram_bytes)}. Click for the kernel.`));
}
