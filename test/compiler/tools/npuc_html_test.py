# SPDX-License-Identifier: Apache-2.0
"""--emit=html in a real browser: what is drawn, what a click shows, how fast, and that names are harmless."""

from __future__ import annotations

import json
import re
import sys
import time
from pathlib import Path
from xml.etree import ElementTree

import onnx
import programs
import small
import zoo
from browser import SKIPPED, browser, is_installed
from programs import Bench

# What a browser has to lay out and to touch: times wobble, these do not.
ELEMENTS_PER_ITEM, CHANGES_PER_FRAME = 6, 8
EVIL = "</script><img src=x onerror=\"window.evil=1\"><!--<script>'\\u003c@DATA@&amp;\u2028"
MOVES = ("transpose", "reshape", "relayout")

COUNTS = """
const count = (what) => document.querySelectorAll(what).length;
return {
  nodes: count(".node"), constants: count(".node.constant"), relayouts: count(".edge.relayout"),
  views: count(".edge.view"), pills: count(".node.relayout"), edges: count(".edge"),
  listed: count("#relayouts button"), elements: count("*"), images: count("img"), evil: window.evil,
  fetched: performance.getEntriesByType("resource").length,
  paint: performance.getEntriesByName("drawn")[0].startTime,
};
"""
# Pans and zooms 20 frames; the mean time of one, and what changed in the page.
FRAMES = """
const done = arguments[0], count = 20, start = performance.now();
let at = 0, changes = 0;
const watch = new MutationObserver((records) => { changes += records.length; });
watch.observe(document.body, { attributes: true, childList: true, characterData: true, subtree: true });
(function frame() {
  if (at++ === count) {
    watch.disconnect();
    return done({ ms: (performance.now() - start) / count, changes: changes / count });
  }
  svg.call(zoom.translateBy, 6, 3);
  svg.call(zoom.scaleBy, 1.04);
  requestAnimationFrame(frame);
})();
"""


# Each text that is seen, whose color has less than 4.5 times the contrast of what is behind it. A canvas knows the
# bytes of every color that CSS can write.
FAINT = """
const pen = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
const bytes = (color) => {
  pen.clearRect(0, 0, 1, 1); pen.fillStyle = color; pen.fillRect(0, 0, 1, 1);
  return [...pen.getImageData(0, 0, 1, 1).data];
};
const part = (v) => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
const light = (color) => { const [r, g, b] = bytes(color).map(part); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
const behind = (one) => {
  const node = one.closest(".node");
  if (node) return getComputedStyle(node.querySelector("rect")).fill;
  for (; one; one = one.parentElement)
    if (bytes(getComputedStyle(one).backgroundColor)[3] === 255) return getComputedStyle(one).backgroundColor;
};
const texts = [...document.querySelectorAll("body *")].filter((one) => [...one.childNodes].some((child) => child.nodeType === 3 && child.data.trim())
  && !["SCRIPT", "STYLE", "title"].includes(one.tagName) && one.getClientRects().length);
const faint = texts.map((one) => {
  const style = getComputedStyle(one), [a, b] = [light(one instanceof SVGElement ? style.fill : style.color), light(behind(one))];
  return [(Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05), one.textContent.slice(0, 40)];
}).filter(([contrast]) => contrast < 4.5);
return { texts: texts.length, faint };
"""
# What a reader of this page sees of it: nothing is wider than the window, buttons and the graph can be reached.
SEEN = """
const inside = (what) => [...document.querySelectorAll(what)].every((one) => {
  const box = one.getBoundingClientRect();
  return box.left >= 0 && box.top >= 0 && box.right <= innerWidth && box.bottom <= innerHeight && box.width > 20;
});
const view = document.getElementById("view").getBoundingClientRect(), main = document.querySelector("main").getBoundingClientRect();
return { scrolls: document.documentElement.scrollWidth > innerWidth, tools: inside("#tools input, #tools button, #zoom button, #model"),
  main: main.width > 300 && main.height > 300, graph: view.left >= main.left && view.right <= main.right && view.bottom <= main.bottom };
"""


def show_as(width: int, dark: bool) -> None:
    """The window of a screen, a tablet, a telephone; the colors that its user asks for."""
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500}
    browser().execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
    browser().execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [scheme]})


