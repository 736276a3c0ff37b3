// The chart of the proven bound and the best solution over time: two step curves that approach each other.
// Proven values are a solid line with a filled area (values that are ruled out), the best solution is a dotted line,
// and the gap between them is hatched. For scores the proven curve lies above.

import { el, svg, setText, show, panel, uniqueId, choice } from "./dom.js";
import { figures, time, niceStep } from "./format.js";

const HEIGHT = 264;
const EDGE = { top: 12, bottom: 26 };
const LOG_TICKS = [1e-4, 1e-3, 0.01, 0.1, 1, 10, 60, 600, 3600, 21600, 86400, 864000, 8640000];
const LINEAR_STEPS = [
  1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200,
  10800, 21600, 43200, 86400, 172800, 432000, 864000,
];

/** The value of a step curve at a time, or undefined before its first step. */
function valueAt(steps, at) {
  let value;
  for (const [moment, next] of steps) {
    if (moment > at) break;
    value = next;
  }
  return value;
}

/** The times at which one of the curves changes, rising, with the end. */
function moments(data) {
  const all = [...data.proven, ...data.best].map(([at]) => at);
  return [...new Set([...all, data.end])].filter((at) => at <= data.end).sort((a, b) => a - b);
}

/** Places on both axes. */
function scales(data, isLog, width) {
  const values = [...data.proven, ...data.best].map(([, value]) => value);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const pad = Math.max(0.75, (high - low) * 0.08);
  // Room for the largest values at both ends.
  const letters = figures(Math.ceil(high)).length;
  const [left, right, bottom] = [12 + 7 * letters, width - 60 - 8 * letters, HEIGHT - EDGE.bottom];
  const y = (value) => bottom - ((value - low + pad) / (high - low + 2 * pad)) * (bottom - EDGE.top);
  const end = Math.max(data.end, 1e-3);
  const first = Math.max(Math.min(...moments(data).filter((at) => at > 0), end), end / 1e5);
  let from = LOG_TICKS.findLast((tick) => tick <= first) ?? LOG_TICKS[0];
  if (from > end / 2) from = end / 10;
  const share = (at) => (isLog ? Math.log(Math.max(at, from) / from) / Math.log(end / from) : at / end);
  const x = (at) => left + Math.max(0, Math.min(1, share(at))) * (right - left);
  const atX = (place) => {
    const part = Math.max(0, Math.min(1, (place - left) / (right - left)));
    return isLog ? from * (end / from) ** part : part * end;
  };
  return { x, y, atX, low, high, from, end, left, right, bottom };
}

/** A path along a step curve from its first step to the end of the chart. */
function stepPath(steps, scale) {
  const [[first, value], ...more] = steps;
  let path = `M${scale.x(first).toFixed(1)} ${scale.y(value).toFixed(1)}`;
  for (const [at, next] of more) path += `H${scale.x(at).toFixed(1)}V${scale.y(next).toFixed(1)}`;
  return `${path}H${scale.x(scale.end).toFixed(1)}`;
}

/** The area between the curves, as rectangles where both are known. */
function gapPath(data, scale) {
  const times = moments(data);
  let path = "";
  for (const [index, at] of times.slice(0, -1).entries()) {
    const [proven, best] = [valueAt(data.proven, at), valueAt(data.best, at)];
    if (proven === undefined || best === undefined || proven === best) continue;
    const [x1, x2] = [scale.x(at).toFixed(1), scale.x(times[index + 1]).toFixed(1)];
    path += `M${x1} ${scale.y(proven).toFixed(1)}H${x2}V${scale.y(best).toFixed(1)}H${x1}z`;
  }
  return path;
}

