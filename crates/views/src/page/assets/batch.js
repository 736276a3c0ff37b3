// Histograms over many boards: of their optima, and of the times of their searches.

import { el, setText, show, reconcile } from "./dom.js";
import { figures, time, valueOf } from "./format.js";

const MOST_BARS = 20;
/** Edges of times, in seconds: 1, 2 and 5 times powers of ten. */
const EDGES = [-6, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5].flatMap((power) => [1, 2, 5].map((factor) => factor * 10 ** power));

const median = (values) => [...values].sort((a, b) => a - b)[values.length >> 1];

/** Whole numbers in bins of equal width; the parameter is the most bins. */
function wholeBins(values) {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const width = Math.ceil((high - low + 1) / MOST_BARS);
  const bins = Array.from({ length: Math.floor((high - low) / width) + 1 }, (_, at) => {
    const [first, last] = [low + at * width, low + at * width + width - 1];
    return { text: figures(first), words: width === 1 ? figures(first) : `${figures(first)} to ${figures(last)}`, count: 0 };
  });
  for (const value of values) bins[Math.floor((value - low) / width)].count += 1;
  return bins;
}

/** Times in bins that grow. */
function timeBins(values) {
  const binOf = (value) => EDGES.filter((edge) => edge <= value).length;
  const places = values.map(binOf);
  const [low, high] = [Math.min(...places), Math.max(...places)];
  const bins = Array.from({ length: high - low + 1 }, (_, at) => {
    const edge = EDGES[low + at - 1] ?? 0;
    return { text: time(edge), words: `${time(edge)} or more`, count: 0 };
  });
  for (const place of places) bins[place - low].count += 1;
  return bins;
}

function histogram(title) {
  const said = el("span", { class: "note" });
  const list = el("ol", { class: "histogram", "aria-label": title });
  function make() {
    const [bar, text] = [el("span", { class: "column-bar" }), el("span", { class: "tick", "aria-hidden": "true" })];
    const node = el("li", {}, el("span", { class: "column-box", "aria-hidden": "true" }, bar), text);
    const update = (bin) => {
      bar.style.setProperty("height", `${100 * bin.share}%`);
      setText(text, bin.isNamed ? bin.text : "");
      node.title = `${bin.words}: ${bin.count} ${bin.count === 1 ? "board" : "boards"}`;
      node.setAttribute("aria-label", node.title);
    };
    return { node, update };
  }
  function update(bins, words) {
    const most = Math.max(...bins.map(({ count }) => count));
    const every = Math.ceil(bins.length / 8);
    reconcile(list, bins.map((bin, at) => ({ ...bin, at, share: bin.count / most, isNamed: at % every === 0 })),
      ({ at }) => String(at), make);
    setText(said, words);
  }
  return { element: el("div", {}, el("p", { class: "row" }, el("span", {}, title), said), list), update };
}

/**
 * Histograms of the proven optima and of the times of a run's results. Nothing shows for a few boards.
 * @returns {{element: HTMLElement, update: (results: object[]) => boolean}} `update` gives whether anything shows
 */
export function batchView() {
  const [optima, times] = [histogram("Proven optima"), histogram("Time of a board")];
  const element = el("div", { class: "pair" }, optima.element, times.element);
  function update(results) {
    const proven = results.filter(({ status }) => status === "optimal").map(valueOf);
    const took = results.map(({ seconds }) => seconds).filter((seconds) => seconds !== undefined);
    const isShown = took.length > 3;
    show(optima.element, proven.length > 3);
    if (!isShown) return false;
    if (proven.length > 3) {
      const mean = proven.reduce((sum, value) => sum + value, 0) / proven.length;
      optima.update(wholeBins(proven), `${proven.length} boards, median ${figures(median(proven))}, mean ${mean.toFixed(2)}`);
    }
    times.update(timeBins(took), `median ${time(median(took))}, most ${time(Math.max(...took))}`);
    return true;
  }
  return { element, update };
}
