// SPDX-License-Identifier: Apache-2.0
//
// The drawing as an SVG file of its own, in the colours of the moment: for a
// paper, a slide, an issue.
"use strict";

// What a program that draws SVG needs and style sheets say in the page.
const DRAWN = ["fill", "stroke", "stroke-width", "stroke-dasharray", "stroke-linecap", "font-size", "font-weight", "text-anchor", "paint-order", "opacity"];

function copyStyles(from, to) {
  const style = getComputedStyle(from);
  if (style.display === "none") return to.remove();
  for (const key of DRAWN) if (style.getPropertyValue(key)) to.setAttribute(key, style.getPropertyValue(key));
  to.removeAttribute("class");
  const [sources, copies] = [[...from.children], [...to.children]];
  sources.forEach((source, i) => copyStyles(source, copies[i]));
}

// Everything near, whatever the zoom and the search show.
function svgText() {
  const graph = byId("graph");
  const before = { view: byId("view").getAttribute("class"), filtered: graph.classList.contains("filtered") };
  byId("view").setAttribute("class", "");
  graph.classList.remove("filtered");
  const copy = graph.cloneNode(true);
  copyStyles(graph, copy);
  byId("view").setAttribute("class", before.view);
  graph.classList.toggle("filtered", before.filtered);
  for (const hit of copy.querySelectorAll("[data-edge]")) hit.remove();
  copy.querySelector("#view").removeAttribute("transform");
  for (const edge of copy.querySelectorAll("#edges path")) edge.setAttribute("marker-end", "url(#arrow)");
  const { width, height } = size;
  for (const [key, value] of Object.entries({ xmlns: "http://www.w3.org/2000/svg", viewBox: `-20 -20 ${width + 40} ${height + 40}`, width: width + 40, height: height + 40, "font-family": "sans-serif" })) copy.setAttribute(key, value);
  copy.prepend(draw("rect", { x: -20, y: -20, width: width + 40, height: height + 40, fill: getComputedStyle(document.querySelector("main")).backgroundColor }));
  return new XMLSerializer().serializeToString(copy);
}

function saveSvg() {
  const address = URL.createObjectURL(new Blob([svgText()], { type: "image/svg+xml" }));
  make("a", { href: address, download: `${data.model}.svg` }).click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}