/** The text of a tick, where it is held, and where it begins and ends. */
function tickAt(at, scale, isLog, isLive) {
  const isEnd = at === scale.end;
  const text = isEnd && isLive ? `now, ${time(at)}` : at === scale.from && isLog ? `≤ ${time(at)}` : time(at);
  const anchor = isEnd ? "end" : at <= scale.from || at === 0 ? "start" : "middle";
  const [x, wide] = [scale.x(at), 6.6 * text.length];
  const begins = x - wide * { end: 1, start: 0, middle: 0.5 }[anchor];
  return { x: x.toFixed(1), text, anchor, begins, ends: begins + wide };
}

function timeTicks(scale, isLog, isLive) {
  const room = scale.right - scale.left;
  const step = niceStep(scale.end, room / 62, LINEAR_STEPS);
  const linear = Array.from({ length: Math.floor(scale.end / step + 1e-9) + 1 }, (_, index) => index * step);
  const wanted = isLog ? [scale.from, ...LOG_TICKS.filter((tick) => tick > scale.from)] : linear;
  const last = tickAt(scale.end, scale, isLog, isLive);
  const kept = [];
  for (const tick of wanted.filter((at) => at < scale.end).map((at) => tickAt(at, scale, isLog, isLive))) {
    if (tick.begins > (kept.at(-1)?.ends ?? -Infinity) + 8 && tick.ends + 8 < last.begins) kept.push(tick);
  }
  return [...kept, last];
}

function axes(scale, isLog, isLive) {
  const parts = [];
  const step = Math.max(1, niceStep(scale.high - scale.low, 8, []));
  for (let value = Math.ceil(scale.low / step) * step; value <= scale.high; value += step) {
    const y = scale.y(value);
    parts.push(svg("path", { class: "grid", d: `M${scale.left} ${y.toFixed(1)}H${scale.right}` }));
    parts.push(svg("text", { class: "tick", x: scale.left - 6, y: y + 4, "text-anchor": "end" }, figures(value)));
  }
  for (const { x, text, anchor } of timeTicks(scale, isLog, isLive)) {
    parts.push(svg("path", { class: "axis", d: `M${x} ${scale.bottom}v4` }));
    parts.push(svg("text", { class: "tick", x, y: scale.bottom + 18, "text-anchor": anchor }, text));
  }
  parts.push(svg("path", { class: "axis", d: `M${scale.left} ${scale.bottom}H${scale.right}` }));
  return parts;
}

/** Names and last values at the right end of the curves, never over one another. */
function endLabels(data, scale) {
  const labels = [["best", data.best], ["proven", data.proven]].filter(([, steps]) => steps.length);
  const placed = labels.map(([name, steps]) => ({ name, value: steps.at(-1)[1], y: scale.y(steps.at(-1)[1]) }));
  placed.sort((a, b) => a.y - b.y);
  if (placed.length === 2 && placed[1].y - placed[0].y < 17) {
    const middle = Math.max(EDGE.top + 9, Math.min(scale.bottom - 9, (placed[0].y + placed[1].y) / 2));
    [placed[0].y, placed[1].y] = [middle - 8.5, middle + 8.5];
  }
  const one = ({ name, value, y }) =>
    svg("text", { class: `end ${name}`, x: scale.right + 8, y: y + 4 }, `${name} ${figures(value)}`);
  return placed.map(one);
}

function drawing(data, isLog, width, id) {
  const scale = scales(data, isLog, width);
  const hatch = svg("pattern", { id, width: 6, height: 6, patternUnits: "userSpaceOnUse" });
  hatch.append(svg("path", { class: "hatch", d: "M-1 1l2-2M0 6l6-6M5 7l2-2" }));
  const parts = [svg("defs", {}, hatch)];
  const isUpper = isUpperLimit(data);
  if (data.proven.length) {
    const [edge, start] = [isUpper ? EDGE.top : scale.bottom, scale.x(data.proven[0][0]).toFixed(1)];
    parts.push(svg("path", { class: "ruled-out", d: `${stepPath(data.proven, scale)}V${edge}H${start}z` }));
  }
  parts.push(svg("path", { class: "gap", d: gapPath(data, scale), fill: `url(#${id})` }), ...axes(scale, isLog, data.isLive));
  if (data.proven.length) parts.push(svg("path", { class: "line proven", d: stepPath(data.proven, scale) }));
  if (data.best.length) parts.push(svg("path", { class: "line best", d: stepPath(data.best, scale) }));
  parts.push(...endLabels(data, scale));
  return { parts, scale };
}

