// SPDX-License-Identifier: Apache-2.0
//
// The page of --emit=html: draws the data block and answers clicks. Text from
// the model reaches the document as text nodes only.
"use strict";

// ---- the data ----------------------------------------------------------
const data = JSON.parse(document.getElementById("data").textContent);
const nodes = data.nodes;
const edges = [];
nodes.forEach((node, i) => {
  node.index = i;
  node.operands.forEach((operand) => {
    if (operand.from !== undefined) edges.push({ from: operand.from, to: i, tensor: operand });
  });
  node.from = node.operands.filter((operand) => operand.from !== undefined).map((operand) => operand.from);
  node.moved = node.kind === "relayout";
  node.pill = node.moved || node.kind === "view" || node.kind === "constant";
  const letters = node.pill ? 8.3 : 0;
  node.width = node.pill ? Math.max(90, pillText(node).length * letters + 24) : 196;
  node.height = node.pill ? 24 : 42;
});

// Okabe and Ito's colours, without the one that is near the red of relayouts.
const COLOURS = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#8c6d1f", "#7a5fc7", "#7f7f7f"];
const uses = new Map();
for (const node of nodes)
  for (const tensor of node.results.length ? node.results : node.operands) uses.set(tensor.layout, (uses.get(tensor.layout) || 0) + 1);
const layouts = [...uses.keys()].sort((a, b) => uses.get(b) - uses.get(a) || (a < b ? -1 : 1));
const FIXED = { NCHW: 0, NHWC: 1, NCHW16c: 2, NCHW8c: 3 };
const colourOf = new Map();
let free = 4;
for (const layout of layouts) colourOf.set(layout, layout in FIXED ? COLOURS[FIXED[layout]] : COLOURS[free++ % COLOURS.length]);

function layoutOf(node) {
  const tensor = node.results[0] || node.operands[0];
  return tensor ? tensor.layout : "";
}

function pillText(node) {
  if (node.kind === "relayout") return `${node.relayout.from} → ${node.relayout.to}`;
  return node.kind === "view" ? `${node.op}, free` : node.op;
}

function opText(node) {
  if (!node.body) return node.op;
  const ops = node.body.map((one) => one.op);
  return ops.length > 3 ? `${ops[0]} + ${ops[1]} + … ${ops.length}` : ops.join(" + ");
}

function shorten(text, letters, fromEnd) {
  if (text.length <= letters) return text;
  return fromEnd ? "…" + text.slice(1 - letters) : text.slice(0, letters - 1) + "…";
}

// ---- words -------------------------------------------------------------
function bytesText(bytes) {
  const units = ["B", "KiB", "MiB", "GiB"];
  let unit = 0;
  let size = bytes;
  while (size >= 1024 && unit < 3) [size, unit] = [size / 1024, unit + 1];
  return unit ? `${size.toFixed(size < 10 ? 2 : 1)} ${units[unit]}` : `${bytes} B`;
}

const numberText = (value) => (Number.isInteger(value) ? value : Number(value.toPrecision(6))).toLocaleString("en");

function scalarText(key, value) {
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value !== "number") return String(value);
  return key.endsWith("bytes") ? bytesText(value) : numberText(value);
}

const keyText = (key) => key.replace(/_/g, " ");
const tensorText = (tensor) => `${tensor.type} ${tensor.shape.join(" × ") || "scalar"}, ${tensor.layout}, ${bytesText(tensor.bytes)}`;

// ---- elements ----------------------------------------------------------
const byId = (id) => document.getElementById(id);

function make(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes || {})) key === "onclick" ? (element.onclick = value) : element.setAttribute(key, value);
  element.append(...children);
  return element;
}

function draw(tag, attributes, text) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const key in attributes) element.setAttribute(key, attributes[key]);
  if (text !== undefined) element.textContent = text;
  return element;
}

const FIRST = ["value", "from", "to", "bytes", "cost", "forced_by", "rule", "name", "op", "operand", "implementation"];
const place = (key) => (FIRST.includes(key) ? FIRST.indexOf(key) : FIRST.length);

// Any JSON value as a description list: fields that a newer npuc writes appear
// by themselves, after those that a reader wants first.
function describe(value, skip = []) {
  const list = make("dl");
  for (const [key, part] of Object.entries(value).sort((a, b) => place(a[0]) - place(b[0]))) {
    if (skip.includes(key) || part === "" || (Array.isArray(part) && !part.length)) continue;
    const shown = part === null ? "none" : typeof part !== "object" ? scalarText(key, part) : Array.isArray(part) ? listOf(part) : describe(part);
    list.append(make("dt", {}, keyText(key)), make("dd", {}, shown));
  }
  return list;
}

