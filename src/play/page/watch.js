// Shows a search: layers with their counts, the two limits as they meet, the best board of the beam at each depth.

import { el, reconcile, setText } from "./dom.js";
import { iconButton, many } from "./dialog.js";
import { playerBar } from "./replay.js";

const count = (number) => number.toLocaleString("en-GB");

/** The summary of the first events of a search. */
function folded(events, upTo) {
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
        state.work = `${count(event.expanded)} states expanded, ${count(event.stored)} stored`;
        for (const layer of state.layers) if (layer.f === event.layer && !layer.isDone) layer.expanded = event.in_layer;
        break;
      case "stage": state.note = `${event.text}: ${count(event.done)} of ${count(event.total)}`; break;
      default: state.note = event.text ?? "";
    }
  }
  return state;
}

/** Both limits of the optimum on one line: the proven bound on one side, the best solution on the other. */
function limits(unit) {
  const [proven, best] = [el("span", { class: "limit proven" }), el("span", { class: "limit best" })];
  const words = el("p", { class: "limits-words", id: "limits" });
  const element = el("div", { class: "limits" }, el("div", { class: "track", "aria-hidden": "true" }, proven, best), words);
  const seen = { low: Infinity, high: -Infinity };
  function update(events, { bound, held }) {
    for (const { event, value } of events) {
      if (event !== "bound" && event !== "held") continue;
      [seen.low, seen.high] = [Math.min(seen.low, value), Math.max(seen.high, value)];
    }
    // A score is proven from above, everything else from below.
    const isScore = unit === "points";
    element.firstChild.style.setProperty("flex-direction", isScore ? "row-reverse" : "row");
    const width = seen.high - seen.low + 2;
    const [fromProven, fromBest] = isScore ? [seen.high - bound, held - seen.low] : [bound - seen.low, seen.high - held];
    for (const [node, value, far] of [[proven, bound, fromProven], [best, held, fromBest]]) {
      node.style.setProperty("width", value === null ? "0" : `${((far + 1) / width) * 100}%`);
    }
    const isMet = bound !== null && bound === held;
    element.classList.toggle("met", isMet);
    const texts = [bound === null ? "nothing proven yet" : `proven limit ${bound}`,
      held === null ? "no solution yet" : `best solution ${held}`];
    setText(words, isMet ? `${many(held, unit)}: proven and reached` : texts.join(", "));
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
      setText(number, isDone ? count(expanded) : `${count(expanded)} …`);
      bar.title = open ? `${count(open)} open at its begin` : "";
    };
    const node = el("li", {}, el("span", { class: "layer-f" }, String(f)), el("span", { class: "layer-track" }, bar), number);
    return { node, update };
  }
  function update(layers) {
    const most = Math.max(1, ...layers.map(({ expanded }) => expanded));
    const share = (expanded) => Math.max(1, (100 * Math.log1p(expanded)) / Math.log1p(most));
    reconcile(element, layers.map((layer) => ({ ...layer, share: share(layer.expanded) })), ({ f }) => String(f), make);
  }
  return { element, update };
}

/** Events of one kind that follow one another are one, where only the last one counts. */
function append(events, event) {
  const last = events.at(-1);
  const isSame = last?.event === event.event && ["progress", "stage"].includes(event.event) && last.text === event.text;
  if (isSame) events[events.length - 1] = event;
  else events.push(event);
}

/**
 * The panel of a search of a position, with its film.
 * @param {object} asked `ask`, `game`, `moves` to the position, `seconds`, `unit`, `show(moves)`, `close()`
 */
export function searchFilm({ ask, game, moves, seconds, unit, show: showBoard, close }) {
  const events = [];
  const [bounds, layers] = [limits(unit), layerList()];
  const [beam, work, end] = ["caption", "note", "result-line"].map((name) => el("p", { class: name }));
  end.setAttribute("role", "status");
  const now = { at: 0, shown: null };
  const bar = playerBar({ milliseconds: 260, shows: showEvent });
  const element = el("section", { class: "film", "aria-label": "The search" },
    el("h2", {}, "The search of this position"), bar.element, beam, bounds.element,
    el("div", { class: "layers-head note" }, el("span", {}, "layer"), el("span", {}, "states expanded in the layer")),
    layers.element, work, end,
    el("div", { class: "actions" }, iconButton("close", "Back to my game", () => close(), { key: "Esc" })));

  function showEvent(at) {
    now.at = at;
    const state = folded(events, at);
    bounds.update(events.slice(0, at), state);
    layers.update(state.layers);
    setText(work, state.work || state.note);
    const line = state.beam?.moves ?? [];
    setText(beam, state.beam?.width ? `Beam of width ${count(state.beam.width)}, depth ${state.beam.depth}`
      : state.beam ? `Best solution: ${many(state.beam.depth, "moves")}` : "The position");
    const path = [...moves, ...line];
    if (path.join(" ") !== now.shown) showBoard(path);
    now.shown = path.join(" ");
  }
  const control = new AbortController();
  async function run() {
    try {
      const onEvent = (event) => {
        append(events, event);
        bar.extend(events.length, false);
      };
      const asked = { ask: "solve", game, moves, seconds, watch: true };
      const { status, expanded, seconds: took } = await ask(asked, { onEvent, signal: control.signal });
      setText(end, `${status}: ${count(expanded)} states expanded in ${took.toFixed(2)} s`);
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
  return { element, bar, start, end: () => control.abort() };
}