def make_page(bench: Bench, model: Path, *words: object) -> tuple[dict, str]:
    """Compiles to page.html; the report, and the graph's text."""
    bench.npuc(model, *words, "--emit=html", "-o", "page.html", "--report=report.json", "-q")
    text = bench.npuc(model, *words, "--emit=mlir", "-o", "-", "-q").stdout
    return json.loads(bench.path("report.json").read_text(encoding="utf-8")), text


def open_page(bench: Bench, name: str) -> dict:
    """Opens page.html, keeps a picture in the build folder; what is in the document."""
    view = browser()
    view.get_log("browser")
    view.get(bench.path("page.html").as_uri())
    pictures = bench.build / "test" / "graph-pages"
    pictures.mkdir(parents=True, exist_ok=True)
    wait_until_drawn()
    view.save_screenshot(str(pictures / f"{name}.png"))
    found = view.execute_script(COUNTS)
    print(f"  {name}: {found}")
    assert not view.get_log("browser"), f"{name}: the console is not empty"
    assert not found["evil"] and found["images"] == 0 and found["fetched"] == 0, found
    return found


def check_counts(found: dict, report: dict, text: str) -> None:
    """The drawing against the report and against the graph after the layout stage."""
    ops = [op for op in re.findall(r"^    %\S+ = npu\.(\w+)", text, re.MULTILINE) if op != "constant"]
    inputs = text.split("func.func")[1].split(") ->")[0].count("%arg")
    outputs = len(re.search(r"^    return (.*) :", text, re.MULTILINE)[1].split(","))
    assert found["nodes"] - found["constants"] == len(ops) + inputs + outputs, (found, len(ops), inputs, outputs)
    count = report["relayouts"]["count"]
    assert found["relayouts"] == found["pills"] == found["listed"] == count, (found, count)
    assert found["views"] == sum(op in MOVES for op in ops) - count, found


def details() -> str:
    return browser().execute_script("return document.getElementById('details').textContent")


def check_clicks(report: dict) -> None:
    """Each of the first relayouts, by key and by mouse, shows its own reason and bytes."""
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.by import By

    view = browser()
    drawn = view.find_elements(By.CSS_SELECTOR, ".node.relayout")
    for item, element in list(zip(report["relayouts"]["items"], drawn))[:3]:
        ActionChains(view).send_keys("n").perform()
        time.sleep(0.5)
        assert item["reason"] in details() and item["value"] in details(), (item, details())
        view.execute_script("select(null)")
        assert view.execute_script("return document.getElementById('details').hidden")
        ActionChains(view).move_to_element(element).click().perform()
        assert item["reason"] in details() and "selected" in element.get_attribute("class"), (item, details())


def check_work(found: dict, name: str) -> None:
    """Few elements for each node and edge; panning changes a handful of them, however many there are."""
    browser().set_script_timeout(60)
    frame = browser().execute_async_script(FRAMES)
    print(f"  {name}: drawn after {found['paint']:.0f} ms, {frame['ms']:.0f} ms and {frame['changes']} changes a frame")
    assert found["elements"] < ELEMENTS_PER_ITEM * (found["nodes"] + found["edges"]) + 500, found
    assert 0 < frame["changes"] <= CHANGES_PER_FRAME, frame


def wait_until_drawn() -> None:
    deadline = time.monotonic() + 30
    while not browser().execute_script("return performance.getEntriesByName('drawn').length"):
        assert time.monotonic() < deadline, "nothing is drawn after 30 s"
        time.sleep(0.05)


def network(name: str) -> Path:
    return zoo.ensure(name, zoo.find(name).small)


def test_networks(bench: Bench) -> None:
    for name, layout in (("resnet50", "auto-nhwc"), ("mobilenet_v3_large", "naive")):
        report, text = make_page(bench, network(name), "--batch=1", "--target=npu-nhwc", f"--layout={layout}")
        assert report["relayouts"]["count"] > (100 if layout == "naive" else 0), report["relayouts"]["count"]
        found = open_page(bench, name)
        check_counts(found, report, text)
        assert found["views"] > 0, found
        check_clicks(report)
        check_work(found, name)


def thousand_ops() -> onnx.ModelProto:
    """Dense blocks: every fifth op joins all that came before it in its block."""
    b = small.Builder(1)
    x, block = b.conv("x", 3, 4, 1), []
    for index in range(250):
        x = b.op("MaxPool", b.conv(x, 4, 4, 1), kernel_shape=[3, 3], strides=[1, 1], pads=[1, 1, 1, 1])
        block.append(x)
        if index % 5 == 4:
            joined = b.op("Concat", *block, axis=1)
            x = b.conv(joined, 4 * len(block), 4, 1)
            block = block if len(block) < 15 else []
    model = programs.network("thousand_ops", b.nodes, {}, {"x": [1, 3, 8, 8]}, [x])
    model.graph.initializer.extend(b.weights)
    return model


