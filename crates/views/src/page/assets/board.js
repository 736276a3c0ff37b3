// The view of one board: the proven range, both curves, the incumbent, layers, estimates, workers, resources.

import { el, setText, show, reconcile, factList, panel, numberTable } from "./dom.js";
import { bytes, count, short, time } from "./format.js";
import { boundsChart } from "./steps.js";
import { layerTable, resourceBars, smallCurve, workerStrip } from "./bars.js";
import { player } from "./player.js";

/** The notes of the program; lines that begin with spaces belong to the line before. */
function noteList() {
  const element = el("ul", { class: "notes" });
  const make = ({ text }) => ({ node: el("li", { class: /^\s/.test(text) ? "sub" : null }, text.trim()) });
  return { element, update: (notes) => reconcile(element, notes.map((text) => ({ text })), ({ text }) => text, make) };
}

function rankTable() {
  const known = (value, text) => (value === undefined ? "" : text(value));
  return numberTable(["rank", "expanded", "stored", "resident"], (rank, index) =>
    [String(index), known(rank.expanded, count), known(rank.stored, count), known(rank.resident, bytes)]);
}

/**
 * The view of a board. `update` takes a BoardView, `film` a promise of a film.
 * @returns {{element: HTMLElement, actions: HTMLElement, update: (board: object) => void,
 *   film: (film: Promise<object>) => Promise<void>}}
 */
export function boardView() {
  const [name, range] = [el("h2", { class: "name" }), el("p", { class: "range" })];
  const actions = el("p", { class: "actions" });
  const facts = factList();
  const [chart, layers, notes, strip, resources, ranks, film] =
    [boundsChart(), layerTable(), noteList(), workerStrip(), resourceBars(), rankTable(), player()];
  const rate = smallCurve("expanded in a second", short);
  const memory = smallCurve("memory", bytes);
  const panels = {
    bounds: panel("Proven and best over time", "", chart.element),
    film: panel("Board", "film", film.element),
    layers: panel("Layers", "", layers.element),
    notes: panel("Rate and estimates", "", notes.element),
    workers: panel("Workers", "", strip.element),
    resources: panel("Resources", "", resources.element),
    ranks: panel("Ranks", "", ranks.element),
    curves: panel("Over time", "", el("div", { class: "pair" }, rate.element, memory.element)),
  };
  const pair = (...parts) => el("div", { class: "pair" }, ...parts);
  // The board stands at the right, and the others flow around it.
  const parts = [panels.film, panels.bounds, pair(panels.layers, panels.notes), panels.curves,
    pair(panels.resources, panels.workers), panels.ranks];
  const head = el("div", { class: "board-head" }, el("div", {}, name, range, facts.element), actions);
  const element = el("article", { class: "board" }, head, el("div", { class: "columns" }, ...parts));
  const asked = { film: null };

  function update(board) {
    // For boards side by side, a view without a board number shows the sums.
    const isOne = board.number !== undefined;
    setText(name, isOne ? board.name : "all boards together");
    setText(range, isOne ? board.range : "");
    facts.update([
      ["board", board.number], ["engine", board.engine], ["ended", board.ended],
      ["time", board.end ? time(board.end) : undefined],
    ]);
    chart.update(board);
    const { layers: rows = [], now, notes: lines = [], workers = [], ranks: hosts = [] } = board;
    const { rate: rates = [], memory: sizes = [], bars = [], resources: words = [], end = 0 } = board;
    for (const [part, isShown] of [
      [panels.bounds, isOne && (board.proven || !board.ended)], [panels.film, isOne],
      [panels.layers, rows.length > 0 || now], [panels.notes, lines.length], [panels.workers, workers.length],
      [panels.ranks, hosts.length], [panels.resources, bars.length + words.length],
      [panels.curves, rates.length > 1 || sizes.length > 1], [rate.element, rates.length > 1],
      [memory.element, sizes.length > 1],
    ]) show(part, Boolean(isShown));
    layers.update(board);
    notes.update(lines);
    resources.update(board);
    if (workers.length) strip.update(workers);
    if (hosts.length) ranks.update(hosts);
    if (rates.length > 1) rate.update(rates, end);
    if (sizes.length > 1) memory.update(sizes, end);
  }
  async function takeFilm(promise) {
    asked.film = promise;
    try {
      const taken = await promise;
      if (asked.film === promise) film.update(taken);
    } catch (error) {
      if (asked.film === promise) film.say(error.message);
      if (error.isLost) throw error;
    }
  }
  return { element, actions, update, film: takeFilm };
}
