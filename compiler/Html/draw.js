// SPDX-License-Identifier: Apache-2.0
//
// The drawing of --emit=html: nodes, lines and zoom, from the data block. Text
// from the model reaches the document as text nodes only.
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
  node.width = node.pill ? Math.max(90, pillText(node).length * letters + 24) : 210;
  node.attributesText = node.pill ? "" : attributesText(node);
  node.height = node.pill ? 24 : node.attributesText ? 56 : 42;
});

// A layout has a colour (page.css) and, for who cannot tell colours, a mark.
const MARKS = ["●", "■", "▲", "◆", "▼", "★", "○", "□"];
const uses = new Map();
for (const node of nodes)
  for (const tensor of node.results.length ? node.results : node.operands) uses.set(tensor.layout, (uses.get(tensor.layout) || 0) + 1);
const layouts = [...uses.keys()].sort((a, b) => uses.get(b) - uses.get(a) || (a < b ? -1 : 1));
const FIXED = { NCHW: 0, NHWC: 1, NCHW16c: 2, NCHW8c: 3 };
const numberOf = new Map();
let free = 4;
for (const layout of layouts) numberOf.set(layout, layout in FIXED ? FIXED[layout] : free++ % MARKS.length);
const colourOf = (layout) => `c${numberOf.get(layout) ?? MARKS.length - 1}`;
const markOf = (layout) => MARKS[numberOf.get(layout) ?? MARKS.length - 1];

function layoutOf(node) {
  const tensor = node.results[0] || node.operands[0];
  return tensor ? tensor.layout : "";
}

function pillText(node) {
  if (node.kind === "relayout") return `${node.relayout.from} → ${node.relayout.to}`;
  return node.kind === "view" ? `${node.op}, no-op` : node.op;
}

function opText(node) {
  if (!node.body) return node.op;
  const ops = node.body.map((one) => one.op);
  return ops.length > 3 ? `${ops[0]} + ${ops[1]} + … ${ops.length}` : ops.join(" + ");
}

// Of the node, or of each op in it that has some.
function attributesOf(node) {
  return [node, ...(node.body || [])].map((one) => one.attributes).filter(Boolean);
}

// Whether an attribute says more than that nothing special happens.
function isPlain(key, value) {
  const usual = /^(strides|dilations|groups)$/.test(key) ? 1 : 0;
  return value === false || value === "" || [value].flat().every((one) => one === usual);
}

// The attributes on a node: those of the first op that has some to tell.
function attributesText(node) {
  const told = (attributes) => Object.entries(attributes).filter(([key, value]) => !isPlain(key, value));
  const found = attributesOf(node).map(told).find((one) => one.length) || [];
  return found.map(([key, value]) => `${key} ${valueText(value)}`).join(", ");
}

// One number where all are the same: pads 1, not 1,1,1,1.
function valueText(value) {
  if (!Array.isArray(value)) return typeof value === "number" ? String(Number(value.toPrecision(4))) : String(value);
  return new Set(value).size === 1 ? String(value[0]) : value.join(",");
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
// by themselves, after those that a reader wants first. Zeros can be left out.
function describe(value, skip = [], zeros = true) {
  const list = make("dl");
  for (const [key, part] of Object.entries(value).sort((a, b) => place(a[0]) - place(b[0]))) {
    if (skip.includes(key) || part === "" || (!zeros && (part === 0 || part === false)) || (Array.isArray(part) && !part.length)) continue;
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
  const group = draw("g", { class: `node ${node.kind}${moved}${slow}${place} ${colourOf(layoutOf(node))}`, "data-index": node.index, transform: `translate(${node.x},${node.y})` });
  const [w, h] = [node.width, node.height];
  const round = node.kind === "op" ? 5 : h / 2;
  const rect = draw("rect", { x: -w / 2, y: -h / 2, width: w, height: h, rx: round });
  group.append(rect, draw("title", {}, node.node || opText(node)));
  if (node.pill) {
    group.append(draw("text", { class: "op", y: 4 }, pillText(node)));
    return group;
  }
  const inset = node.kind === "op" ? 8 : 16;
  const layout = shorten(layoutOf(node), 9);
  const left = inset - w / 2;
  const mark = draw("text", { class: "layout", x: w / 2 - inset, y: 17 - h / 2 }, markOf(layoutOf(node)));
  mark.append(draw("tspan", { class: "long" }, ` ${layout}`));
  group.append(draw("text", { class: "op", x: left, y: 17 - h / 2 }, shorten(opText(node), Math.min(22, Math.floor((w - 2 * inset - 6.6 * (layout.length + 2)) / 7)))), mark);
  group.append(draw("text", { class: "name", x: left, y: 33 - h / 2 }, shorten(node.name || node.node, node.kind === "op" ? 31 : 27, true)));
  if (node.attributesText) group.append(draw("text", { class: "attributes", x: left, y: 48 - h / 2 }, shorten(node.attributesText, 33)));
  return group;
}

function drawEdge(edge, widest) {
  const to = nodes[edge.to];
  const kind = to.kind === "view" ? " view" : to.moved ? " relayout" : "";
  const width = 1.2 + 5.3 * Math.sqrt(edge.tensor.bytes / widest);
  const path = draw("path", { class: `edge${kind} ${colourOf(edge.tensor.layout)}`, d: edge.path, "stroke-width": width.toFixed(2) });
  if (to.kind === "view") path.setAttribute("stroke-dasharray", `0.1 ${(width + 3).toFixed(1)}`);
  return path;
}

// Type and shape of what a node gives, once, where its lines begin.
function drawShape(node) {
  const tensor = node.results[0];
  return draw("text", { class: "shape", x: node.x - 7, y: node.y + node.height / 2 + 13 }, `${tensor.type} ${tensor.shape.join("×") || "scalar"}`);
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
  const read = new Set(edges.map((edge) => edge.from));
  byId("shapes").append(...nodes.filter((node) => read.has(node.index)).map(drawShape));
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
  const k = Math.min((box.width - 40) / size.width, (box.height - 130) / size.height, 1.2);
  const transform = d3.zoomIdentity.translate((box.width - size.width * k) / 2, 64 + (box.height - 122 - size.height * k) / 2).scale(k);
  svg.call(zoom.transform, transform);
}

const zoomBy = (factor) => svg.transition().duration(150).call(zoom.scaleBy, factor);

function centre(node) {
  const box = byId("graph").getBoundingClientRect();
  const k = Math.max(0.9, d3.zoomTransform(svg.node()).k);
  svg.transition().duration(250).call(zoom.transform, d3.zoomIdentity.translate(box.width / 2 - node.x * k, box.height / 2 - node.y * k).scale(k));
}