def test_thousand_ops(bench: Bench) -> None:
    report, text = make_page(bench, bench.save(thousand_ops()), "--target=npu-nhwc", "--layout=naive")
    found = open_page(bench, "thousand_ops")
    assert found["nodes"] > 1000, found
    check_counts(found, report, text)
    check_clicks(report)
    check_work(found, "thousand_ops")


def test_names_are_harmless(bench: Bench) -> None:
    model = small.make("residual")
    for index, node in enumerate(model.graph.node):
        node.name = f"{EVIL}{index}"
    model.graph.name = "evil"
    model.graph.input[0].name = EVIL
    for node in model.graph.node:
        for index, name in enumerate(node.input):
            node.input[index] = EVIL if name == "x" else name
    path = bench.path("<b onclick=x>&\"'.onnx")
    onnx.save(model, path)
    report, text = make_page(bench, path, "--batch=1", "--target=npu-nhwc", "--layout=naive")
    found = open_page(bench, "evil")
    check_counts(found, report, text)
    check_clicks(report)
    view = browser()
    texts = view.execute_script("return [...document.querySelectorAll('.node title')].map((one) => one.textContent)")
    assert any(EVIL in one for one in texts), texts
    assert view.title.startswith(path.name), view.title
    assert not view.execute_script("return window.evil") and not view.get_log("browser")


def test_search_and_legend(bench: Bench) -> None:
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys

    make_page(bench, bench.save("residual"), "--batch=1", "--target=npu-nhwc", "--layout=naive")
    open_page(bench, "residual")
    view = browser()
    box = view.find_element(By.ID, "search")

    def matches(kind: str = "") -> int:
        return len(view.find_elements(By.CSS_SELECTOR, f".node.match{kind}"))

    box.send_keys("CONV2D")
    convolutions = view.execute_script("return nodes.filter((one) => (one.kernel || {}).op === 'conv2d').length")
    assert matches(".op") == convolutions == 3, (matches(".op"), convolutions)
    assert matches(".relayout") > 0, "a relayout's reason names the convolution"
    box.send_keys(Keys.ENTER)
    assert "conv2d" in details().lower(), details()
    box.send_keys(" nonsense")
    assert matches() == 0 and view.find_element(By.ID, "found").text == "0 found"
    box.send_keys(Keys.ESCAPE)
    assert box.get_attribute("value") == "" and not view.find_elements(By.CSS_SELECTOR, ".filtered")
    view.find_element(By.CSS_SELECTOR, "#legend button").click()
    assert matches() > 0


def test_totals(bench: Bench) -> None:
    """Of a search, and of a strategy that does not search."""
    path = bench.save("residual")
    for layout, proved in (("optimal", "yes, by "), ("naive", "no (a rule decided")):
        report, _ = make_page(bench, path, "--batch=1", "--target=npu-nhwc", f"--layout={layout}")
        open_page(bench, f"totals-{layout}")
        sums = browser().execute_script("return document.getElementById('sums').textContent")
        assert proved in sums, sums
        five = browser().execute_script("return [...document.querySelectorAll('#five div')].map((one) => one.textContent)")
        assert len(five) == 5 and five[0].startswith("chip time"), five
        assert five[1].startswith(f"relayouts{report['relayouts']['count']}"), five
        assert ("energy" in sums) == (report["chip"]["energy_pj"] > 0), f"zeros are shown: {sums}"


def test_widths_and_colors(bench: Bench) -> None:
    _, text = make_page(bench, network("resnet50"), "--batch=1", "--target=npu-nhwc", "--layout=naive")
    for width in (1500, 820, 390):
        for dark in (False, True):
            show_as(width, dark)
            name = f"resnet50-{width}-{'dark' if dark else 'light'}"
            open_page(bench, name)
            seen = browser().execute_script(SEEN)
            assert seen == {"scrolls": False, "tools": True, "main": True, "graph": True}, (name, seen)
            browser().execute_script("select(moves[0], true); byId('help').click()")
            time.sleep(0.4)
            found = browser().execute_script(FAINT)
            assert found["texts"] > 200 and not found["faint"], (name, found)
            browser().execute_script("byId('keys').close(); svg.interrupt(); svg.call(zoom.scaleTo, 1)")
            found = browser().execute_script(FAINT)
            assert found["texts"] > 300 and not found["faint"], (name, found)
    browser().execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    browser().execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
    check_marks(text)


