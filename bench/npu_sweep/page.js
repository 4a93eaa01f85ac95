// SPDX-License-Identifier: Apache-2.0
//
// The page of npu-sweep: draws the points of one network and batch, and answers clicks.
// Names reach the document as text nodes only.
"use strict";

const data = JSON.parse(document.getElementById("data").textContent);
const rows = data.rows.map((values) => Object.fromEntries(data.columns.map((name, i) => [name, values[i]])));
const $ = (id) => document.getElementById(id);
const settings = data.settings;

// Okabe and Ito's colours; targets and layouts past the eighth begin anew.
const COLOURS = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#7a5fc7", "#7f7f7f"];
const seriesOf = (row) => `${row.target} / ${row.layout}`;
const series = [...new Set(rows.map(seriesOf))];
const colourOf = (row) => COLOURS[series.indexOf(seriesOf(row)) % COLOURS.length];
const groupOf = (row) => JSON.stringify([row.model, row.batch]);
const groups = [...new Set(rows.map(groupOf))];
let kept = null;

// ---- words ---------------------------------------------------------------
function say(name, value) {
  if (value === null) return "";
  if (typeof value !== "number") return String(value);
  if (name === "utilisation") return (100 * value).toFixed(1) + " %";
  return Number.isInteger(value) ? value.toLocaleString("en") : value.toPrecision(4);
}

function short(value) {
  const sizes = [[1e9, "G"], [1e6, "M"], [1e3, "k"]];
  for (const [size, letter] of sizes) if (value >= size) return +(value / size).toPrecision(3) + letter;
  return String(+value.toPrecision(3));
}

/// As a head of columns and axes has it.
function named(name) {
  return data.short_units[name] ? `${name}, ${data.short_units[name]}` : name;
}

const unitOf = (name) => (data.units[name] ? ` (${data.units[name]})` : "");
const chipOf = (row) => settings.map((key) => `${key} ${say(key, row[key])}`).join(", ");

function make(kind, content, attributes) {
  const element = document.createElement(kind);
  if (content !== undefined) element.append(content);
  for (const [key, value] of Object.entries(attributes || {})) element.setAttribute(key, value);
  return element;
}

function draw(parent, kind, attributes, text) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", kind);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (text !== undefined) element.textContent = text;
  parent.append(element);
  return element;
}

// ---- plots ---------------------------------------------------------------
const WIDTH = 440, HEIGHT = 330, LEFT = 58, RIGHT = 14, TOP = 14, BOTTOM = 44;

/// From values to a place between `from` and `to`, with ticks.
function axis(values, from, to, log) {
  let low = Math.min(...values), high = Math.max(...values);
  log = log && low > 0;
  const pad = log ? Math.pow(high / low, 0.05) || 1 : (high - low) * 0.05;
  if (low === high) [low, high] = log ? [low / 2, high * 2] : [low - Math.abs(low) * 0.1 - 1, high + Math.abs(high) * 0.1 + 1];
  else [low, high] = log ? [low / pad, high * pad] : [low - pad, high + pad];
  const scale = log ? Math.log : (value) => value;
  const place = (value) => from + ((scale(value) - scale(low)) / (scale(high) - scale(low))) * (to - from);
  return { place, ticks: ticks(low, high, log) };
}

function ticks(low, high, log) {
  const found = [];
  if (log && high / low > 8) {
    for (let ten = Math.pow(10, Math.floor(Math.log10(low))); ten <= high; ten *= 10)
      for (const digit of [1, 2, 5]) if (ten * digit >= low && ten * digit <= high) found.push(ten * digit);
    return found.length > 7 ? found.filter((_, i) => i % Math.ceil(found.length / 7) === 0) : found;
  }
  const raw = (high - low) / 5, ten = Math.pow(10, Math.floor(Math.log10(raw)));
  const step = ten * [1, 2, 5, 10].find((digit) => digit * ten >= raw);
  for (let value = Math.ceil(low / step) * step; value <= high; value += step) found.push(value);
  return found;
}