function listOf(parts) {
  if (parts.every((part) => typeof part !== "object")) return parts.join(", ");
  return make("div", {}, ...parts.map((part) => describe(part)));
}

// ---- the drawing -------------------------------------------------------
const svg = d3.select("#graph");
const elements = [];
let size;

function drawNode(node) {
  const moved = node.moved ? ` ${node.relayout.kind}` : "";
  const slow = node.kernel && node.kernel.slow ? " slow" : "";
  const place = node.processor ? " processor" : "";
  const group = draw("g", { class: `node ${node.kind}${moved}${slow}${place}`, "data-index": node.index, transform: `translate(${node.x},${node.y})` });
  const colour = colourOf.get(layoutOf(node)) || "#7f7f7f";
  const [w, h] = [node.width, node.height];
  const round = node.kind === "op" ? 5 : h / 2;
  const rect = draw("rect", { x: -w / 2, y: -h / 2, width: w, height: h, rx: round });
  if (!node.moved) rect.setAttribute("stroke", colour);
  if (!node.pill) rect.setAttribute("fill", tint(colour));
  group.append(rect, draw("title", {}, node.node || opText(node)));
  if (node.pill) {
    group.append(draw("text", { class: "op", y: 4 }, pillText(node)));
    return group;
  }
  const inset = node.kind === "op" ? 8 : 16;
  const layout = shorten(layoutOf(node), 9);
  group.append(draw("text", { class: "op", x: inset - w / 2, y: -4 }, shorten(opText(node), 22 - layout.length / 2)));
  group.append(draw("text", { class: "layout", x: w / 2 - inset, y: 13 }, layout));
  group.append(draw("text", { class: "name", x: inset - w / 2, y: 13 }, shorten(node.name || node.node, (node.kind === "op" ? 25 : 22) - layout.length, true)));
  return group;
}

// The colour on white, light enough for dark text.
function tint(colour) {
  const mix = (at) => Math.round(255 - (255 - parseInt(colour.slice(at, at + 2), 16)) * 0.2);
  return `rgb(${mix(1)},${mix(3)},${mix(5)})`;
}

function drawEdge(edge, widest) {
  const to = nodes[edge.to];
  const kind = to.kind === "view" ? " view" : to.moved ? " relayout" : "";
  const width = 1.2 + 5.3 * Math.sqrt(edge.tensor.bytes / widest);
  const path = draw("path", { class: `edge${kind}`, d: edge.path, "stroke-width": width.toFixed(2) });
  if (!to.moved) path.setAttribute("stroke", colourOf.get(edge.tensor.layout) || "#7f7f7f");
  if (to.kind === "view") path.setAttribute("stroke-dasharray", `0.1 ${(width + 3).toFixed(1)}`);
  return path;
}

function drawGraph() {
  const box = byId("graph").getBoundingClientRect();
  size = arrange(nodes, edges, box.width / Math.max(1, box.height));
  const widest = edges.reduce((most, edge) => Math.max(most, edge.tensor.bytes), 1);
  const drawn = document.createDocumentFragment();
  const clickable = document.createDocumentFragment();
  edges.forEach((edge, i) => {
    drawn.append(drawEdge(edge, widest));
    clickable.append(draw("path", { class: "hit", d: edge.path, "data-edge": i }));
  });
  byId("edges").append(drawn, clickable);
  for (const node of nodes) elements.push(drawNode(node));
  byId("nodes").append(...elements);
}

// ---- zoom --------------------------------------------------------------
const zoom = d3.zoom().scaleExtent([0.02, 4]).on("zoom", () => {
  const transform = d3.zoomTransform(svg.node());
  byId("view").setAttribute("transform", transform);
  byId("view").setAttribute("class", transform.k < 0.14 ? "far tiny" : transform.k < 0.55 ? "far" : "");
});

function fit() {
  const box = byId("graph").getBoundingClientRect();
  const k = Math.min((box.width - 40) / size.width, (box.height - 90) / size.height, 1.2);
  const transform = d3.zoomIdentity.translate((box.width - size.width * k) / 2, 60 + (box.height - 80 - size.height * k) / 2).scale(k);
  svg.call(zoom.transform, transform);
}

function centre(node) {
  const box = byId("graph").getBoundingClientRect();
  const k = Math.max(0.9, d3.zoomTransform(svg.node()).k);
  svg.transition().duration(250).call(zoom.transform, d3.zoomIdentity.translate(box.width / 2 - node.x * k, box.height / 2 - node.y * k).scale(k));
}

// ---- the panel ---------------------------------------------------------
function showHeader() {
  document.title = `${data.model} – npuc`;
  byId("model").textContent = data.model;
  byId("plan").textContent = `${data.report.target}, --layout=${data.report.layout}, npuc ${data.report.npuc_version}`;
}