/** Whether the proven values are upper limits, as for scores. */
function isUpperLimit(data) {
  if (!data.best.length) return data.word === "score";
  return data.proven.some(([at, value]) => value > (valueAt(data.best, at) ?? Infinity));
}

/** The values of both curves at a time, as text. */
function readOut(data, at) {
  const [proven, best] = [valueAt(data.proven, at), valueAt(data.best, at)];
  const words = [time(at), `proven ${proven ?? "nothing"}`, `best ${best ?? "none"}`];
  if (proven !== undefined && best !== undefined) words.push(`gap ${Math.abs(best - proven)}`);
  return words.join("  ·  ");
}

function cursorParts(data, scale, at) {
  const x = scale.x(at).toFixed(1);
  const parts = [svg("path", { class: "cursor", d: `M${x} ${EDGE.top}V${scale.bottom}` })];
  for (const [name, steps] of [["proven", data.proven], ["best", data.best]]) {
    const value = valueAt(steps, at);
    if (value !== undefined) parts.push(svg("circle", { class: `dot ${name}`, cx: x, cy: scale.y(value), r: 4 }));
  }
  return parts;
}

/**
 * Charts of boards that several runs have searched last, one for each board.
 * @param {{name: string, board: ?object}[]} runs
 * @returns {HTMLElement[]}
 */
export function comparisons(runs) {
  const drawn = runs.filter(({ board }) => board?.proven?.length || board?.best?.length);
  const searches = Map.groupBy(drawn, ({ board: { name, word } }) => `${name} ${word}`);
  return [...searches.values()].filter((several) => several.length > 1).map((several) =>
    panel(`${several[0].board.name} in ${several.length} runs`, "wide",
      comparison(several.map(({ name, board: { proven = [], best = [], end = 0 } }) => ({ name, proven, best, end })))));
}

/** A chart of several searches of one board: a colour for each, proven values as a line, best solutions as dots. */
function comparison(searches) {
  const all = (name) => searches.flatMap((search) => search[name]);
  const data = { proven: all("proven"), best: all("best"), end: Math.max(...searches.map(({ end }) => end)) };
  const picture = svg("svg", { class: "chart", "aria-hidden": "true" });
  const last = (steps) => (steps.length ? figures(steps.at(-1)[1]) : "nothing");
  const names = searches.map(({ name, proven, best, end }, at) => el("li", {},
    el("span", { class: `key search-${at % 6}`, "aria-hidden": "true" }),
    `${name}: proven ${last(proven)}, best ${last(best)}, ${time(end)}`));
  function draw(width) {
    const scale = scales(data, true, width);
    const line = (steps, name, at) => steps.length > 0
      && svg("path", { class: `line ${name} search-${at % 6}`, d: `${stepPath(steps, { ...scale, end: searches[at].end })}` });
    picture.setAttribute("viewBox", `0 0 ${width} ${HEIGHT}`);
    picture.replaceChildren(...axes(scale, true), ...searches.flatMap(({ proven, best }, at) =>
      [line(proven, "proven", at), line(best, "best", at)].filter(Boolean)));
  }
  new ResizeObserver(([{ contentRect: { width } }]) => width > 50 && draw(width)).observe(picture);
  return el("div", {}, picture, el("ul", { class: "searches" }, ...names));
}

/**
 * The chart. `update` takes the fields proven, best, end and word of a board, and `isLive` if its search goes on.
 * @returns {{element: HTMLElement, update: (board: object) => void}}
 */
