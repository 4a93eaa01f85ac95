// SPDX-License-Identifier: Apache-2.0
//
// The page of --emit=html beside the drawing: the panel, search, clicks, keys.
"use strict";

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
const percent = (part, whole) => `${numberText(Math.round((1000 * part) / (whole || 1)) / 10)} %`;

// What a reader wants first: time, what layout costs, traffic, launches, memory.
function fiveNumbers() {
  const { chip, relayouts, memory } = data.report;
  const views = nodes.filter((node) => node.kind === "view").length;
  return [
    ["chip time", `${Number(chip.ms.toPrecision(4))} ms`, `${numberText(chip.cycles)} cycles; at least ${numberText(chip.floor_cycles)} for this network`],
    ["relayouts", numberText(moves.length), moves.length ? `${percent(chip.relayout_cycles, chip.cycles)} of the time; ${numberText(relayouts.boundary_count)} at the boundary` : "no data is moved for layout"],
    ["kernels", numberText(nodes.filter((node) => node.kernel).length), views ? `and ${numberText(views)} no-op view${views > 1 ? "s" : ""}` : ""],
    ["DRAM traffic", bytesText(chip.dram_read_bytes + chip.dram_written_bytes), relayouts.bytes ? `${bytesText(relayouts.bytes)} written by relayouts` : ""],
    ["memory", bytesText(memory.weight_bytes + memory.arena_bytes), `${bytesText(memory.weight_bytes)} weights, ${bytesText(memory.arena_bytes)} values`],
  ];
}

function showTotals() {
  const { chip, fallback } = data.report;
  const search = findWith(data.report, "proved");
  const cost = moves.reduce((sum, node) => sum + node.relayout.cost, 0);
  const onHost = nodes.filter((node) => node.processor).length;
  const rows = [
    ["proved", search ? (search.proved ? `yes, by ${search.method}` : `no, at least ${numberText(search.lower_bound)}`) : "no (a rule decided, not a search)"],
    ["relayouts cost", cost && `${numberText(Math.round(cost))} cycles`],
    ["on-chip memory", chip.sram_bytes && `${bytesText(chip.on_chip_peak_bytes)} of ${bytesText(chip.sram_bytes)}`],
    ["energy", chip.energy_pj && `${numberText(chip.energy_pj / 1e6)} µJ`],
    ["on the host", onHost && `${numberText(onHost)} (${fallback})`],
  ];
  const table = make("table", { id: "sums" });
  for (const [key, value] of rows) if (value) table.append(make("tr", {}, make("th", {}, key), make("td", {}, value)));
  const five = fiveNumbers().map(([key, value, more]) => make("div", {}, make("dt", {}, key), make("dd", {}, value, make("span", { class: "soft" }, more))));
  byId("totals").append(make("dl", { id: "five" }, ...five), table);
}

function legendLine(text, attributes) {
  const line = draw("svg", { viewBox: "0 0 30 12" });
  line.append(draw("path", { d: "M1 6H29", ...attributes }));
  return make("span", { class: "key" }, line, text);
}

function showLegend() {
  const section = byId("legend");
  section.append(make("h2", {}, "Layouts"));
  for (const layout of layouts) {
    const swatch = make("span", { class: `swatch ${colourOf(layout)}`, "aria-hidden": "true" }, markOf(layout));
    section.append(make("button", { class: "plain", title: "show these only", onclick: () => searchFor(layout) }, swatch, `${layout || "(none)"} `, make("span", { class: "soft" }, `× ${uses.get(layout)}`)));
  }
  section.append(
    legendLine("data is moved: a relayout", { class: "relayout", "stroke-width": 4 }),
    legendLine("no-op view: no data is moved", { "stroke-width": 3, "stroke-dasharray": "0.1 6", "stroke-linecap": "round" }),
    legendLine("thicker lines carry more bytes", { "stroke-width": 6 }),
    ...(data.report.fallback ? [legendLine("runs on the host", { "stroke-width": 4, "stroke-dasharray": "8 4" })] : []),
  );
}

function showMoves() {
  const section = byId("relayouts");
  section.append(make("h2", {}, moves.length ? "Relayouts, the most expensive first" : "No relayouts"));
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
  rows.push(describe(move, ["reason", "fix", "node", "kind"], false));
  return rows;
}