// The first object in the report, at any depth, that has the key.
function findWith(value, key) {
  if (value === null || typeof value !== "object") return undefined;
  if (!Array.isArray(value) && key in value) return value;
  for (const part of Object.values(value)) {
    const found = findWith(part, key);
    if (found) return found;
  }
  return undefined;
}

const moves = nodes.filter((node) => node.moved).sort((a, b) => b.relayout.cost - a.relayout.cost || a.index - b.index);

function showTotals() {
  const views = nodes.filter((node) => node.kind === "view").length;
  const cost = moves.reduce((sum, node) => sum + node.relayout.cost, 0);
  const search = findWith(data.report, "proved");
  const rows = [
    ["relayouts", `${numberText(moves.length)} (${data.report.relayouts.boundary_count} at the boundary)`],
    ["bytes moved", bytesText(data.report.relayouts.bytes)],
    ["their cost", `${numberText(Math.round(cost))} cycles`],
    ["proved", search ? (search.proved ? `yes, by ${search.method}` : `no, at least ${numberText(search.lower_bound)}`) : "no (a rule decided, not a search)"],
    ["free views", numberText(views)],
    ["kernels", numberText(nodes.filter((node) => node.kernel).length)],
    ...(data.report.fallback ? [["on the processor", `${numberText(nodes.filter((node) => node.processor).length)} (${data.report.fallback})`]] : []),
    ["memory", `${bytesText(data.report.memory.arena_bytes)} arena, ${bytesText(data.report.memory.weight_bytes)} weights`],
  ];
  const table = make("table", { id: "sums" });
  for (const [key, value] of rows) table.append(make("tr", {}, make("th", {}, key), make("td", {}, value)));
  byId("totals").append(make("h2", {}, "Totals"), table);
}

function legendLine(text, attributes) {
  const line = draw("svg", { viewBox: "0 0 30 12" });
  line.append(draw("path", { class: "key", d: "M1 6H29", fill: "none", stroke: "#4a5563", ...attributes }));
  return make("span", { class: "key" }, line, text);
}

function showLegend() {
  const section = byId("legend");
  section.append(make("h2", {}, "Layouts"));
  for (const layout of layouts) {
    const swatch = make("span", { class: "swatch" });
    swatch.style.borderColor = colourOf.get(layout);
    swatch.style.background = tint(colourOf.get(layout));
    section.append(make("button", { class: "plain", title: "show these only", onclick: () => searchFor(layout) }, swatch, `${layout || "(none)"} `, make("span", { class: "soft" }, `× ${uses.get(layout)}`)));
  }
  section.append(
    legendLine("data is moved: a relayout", { stroke: "#c8102e", "stroke-width": 4 }),
    legendLine("free view: no byte moves", { "stroke-width": 3, "stroke-dasharray": "0.1 6", "stroke-linecap": "round" }),
    legendLine("the thicker, the more bytes", { "stroke-width": 6 }),
    ...(data.report.fallback ? [legendLine("runs on the processor beside the chip", { "stroke-width": 4, "stroke-dasharray": "8 4" })] : []),
  );
}

function showMoves() {
  const section = byId("relayouts");
  section.append(make("h2", {}, moves.length ? "Relayouts, the dearest first" : "No relayouts"));
  for (const node of moves)
    section.append(
      make(
        "button",
        { class: "plain", onclick: () => select(node, true) },
        make("span", { class: "cost" }, bytesText(node.relayout.bytes)),
        `${node.relayout.from} → ${node.relayout.to}`,
        make("small", {}, node.relayout.reason || node.relayout.value),
      ),
    );
}

function showRest() {
  const rest = make("details", {}, make("summary", {}, "The whole report"));
  // Made when it is asked for: lists of it are as long as the network.
  rest.addEventListener("toggle", () => rest.childElementCount > 1 || rest.append(describe(data.report)));
  byId("rest").append(rest);
}

// The operands or results of a node.
function tensorRows(title, tensors) {
  if (!tensors.length) return [];
  const table = make("table");
  for (const tensor of tensors) {
    const source = nodes[tensor.from];
    const link = source && make("button", { class: "plain soft", onclick: () => select(source, true) }, `from ${source.node || opText(source)}`);
    table.append(make("tr", {}, make("th", {}, tensor.role || ""), make("td", {}, tensorText(tensor), ...(link ? [make("br"), link] : []))));
  }
  return [make("h2", {}, title), table];
}

function fixText(fix) {
  if (typeof fix === "string") return fix;
  if (fix === null) return "no single change was found that removes it";
  const saved = fix.saves_bytes === undefined ? "" : `: saves ${bytesText(fix.saves_bytes)}`;
  return `${fix.change}${saved}`;
}