function plot(points, horizontal, vertical) {
  const svg = draw($("plots"), "svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": `${horizontal}, ${vertical}` });
  const log = $("log").checked;
  const x = axis(points.map((row) => row[horizontal]), LEFT, WIDTH - RIGHT, log);
  const y = axis(points.map((row) => row[vertical]), HEIGHT - BOTTOM, TOP, log);
  for (const value of x.ticks) {
    draw(svg, "line", { class: "grid", x1: x.place(value), x2: x.place(value), y1: TOP, y2: HEIGHT - BOTTOM });
    draw(svg, "text", { x: x.place(value), y: HEIGHT - BOTTOM + 15, "text-anchor": "middle" }, short(value));
  }
  for (const value of y.ticks) {
    draw(svg, "line", { class: "grid", x1: LEFT, x2: WIDTH - RIGHT, y1: y.place(value), y2: y.place(value) });
    draw(svg, "text", { x: LEFT - 6, y: y.place(value) + 4, "text-anchor": "end" }, short(value));
  }
  draw(svg, "text", { class: "axis", x: (LEFT + WIDTH - RIGHT) / 2, y: HEIGHT - 8, "text-anchor": "middle" }, named(horizontal));
  draw(svg, "text", { class: "axis", transform: `translate(13 ${(TOP + HEIGHT - BOTTOM) / 2}) rotate(-90)`, "text-anchor": "middle" }, named(vertical));
  // The front last, so that nothing hides it.
  for (const row of [...points].sort((a, b) => a.front - b.front)) {
    const at = { cx: x.place(row[horizontal]), cy: y.place(row[vertical]) };
    const mark = draw(svg, "circle", { class: row.front ? "mark front" : "mark", r: row.front ? 5.5 : 4, fill: colourOf(row), "data-point": row.point, ...at });
    mark.addEventListener("pointerenter", (event) => showTip(row, event));
    mark.addEventListener("pointerleave", () => { $("tip").hidden = true; light(kept); });
    mark.addEventListener("click", () => keep(row));
  }
}

// ---- what a point is -----------------------------------------------------
function showTip(row, event) {
  const lines = data.objectives.map((name) => `${name}: ${say(name, row[name])}${unitOf(name)}`);
  $("tip").textContent = [seriesOf(row), ...(settings.length ? [chipOf(row)] : []), ...lines].join("\n");
  $("tip").hidden = false;
  const box = $("tip").getBoundingClientRect();
  $("tip").style.left = Math.min(event.clientX + 14, innerWidth - box.width - 8) + "px";
  $("tip").style.top = Math.min(event.clientY + 14, innerHeight - box.height - 8) + "px";
  light(row);
}

function light(row) {
  for (const element of document.querySelectorAll(".hot")) element.classList.remove("hot");
  if (row) for (const element of document.querySelectorAll(`[data-point="${row.point}"]`)) element.classList.add("hot");
}

function keep(row) {
  kept = kept === row ? null : row;
  light(kept);
  $("details").hidden = !kept;
  $("details").replaceChildren();
  if (!kept) return;
  const list = make("dl");
  for (const name of data.columns) {
    if (row[name] === null || name === "error") continue;
    const pair = make("div");
    pair.append(make("dt", name + unitOf(name)), make("dd", say(name, row[name])));
    list.append(pair);
  }
  $("details").append(list);
}

function fill(table, names, chosen, clicked) {
  table.replaceChildren();
  const head = make("tr"), body = make("tbody");
  const kind = (name) => (chosen.some((row) => typeof row[name] === "number") ? { class: "number" } : {});
  for (const name of names) head.append(make("th", named(name), kind(name)));
  for (const row of chosen) {
    const line = make("tr", undefined, { "data-point": row.point });
    for (const name of names) line.append(make("td", say(name, row[name]), kind(name)));
    if (clicked) line.addEventListener("click", () => clicked(row));
    body.append(line);
  }
  const top = make("thead", head);
  table.append(top, body);
}

function show() {
  kept = null;
  $("details").hidden = true;
  const mine = rows.filter((row) => groupOf(row) === groups[$("group").value]);
  const good = mine.filter((row) => !row.error);
  const front = good.filter((row) => row.front).sort((a, b) => a.cycles - b.cycles || a.point - b.point);
  const failed = mine.filter((row) => row.error);
  $("sums").textContent = `${good.length} points, ${front.length} on the front` + (failed.length ? `, ${failed.length} without a result` : "");
  $("plots").replaceChildren();
  const shown = $("only").checked ? front : good;
  const [first, ...others] = data.objectives;
  if (shown.length) for (const other of others) plot(shown, other, first);
  const chip = ["target", "layout", ...settings];
  fill($("front"), ["point", ...chip, ...data.objectives, "ms", "relayout_cycles", "utilisation"], front, keep);
  $("failures").hidden = !failed.length;
  fill($("failed"), ["point", ...chip, "error"], failed);
}

groups.forEach((group, i) => {
  const [model, batch] = JSON.parse(group);
  $("group").append(make("option", `${model}, ${batch}`, { value: i }));
});
for (const name of series) {
  const swatch = make("i");
  swatch.style.background = COLOURS[series.indexOf(name) % COLOURS.length];
  const entry = make("span");
  entry.append(swatch, name);
  $("legend").append(entry);
}
for (const id of ["group", "log", "only"]) $(id).addEventListener("change", show);
show();
performance.mark("drawn");
