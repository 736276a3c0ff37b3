// Shows a search: counts of its layers, the two limits of the optimum, the best board of the beam at each depth.

import { el, reconcile, setText } from "./dom.js";
import { grouped, iconButton, plural } from "./dialog.js";
import { playerBar } from "./replay.js";

/** The state of a search after its first `upTo` events. */
function summarise(events, upTo) {
  const state = { layers: [], bound: null, held: null, work: "", beam: null, note: "" };
  for (const event of events.slice(0, upTo)) {
    switch (event.event) {
      case "bound": state.bound = event.value; break;
      case "held": [state.held, state.beam] = [event.value, { depth: event.moves.length, moves: event.moves }]; break;
      case "engine": break;
      case "layer": state.layers.push({ f: event.f, open: event.open, expanded: 0, isDone: false }); break;
      case "layer-done": {
        const layer = state.layers.find(({ f }) => f === event.f);
        if (layer) Object.assign(layer, { expanded: event.expanded, isDone: true });
        else state.layers.push({ f: event.f, expanded: event.expanded, isDone: true });
        break;
      }
      case "beam": state.beam = event; break;
      case "progress":
        state.work = `${plural(event.expanded, "states expanded")}, ${grouped(event.stored)} stored`;
        for (const layer of state.layers) if (layer.f === event.layer && !layer.isDone) layer.expanded = event.in_layer;
        break;
      case "stage": state.note = `${event.text}: ${grouped(event.done)} of ${grouped(event.total)}`; break;
      default: state.note = event.text ?? "";
    }
  }
  return state;
}

/** A bar with both limits of the optimum: the proven one grows from one side, the best solution from the other. */
function limits(unit) {
  const [proven, best] = [el("span", { class: "limit proven" }), el("span", { class: "limit best" })];
  const words = el("p", { class: "limits-words", id: "limits" });
  const element = el("div", { class: "limits" }, el("div", { class: "track", "aria-hidden": "true" }, proven, best), words);
  const range = { low: Infinity, high: -Infinity };
  function update(events, { bound, held }) {
    for (const { event, value } of events) {
      if (event !== "bound" && event !== "held") continue;
      [range.low, range.high] = [Math.min(range.low, value), Math.max(range.high, value)];
    }
    // The proven limit of a score is an upper one; of all other objectives, a lower one.
    const isScore = unit === "points";
    element.firstChild.style.setProperty("flex-direction", isScore ? "row-reverse" : "row");
    const width = range.high - range.low + 2;
    const [fromProven, fromBest] = isScore ? [range.high - bound, held - range.low] : [bound - range.low, range.high - held];
    for (const [node, value, distance] of [[proven, bound, fromProven], [best, held, fromBest]]) {
      node.style.setProperty("width", value === null ? "0" : `${((distance + 1) / width) * 100}%`);
    }
    const isMet = bound !== null && bound === held;
    element.classList.toggle("met", isMet);
    const texts = [bound === null ? "nothing proven yet" : `proven limit ${bound}`,
      held === null ? "no solution yet" : `best solution ${held}`];
    setText(words, isMet ? `${plural(held, unit)}: proven and reached` : texts.join(", "));
  }
  return { element, update };
}

function layerList() {
  const element = el("ol", { class: "layers", id: "layers", "aria-label": "Layers" });
  function make({ f }) {
    const [bar, number] = [el("span", { class: "layer-bar" }), el("span", { class: "n" })];
    const update = ({ expanded, isDone, share, open }) => {
      bar.style.setProperty("width", `${share}%`);
      bar.classList.toggle("open", !isDone);
      setText(number, isDone ? grouped(expanded) : `${grouped(expanded)} …`);
      bar.title = open ? `${grouped(open)} open at its start` : "";
    };
    const node = el("li", {}, el("span", { class: "layer-f" }, String(f)), el("span", { class: "layer-track" }, bar), number);
    return { node, update };
  }
  function update(layers) {
    const maximum = Math.max(1, ...layers.map(({ expanded }) => expanded));
    const share = (expanded) => Math.max(1, (100 * Math.log1p(expanded)) / Math.log1p(maximum));
    reconcile(element, layers.map((layer) => ({ ...layer, share: share(layer.expanded) })), ({ f }) => String(f), make);
  }
  return { element, update };
}

/** Appends an event. Of consecutive events `progress` or `stage` with the same text, only the last one is kept. */
function append(events, event) {
  const last = events.at(-1);
  const isUpdate = last?.event === event.event && ["progress", "stage"].includes(event.event) && last.text === event.text;
  if (isUpdate) events[events.length - 1] = event;
  else events.push(event);
}

/**
 * The panel of a search of a position, with its film.
 * @param {object} options `ask`, `game`, `moves` to the position, `seconds`, `unit`, `show(moves)`, `close()`
 */
export function searchFilm({ ask, game, moves, seconds, unit, show: showBoard, close }) {
  const events = [];
  const [bounds, layers] = [limits(unit), layerList()];
  const [beam, work, end] = ["caption", "note", "result-line"].map((name) => el("p", { class: name }));
  end.setAttribute("role", "status");
  const state = { at: 0, shown: null };
  const bar = playerBar({ milliseconds: 260, onFrame: showEvent });
  const element = el("section", { class: "film", "aria-label": "The search" },
    el("h2", {}, "The search of this position"), bar.element, beam, bounds.element,
    el("div", { class: "layers-head note" }, el("span", {}, "layer"), el("span", {}, "states expanded in the layer")),
    layers.element, work, end,
    el("div", { class: "actions" }, iconButton("close", "Back to my game", () => close(), { key: "Esc" })));

  function showEvent(at) {
    state.at = at;
    const summary = summarise(events, at);
    bounds.update(events.slice(0, at), summary);
    layers.update(summary.layers);
    setText(work, summary.work || summary.note);
    const beamMoves = summary.beam?.moves ?? [];
    setText(beam, summary.beam?.width ? `Beam of width ${grouped(summary.beam.width)}, depth ${summary.beam.depth}`
      : summary.beam ? `Best solution: ${plural(summary.beam.depth, "moves")}` : "The position");
    const path = [...moves, ...beamMoves];
    if (path.join(" ") !== state.shown) showBoard(path);
    state.shown = path.join(" ");
  }
  const controller = new AbortController();
  async function run() {
    try {
      const onEvent = (event) => {
        append(events, event);
        bar.extend(events.length, false);
      };
      const question = { ask: "solve", game, moves, seconds, watch: true };
      const { status, expanded, seconds: searchSeconds } = await ask(question, { onEvent, signal: controller.signal });
      setText(end, `${status}: ${plural(expanded, "states expanded")} in ${searchSeconds.toFixed(2)} s`);
    } catch (error) {
      if (error.name === "AbortError") return;
      setText(end, error.message);
    }
    bar.extend(events.length, true);
  }
  function start() {
    showEvent(0);
    run();
    bar.play();
  }
  return { element, bar, start, end: () => controller.abort() };
}