function moveRows(move) {
  const rows = [make("p", { class: "reason" }, move.reason)];
  if (move.fix !== undefined) rows.push(make("p", {}, make("b", {}, "To remove it: "), fixText(move.fix)));
  rows.push(describe(move, ["reason", "fix", "node", "kind"]));
  return rows;
}

let selected = null;

function select(node, move) {
  if (selected) elements[selected.index].classList.remove("selected");
  selected = node;
  const details = byId("details");
  details.hidden = !node;
  details.classList.toggle("moved", Boolean(node && node.moved));
  if (!node) return;
  elements[node.index].classList.add("selected");
  const title = node.moved ? `${node.relayout.kind}: ${pillText(node)}` : node.kind === "view" ? `free view: ${node.op}` : opText(node);
  const rows = [make("button", { class: "plain close", title: "close (Esc)", onclick: () => select(null) }, "✕"), make("h2", {}, title)];
  if (node.node) rows.push(make("p", { class: "soft" }, node.node));
  if (node.moved) rows.push(...moveRows(node.relayout));
  if (node.kernel) rows.push(describe(node.kernel, ["node", "op"]));
  rows.push(...tensorRows("Operands", node.operands), ...tensorRows(node.results.length > 1 ? "Results" : "Result", node.results));
  if (node.body) rows.push(make("h2", {}, "Computes"), ...node.body.map((one) => make("div", {}, one.op, " ", make("span", { class: "soft" }, one.node))));
  details.replaceChildren(...rows);
  document.querySelector("aside").scrollTop = 0;
  if (move) centre(node);
}

// ---- search ------------------------------------------------------------
const haystack = nodes.map((node) => {
  const words = [node.kind, node.op, node.node, ...(node.body || []).flatMap((one) => [one.op, one.node])];
  for (const tensor of [...node.operands, ...node.results]) words.push(tensor.layout);
  if (node.kernel) words.push(node.kernel.name, node.kernel.implementation, node.kernel.slow ? "slow" : "");
  if (node.processor) words.push("processor");
  if (node.moved) words.push("relayout", node.relayout.value, node.relayout.reason);
  return words.join("\n").toLowerCase();
});
let matches = [];
let atMatch = -1;

function search() {
  const words = byId("search").value.trim().toLowerCase().split(/\s+/).filter(Boolean);
  matches = words.length ? nodes.filter((node) => words.every((word) => haystack[node.index].includes(word))) : [];
  atMatch = -1;
  byId("view").parentNode.classList.toggle("filtered", words.length > 0);
  for (const element of byId("nodes").querySelectorAll(".match")) element.classList.remove("match");
  for (const node of matches) elements[node.index].classList.add("match");
  byId("found").textContent = words.length ? `${matches.length} found` : "";
}

function searchFor(text) {
  byId("search").value = byId("search").value === text ? "" : text;
  search();
}

function step(list, node, by) {
  if (!list.length) return;
  const at = list.indexOf(node);
  select(list[(at < 0 ? (by > 0 ? 0 : list.length - 1) : at + by + list.length) % list.length], true);
}

function nextMatch() {
  if (!matches.length) return;
  atMatch = (atMatch + 1) % matches.length;
  select(matches[atMatch], true);
}

// ---- events ------------------------------------------------------------
function onClick(event) {
  const node = event.target.closest(".node");
  if (node) return select(nodes[node.dataset.index]);
  const edge = event.target.closest(".hit");
  if (!edge) return select(null);
  const { from, to } = edges[edge.dataset.edge];
  return select(nodes[to].pill ? nodes[to] : nodes[from]);
}

const inOrder = moves.slice().sort((a, b) => a.index - b.index);
const KEYS = { n: () => step(inOrder, selected, 1), p: () => step(inOrder, selected, -1), f: fit, "/": () => byId("search").focus() };

function onKey(event) {
  if (event.key === "Escape") {
    byId("search").value = "";
    search();
    select(null);
  } else if (event.target.id === "search") {
    if (event.key === "Enter") nextMatch();
  } else if (event.key in KEYS && !event.ctrlKey && !event.metaKey && !event.altKey) {
    event.preventDefault();
    KEYS[event.key]();
  }
}

drawGraph();
showHeader();
showTotals();
showChip();
showLegend();
showMoves();
showRest();
svg.call(zoom).on("dblclick.zoom", null);
fit();
byId("graph").addEventListener("click", onClick);
byId("search").addEventListener("input", search);
byId("whole").onclick = fit;
byId("next").onclick = KEYS.n;
byId("previous").onclick = KEYS.p;
byId("next").disabled = byId("previous").disabled = !moves.length;
document.addEventListener("keydown", onKey);
// For the test: when the graph was on the screen.
requestAnimationFrame(() => requestAnimationFrame(() => performance.mark("drawn")));