export function boundsChart() {
  const id = uniqueId("hatch");
  const chart = { data: null, scale: null, at: null, width: 640, isLog: choice("scale") !== "linear" };
  const [plain, cursor] = [svg("g"), svg("g")];
  const picture = svg("svg", { class: "chart", "aria-hidden": "true" }, plain, cursor);
  const box = el("div", {
    class: "plot", tabindex: "0", role: "slider", "aria-label": "Proven and best over time: time",
    "aria-valuemin": "0", "aria-orientation": "horizontal",
  }, picture);
  const summary = el("p", { class: "readout" });
  const empty = el("p", { class: "empty" });
  const scaleButton = (name, isLog) => el("button", { type: "button", on: { click: () => choose(isLog) } }, name);
  const buttons = [scaleButton("log time", true), scaleButton("linear", false)];
  const group = el("div", { class: "segments", role: "group", "aria-label": "Scale of the time" }, ...buttons);
  const top = el("div", { class: "row" }, summary, group);
  const element = el("div", {}, top, box, empty);

  function choose(isLog) {
    chart.isLog = isLog;
    choice("scale", isLog ? "log" : "linear");
    draw();
  }
  function draw() {
    buttons.forEach((button, index) => button.setAttribute("aria-pressed", String(chart.isLog === (index === 0))));
    if (!chart.data) return;
    const { parts, scale } = drawing(chart.data, chart.isLog, chart.width, id);
    chart.scale = scale;
    picture.setAttribute("viewBox", `0 0 ${chart.width} ${HEIGHT}`);
    plain.replaceChildren(...parts);
    point(chart.at);
  }
  function point(at) {
    chart.at = at === null ? null : Math.min(at, chart.data.end);
    const shown = chart.at ?? chart.data.end;
    cursor.replaceChildren(...(chart.at === null ? [] : cursorParts(chart.data, chart.scale, chart.at)));
    const text = readOut(chart.data, shown);
    const end = chart.data.isLive ? "now" : "at the end";
    setText(summary, chart.at === null ? `${end}: ${text}` : `at ${text}`);
    box.setAttribute("aria-valuemax", String(chart.data.end));
    box.setAttribute("aria-valuenow", String(shown));
    box.setAttribute("aria-valuetext", text);
  }
  function press(event) {
    const times = moments(chart.data);
    const at = chart.at ?? chart.data.end;
    const moves = {
      ArrowLeft: () => times.findLast((moment) => moment < at) ?? times[0],
      ArrowRight: () => times.find((moment) => moment > at) ?? times.at(-1),
      Home: () => times[0],
      End: () => times.at(-1),
    };
    if (event.altKey || event.ctrlKey || event.metaKey || !moves[event.key]) return;
    event.preventDefault();
    point(moves[event.key]());
  }
  function hover(event) {
    const { left, width } = picture.getBoundingClientRect();
    point(chart.scale.atX(((event.clientX - left) / width) * chart.width));
  }
  box.addEventListener("keydown", press);
  box.addEventListener("pointermove", hover);
  box.addEventListener("pointerleave", () => point(null));
  new ResizeObserver(([{ contentRect }]) => {
    if (contentRect.width < 50 || Math.abs(contentRect.width - chart.width) < 1) return;
    chart.width = contentRect.width;
    draw();
  }).observe(box);

  function update(board) {
    const { proven = [], best = [], end = 0, word = "moves", isLive = false } = board;
    const isDrawn = word !== "clear" && proven.length + best.length > 0;
    show(box, isDrawn);
    show(top, isDrawn);
    show(empty, !isDrawn);
    setText(empty, word === "clear" ? "The board can be cleared or not: there are no bounds to draw."
      : "No lower bound and no solution yet.");
    chart.data = isDrawn ? { proven, best, word, isLive, end: Math.max(end, ...[...proven, ...best].map(([at]) => at)) } : null;
    draw();
  }
  return { element, update };
}
