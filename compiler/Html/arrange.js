// SPDX-License-Identifier: Apache-2.0
//
// Places the graph: one row a step of the longest path, rows in columns like
// the text of a newspaper, so that a network of a thousand ops, nearly a chain,
// fills a screen. README.md says why no library does it.
"use strict";

const PITCH = 88; // from row to row
const GAP = 18; // between nodes of a row
const LANE = 9; // between lines beside the nodes
const NEAR = 11; // of a horizontal line to its node

// Nodes ordered so that operands stand before users; a node has width, height
// and `from`: the numbers of its operands.
function rowsOf(nodes) {
  const row = nodes.map(() => 0);
  const next = nodes.map(() => Infinity);
  nodes.forEach((node, i) => {
    for (const from of node.from) row[i] = Math.max(row[i], row[from] + 1);
  });
  nodes.forEach((node, i) => {
    for (const from of node.from) next[from] = Math.min(next[from], row[i]);
  });
  // What depends on nothing stands just above its first reader.
  nodes.forEach((node, i) => {
    if (!node.from.length && next[i] < Infinity) row[i] = next[i] - 1;
  });
  return row;
}

// How many values lie between row r - 1 and row r.
function crossings(nodes, row, count) {
  const last = row.slice();
  nodes.forEach((node, i) => {
    for (const from of node.from) last[from] = Math.max(last[from], row[i]);
  });
  const change = new Array(count + 2).fill(0);
  nodes.forEach((node, i) => {
    change[row[i] + 1]++;
    change[last[i] + 1]--;
  });
  for (let r = 1; r < change.length; r++) change[r] += change[r - 1];
  return change;
}

// The rows at which columns begin, at the thinnest place near a good length.
function columnStarts(rowWidths, crossing, aspect) {
  const count = rowWidths.length;
  const width = rowWidths.reduce((a, b) => a + b, 0) / count + 90;
  const length = Math.max(9, Math.sqrt((count * width) / (aspect * PITCH)));
  const starts = [0];
  while (count - starts[starts.length - 1] > 1.25 * length) {
    const start = starts[starts.length - 1];
    let best = 0;
    let least = Infinity;
    for (let r = start + Math.floor(0.8 * length); r <= start + Math.ceil(1.1 * length); r++) {
      const cost = crossing[r] + Math.abs(r - start - length) / (4 * length);
      if (cost < least) [least, best] = [cost, r];
    }
    starts.push(best);
  }
  return starts;
}

// x of each node around the column's middle: near its operands.
function placeRow(row, nodes) {
  const wish = new Map();
  for (const i of row) {
    const above = nodes[i].from.filter((from) => nodes[from].column === nodes[i].column);
    wish.set(i, above.length ? above.reduce((sum, from) => sum + nodes[from].x, 0) / above.length : 0);
  }
  row.sort((a, b) => wish.get(a) - wish.get(b) || a - b);
  let right = -Infinity;
  for (const i of row) {
    nodes[i].x = Math.max(wish.get(i), right + GAP + nodes[i].width / 2);
    right = nodes[i].x + nodes[i].width / 2;
  }
  const total = row.reduce((sum, i) => sum + nodes[i].x, 0) / row.length;
  for (const i of row) nodes[i].x -= total;
}

// Lines that pass rows run beside them, one for all readers of a value. Gives
// each such node its lane's distance from the column's middle.
function assignLanes(column, nodes, rows) {
  const taken = [];
  for (const lane of column.lanes) {
    let x = 0;
    const bottom = lane.leaves ? column.start + column.rows - 1 : lane.to - 1;
    for (let r = lane.leaves ? column.start : lane.row; r <= bottom; r++) x = Math.max(x, rows[r].right);
    x += 16;
    const clash = (other) => other.row < lane.to && lane.row < other.to && Math.abs(other.x - x) < LANE;
    while (taken.length < 2000 && taken.some(clash)) x += LANE;
    lane.x = x;
    taken.push(lane);
    column.right = Math.max(column.right, x);
  }
}

function makeColumns(nodes, rows, starts) {
  return starts.map((start, c) => {
    const end = c + 1 < starts.length ? starts[c + 1] : rows.length;
    const column = { start, rows: end - start, lanes: [], right: 0 };
    for (let r = start; r < end; r++) {
      for (const i of rows[r].nodes) nodes[i].column = c;
      placeRow(rows[r].nodes, nodes);
      rows[r].right = Math.max(...rows[r].nodes.map((i) => nodes[i].x + nodes[i].width / 2));
      rows[r].left = Math.min(...rows[r].nodes.map((i) => nodes[i].x - nodes[i].width / 2));
    }
    column.right = Math.max(...rows.slice(start, end).map((one) => one.right));
    column.left = Math.min(...rows.slice(start, end).map((one) => one.left));
    return column;
  });
}