// What the panel shows of a node.
function detailsOf(node) {
  const title = node.moved ? `${node.relayout.kind}: ${pillText(node)}` : node.kind === "view" ? `no-op view: ${node.op}` : opText(node);
  const rows = [make("button", { class: "plain close", title: "close (Esc)", "aria-label": "close", onclick: () => select(null) }, "✕"), make("h2", {}, title)];
  if (node.node) rows.push(make("p", { class: "soft" }, node.node));
  if (node.moved) rows.push(...moveRows(node.relayout));
  if (node.processor) rows.push(describe({ on_the_host: node.processor.why, change: node.processor.change }));
  if (node.attributes) rows.push(make("h2", {}, "Attributes"), describe(node.attributes, [], false));
  rows.push(...tensorRows("Operands", node.operands), ...tensorRows(node.results.length > 1 ? "Results" : "Result", node.results));
  if (node.body) rows.push(make("h2", {}, "Computes"));
  for (const one of node.body || []) rows.push(make("div", {}, one.op, " ", make("span", { class: "soft" }, one.node)), ...(one.attributes ? [describe(one.attributes, [], false)] : []));
  if (node.kernel) rows.push(make("h2", {}, "Kernel"), describe(node.kernel, ["node", "op"], false));
  return rows;
}

// The name of a node in the page's address; nodes of one name are counted.
const names = nodes.map((node) => `${node.kind} ${node.name || node.node || node.op}`);
const seen = new Map();
names.forEach((name, i) => {
  seen.set(name, (seen.get(name) || 0) + 1);
  if (seen.get(name) > 1) names[i] = `${name} #${seen.get(name)}`;
});

// The node of the page's address: somebody sent a link to it.
function openAddress() {
  const at = names.indexOf(decodeURIComponent(location.hash.slice(1)));
  if (at >= 0 && nodes[at] !== selected) select(nodes[at], true);
}

// An address that another page gave, or a page without one, is left alone.
function writeAddress(node) {
  try {
    history.replaceState(null, "", node ? `#${encodeURIComponent(names[node.index])}` : location.pathname + location.search);
  } catch {
    // A page inside another one (srcdoc) has no address of its own.
  }
}

let selected = null;

function select(node, move) {
  if (selected) elements[selected.index].classList.remove("selected");
  selected = node;
  const details = byId("details");
  details.hidden = !node;
  details.classList.toggle("moved", Boolean(node && node.moved));
  writeAddress(node);
  if (!node) return;
  elements[node.index].classList.add("selected");
  details.replaceChildren(...detailsOf(node));
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
// Key, what it does, what the help says.
const KEYS = [
  ["n", () => step(inOrder, selected, 1), "next relayout"],
  ["p", () => step(inOrder, selected, -1), "previous relayout"],
  ["/", () => byId("search").focus(), "search; Enter goes to the next match"],
  ["+", () => zoomBy(1.4), "zoom in"],
  ["-", () => zoomBy(1 / 1.4), "zoom out"],
  ["f", fit, "show the whole graph"],
  ["s", saveSvg, "save the graph as an SVG file"],
  ["?", () => byId("keys").showModal(), "this list"],
];
const ACTION = Object.fromEntries(KEYS.map(([key, action]) => [key, action]));

function showKeys() {
  const table = make("table", {}, ...KEYS.map(([key, , says]) => make("tr", {}, make("th", {}, make("kbd", {}, key)), make("td", {}, says))));
  table.append(make("tr", {}, make("th", {}, make("kbd", {}, "Esc")), make("td", {}, "close, and clear the search")));
  const how = make("p", { class: "soft" }, "Drag to move the graph, scroll or pinch to zoom, click a node or a line. The page's address names the selected node.");
  byId("keys").append(make("h2", {}, "Keys"), table, how, make("button", { onclick: () => byId("keys").close() }, "close"));
}

function onKey(event) {
  if (byId("keys").open) return;
  if (event.key === "Escape") {
    byId("search").value = "";
    search();
    select(null);
  } else if (event.target.id === "search") {
    if (event.key === "Enter") nextMatch();
  } else if (event.key in ACTION && !event.ctrlKey && !event.metaKey && !event.altKey) {
    event.preventDefault();
    ACTION[event.key]();
  }
}

drawGraph();
showHeader();
showTotals();
showChip();
showLegend();
showMoves();
showRest();
showKeys();
svg.call(zoom).on("dblclick.zoom", null);
fit();
byId("graph").addEventListener("click", onClick);
byId("search").addEventListener("input", search);
for (const [id, key] of Object.entries({ whole: "f", next: "n", previous: "p", closer: "+", farther: "-", save: "s", help: "?" })) byId(id).onclick = ACTION[key];
byId("next").disabled = byId("previous").disabled = !moves.length;
document.addEventListener("keydown", onKey);
window.addEventListener("hashchange", openAddress);
openAddress();
// For the test: when the graph was on the screen.
requestAnimationFrame(() => requestAnimationFrame(() => performance.mark("drawn")));