def check_marks(text: str) -> None:
    """Layouts differ by a mark; lines say type and shape, nodes their attributes."""
    view = browser()
    marks = view.execute_script("return layouts.map(markOf)")
    assert len(marks) == len(set(marks)) > 2, marks
    shapes = view.execute_script("return [...document.querySelectorAll('.shape')].map((one) => one.textContent)")
    assert shapes[0] == "f32 1×3×64×64" and "f32 1×64×32×32" in shapes, shapes[:9]
    told = view.execute_script("return nodes.map((one) => one.attributesText)")
    strided = len(re.findall(r"npu\.conv2d.*strides = \[2, 2\]", text))
    assert sum("strides 2" in one for one in told if "kernel" not in one) == strided > 0, told
    view.execute_script("select(nodes.find((one) => one.op === 'max_pool'))")
    assert "kernel3, 3" in details() and "groups" not in details(), details()


def test_keys_and_buttons(bench: Bench) -> None:
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.by import By

    make_page(bench, bench.save("residual"), "--batch=1", "--target=npu-nhwc", "--layout=naive")
    open_page(bench, "keys")
    view = browser()

    def scale() -> float:
        time.sleep(0.4)
        return view.execute_script("return d3.zoomTransform(svg.node()).k")

    for closer, farther in (("+", "-"), (view.find_element(By.ID, "closer"), view.find_element(By.ID, "farther"))):
        for what, grows in ((closer, True), (farther, False)):
            before = scale()
            ActionChains(view).send_keys(what).perform() if isinstance(what, str) else what.click()
            assert (scale() > before) == grows, (what, before)
    ActionChains(view).send_keys("?").perform()
    keys = view.find_element(By.ID, "keys")
    assert keys.is_displayed() and "next relayout" in keys.text
    view.find_element(By.CSS_SELECTOR, "#keys button").click()
    assert not keys.is_displayed()


def test_links_and_files(bench: Bench) -> None:
    """The address of a selection opens it again; the drawing is an SVG file."""
    make_page(bench, bench.save("residual"), "--batch=1", "--target=npu-nhwc", "--layout=naive")
    open_page(bench, "links")
    view = browser()
    chosen = view.execute_script("select(nodes[3]); return [location.href, nodes[3].index, selected.index]")
    title = details()
    view.get("about:blank")
    view.get(chosen[0])
    wait_until_drawn()
    assert view.execute_script("return selected.index") == chosen[1] == chosen[2] and details() == title
    view.execute_script("searchFor('conv2d')")
    drawing = ElementTree.fromstring(view.execute_script("return svgText()"))
    texts = "".join(drawing.itertext())
    assert "NHWC" in texts and "conv2d" in texts and "f32 " in texts, texts
    for one in drawing.iter():
        assert "class" not in one.attrib or one.tag.endswith("svg"), one.attrib
        assert not any("var(" in value or "light-dark" in value for value in one.attrib.values()), one.attrib
    view.execute_cdp_cmd("Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(bench.folder)})
    view.find_element("id", "save").click()
    deadline = time.monotonic() + 10
    while not (files := list(bench.folder.glob("*.svg"))):
        assert time.monotonic() < deadline, "no SVG file after 10 s"
        time.sleep(0.1)
    assert files[0].name == f"{view.execute_script('return data.model')}.svg"


def test_same_bytes(bench: Bench) -> None:
    path = bench.save("residual")
    pages = []
    for _ in range(2):
        bench.npuc(path, "--batch=1", "--emit=html", "-o", "page.html", "-q")
        pages.append(bench.path("page.html").read_bytes())
    assert pages[0] == pages[1]
    assert bench.npuc(path, "--batch=1", "--emit=html", "-o", "-", "-q").stdout.encode() == pages[0]


if __name__ == "__main__":
    if not is_installed():
        print("skipped: there is no chromium and chromedriver; `make deps` installs them")
        sys.exit(SKIPPED)
    try:
        programs.main(__doc__)
    finally:
        if browser.cache_info().currsize:
            browser().quit()