// Direct: from one row to the next of the column.
function isDirect(nodes, edge) {
  const [from, to] = [nodes[edge.from], nodes[edge.to]];
  return from.column === to.column && to.row === from.row + 1;
}

function makeLanes(nodes, edges, columns) {
  const inside = new Map();
  const leaving = new Map();
  for (const edge of edges) {
    edge.lane = undefined;
    if (isDirect(nodes, edge)) continue;
    const from = nodes[edge.from];
    const leaves = from.column !== nodes[edge.to].column;
    const known = leaves ? leaving : inside;
    const lane = known.get(edge.from) || { row: from.row, to: 0, column: from.column, leaves };
    const end = columns[from.column].start + columns[from.column].rows;
    lane.to = Math.max(lane.to, leaves ? end : nodes[edge.to].row);
    known.set(edge.from, lane);
    edge.lane = lane;
  }
  for (const known of [inside, leaving])
    for (const lane of known.values()) {
      // A line to another column may run up: it keeps its lane from the top.
      if (lane.leaves) lane.row = columns[lane.column].start - 1;
      columns[lane.column].lanes.push(lane);
    }
  for (const column of columns) column.lanes.sort((a, b) => a.leaves - b.leaves || a.to - a.row - (b.to - b.row));
}

// A line along right angles, corners rounded.
function rounded(points) {
  let path = `M${points[0]}`;
  for (let i = 1; i + 1 < points.length; i++) {
    const [[ax, ay], [bx, by], [cx, cy]] = [points[i - 1], points[i], points[i + 1]];
    const before = Math.hypot(bx - ax, by - ay);
    const after = Math.hypot(cx - bx, cy - by);
    const r = Math.min(7, before / 2, after / 2);
    if (r < 0.5) continue;
    path += `L${bx - ((bx - ax) / before) * r} ${by - ((by - ay) / before) * r}`;
    path += `Q${bx} ${by} ${bx + ((cx - bx) / after) * r} ${by + ((cy - by) / after) * r}`;
  }
  return `${path}L${points[points.length - 1]}`;
}

function drawEdges(nodes, edges, columns) {
  const arrivals = nodes.map(() => []);
  for (const edge of edges) arrivals[edge.to].push(edge);
  arrivals.forEach((list, to) => {
    const from = (edge) => (edge.lane ? 1e9 + edge.lane.x : nodes[edge.from].x);
    list.sort((a, b) => from(a) - from(b));
    list.forEach((edge, i) => {
      edge.end = nodes[to].x + nodes[to].width * ((i + 1) / (list.length + 1) - 0.5);
    });
  });
  for (const edge of edges) {
    const [from, to] = [nodes[edge.from], nodes[edge.to]];
    const [top, bottom] = [from.y + from.height / 2, to.y - to.height / 2];
    if (!edge.lane) {
      const middle = (top + bottom) / 2;
      edge.path = `M${from.x} ${top}C${from.x} ${middle} ${edge.end} ${middle} ${edge.end} ${bottom}`;
      continue;
    }
    const side = from.x + from.width / 4;
    const x = columns[from.column].middle + edge.lane.x;
    edge.path = rounded([[side, top], [side, top + NEAR], [x, top + NEAR], [x, bottom - NEAR - 2], [edge.end, bottom - NEAR - 2], [edge.end, bottom]]);
  }
}

function placeAll(nodes, edges, aspect) {
  const numbers = rowsOf(nodes);
  const rows = Array.from({ length: Math.max(...numbers) + 1 }, () => ({ nodes: [], right: 0, left: 0 }));
  nodes.forEach((node, i) => {
    node.row = numbers[i];
    rows[node.row].nodes.push(i);
  });
  const widths = rows.map((row) => row.nodes.reduce((sum, i) => sum + nodes[i].width + GAP, 0));
  const starts = columnStarts(widths, crossings(nodes, numbers, rows.length), aspect);
  const columns = makeColumns(nodes, rows, starts);
  makeLanes(nodes, edges, columns);
  let x = 0;
  let height = 0;
  for (const column of columns) {
    assignLanes(column, nodes, rows);
    column.middle = x - column.left;
    x = column.middle + column.right + 40;
    height = Math.max(height, column.rows * PITCH);
  }
  for (const node of nodes) {
    node.x += columns[node.column].middle;
    node.y = (node.row - columns[node.column].start + 0.5) * PITCH;
  }
  drawEdges(nodes, edges, columns);
  return { width: x - 40, height };
}

// Gives every node x and y, every edge its path; returns width and height, near
// the aspect: lanes are as wide as they are only once columns are cut, so a
// first try tells how long columns must be.
function arrange(nodes, edges, aspect) {
  const first = placeAll(nodes, edges, aspect);
  const off = first.width / first.height / aspect;
  return off > 1.2 || off < 0.8 ? placeAll(nodes, edges, aspect / off) : first;
}
