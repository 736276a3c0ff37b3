// Bars: expanded states by layer, idle workers, shares of memory and disk, and small curves over time.

import { el, svg, setText, show, reconcile, scroller, uniqueId, numberTable, tableOf } from "./dom.js";
import { count, percent, plural, short, time } from "./format.js";

/** A bar from 0 to 1. */
function bar() {
  const full = el("div");
  const node = el("div", { class: "bar", "aria-hidden": "true" }, full);
  const update = (share) => full.style.setProperty("width", `${(100 * Math.max(0, Math.min(1, share))).toFixed(2)}%`);
  return { node, full, update };
}

/** The row of a layer: f, states, growth, bar. */
function layerRow() {
  const [f, expanded, growth] = [el("th", { scope: "row" }), el("td", { class: "n" }), el("td", { class: "n" })];
  const { node: picture, full, update: fill } = bar();
  const node = el("tr", {}, f, expanded, growth, el("td", { class: "wide" }, picture));
  function update({ layer, most, now }) {
    setText(f, String(layer.f));
    setText(expanded, count(layer.expanded));
    setText(growth, now ? "under way" : layer.growth === undefined ? "" : layer.growth.toFixed(1));
    fill(layer.expanded > 0 ? Math.log(layer.expanded + 1) / Math.log(most + 1) : 0);
    full.classList.toggle("hatched", Boolean(now));
    node.classList.toggle("now", Boolean(now));
  }
  return { node, update };
}

/**
 * The layers of a search as a table with bars on a logarithmic scale. The layer under way is hatched.
 * @returns {{element: HTMLElement, update: (board: object) => void}}
 */
export function layerTable() {
  const body = el("tbody");
  const head = ["layer", "expanded", "growth", "expanded, log scale"];
  const table = tableOf("layers", head, (column) => column === 1 || column === 2, body);
  const note = el("p", { class: "note" });
  const [box, empty] = [scroller("Layers", table), el("p", { class: "empty" }, "No layer yet.")];
  const element = el("div", {}, box, note, empty);
  function update({ layers = [], now }) {
    const most = Math.max(10, ...layers.map((layer) => layer.expanded), now?.expanded ?? 0);
    const rows = layers.map((layer) => ({ layer, most }));
    if (now) rows.push({ layer: { ...now, expanded: now.expanded ?? 0 }, most, now });
    const isAtEnd = box.scrollTop + box.clientHeight >= box.scrollHeight - 4;
    reconcile(body, rows, ({ layer, now: isNow }) => `${layer.f}${isNow ? " now" : ""}`, layerRow);
    if (isAtEnd) box.scrollTop = box.scrollHeight;
    show(box, rows.length > 0);
    show(empty, rows.length === 0);
    const words = now ? [`layer ${now.f} is under way`] : [];
    if (now?.share !== undefined) words.push(`${now.share} % of its known states are done`);
    if (now?.open !== undefined) words.push(`${short(now.open)} open`);
    setText(note, words.join(", "));
    show(note, words.length > 0);
  }
  return { element, update };
}

function workerMark() {
  const busy = el("div");
  const node = el("div", {}, busy);
  function update({ number, idle }) {
    busy.style.setProperty("height", `${(100 * (1 - idle)).toFixed(1)}%`);
    node.title = `worker ${number}: idle ${percent(idle)}`;
  }
  return { node, update };
}

/**
 * A mark for each worker: the filled part is the share of time at work.
 * @returns {{element: HTMLElement, update: (workers: [number, number][]) => void}}
 */
export function workerStrip() {
  const [marks, summary] = [el("div", { class: "strip", "aria-hidden": "true" }), el("p")];
  const table = numberTable(["worker", "idle", "steals"],
    ([idle, taken], index) => [String(index + 1), percent(idle), count(taken)]);
  const element = el("div", {}, marks, summary,
    el("details", {}, el("summary", {}, "all workers"), scroller("Workers", table.element)));
  function update(workers = []) {
    const items = workers.map(([idle], index) => ({ number: index + 1, idle }));
    reconcile(marks, items, ({ number }) => String(number), workerMark);
    table.update(workers);
    const idle = workers.map(([share]) => share);
    const range = [...new Set([Math.min(...idle), Math.max(...idle)].map(percent))].join(" to ");
    const taken = plural(workers.reduce((sum, [, pieces]) => sum + pieces, 0), "steal");
    setText(summary, `${plural(workers.length, "worker")}, idle ${range}, ${taken}`);
  }
  return { element, update };
}

/** The row of a resource. */
function shareRow([name]) {
  const value = el("span", { class: "n" });
  const { node: picture, full, update: fill } = bar();
  const node = el("li", {}, el("span", {}, name), picture, value);
  function update([, share]) {
    fill(share);
    full.classList.toggle("high", share > 0.9);
    setText(value, `${percent(share)}${share > 0.9 ? " !" : ""}`);
  }
  return { node, update };
}

/**
 * Shares of memory, disk and the like as bars, and what the program says of them.
 * @returns {{element: HTMLElement, update: (board: object) => void}}
 */
export function resourceBars() {
  const [bars, words] = [el("ul", { class: "shares" }), el("ul", { class: "words" })];
  function word(text) {
    return { node: el("li", {}, text) };
  }
  function update({ bars: shares = [], resources = [] }) {
    reconcile(bars, shares, ([name]) => name, shareRow);
    show(bars, shares.length > 0);
    reconcile(words, resources, (text) => text, word);
  }
  return { element: el("div", {}, bars, words), update };
}

/** The path of a curve through points, in a box of 100 by 30. */
function curve(points, end, most) {
  const place = ([at, value]) => `${((100 * at) / end).toFixed(2)} ${(30 - (28 * value) / most).toFixed(2)}`;
  return `M${points.map(place).join("L")}`;
}

/**
 * A small curve over the time of the search, with its last and its largest value.
 * @param {string} title
 * @param {(value: number) => string} text of a value
 * @returns {{element: HTMLElement, update: (points: [number, number][], end: number) => void}}
 */
export function smallCurve(title, text) {
  const [area, line] = [svg("path", { class: "area" }), svg("path", { class: "stroke" })];
  const id = uniqueId("curve");
  const [summary, until] = [el("span", { class: "n" }), el("span", { class: "n" })];
  const picture = svg("svg", { class: "curve", viewBox: "0 0 100 30", preserveAspectRatio: "none",
    "aria-hidden": "true" }, area, line);
  const element = el("div", { class: "small-curve", role: "group", "aria-labelledby": id },
    el("p", { class: "row" }, el("span", { id }, title), summary), picture,
    el("p", { class: "row tick" }, el("span", {}, "0 s"), until));
  function update(points, end) {
    const length = Math.max(end, points.at(-1)[0], 1e-9);
    const most = Math.max(...points.map(([, value]) => value));
    const path = curve(points, length, most || 1);
    line.setAttribute("d", path);
    area.setAttribute("d", `${path}V30H${((100 * points[0][0]) / length).toFixed(2)}z`);
    setText(summary, `last ${text(points.at(-1)[1])}, most ${text(most)}`);
    setText(until, time(length));
  }
  return { element, update };
}
