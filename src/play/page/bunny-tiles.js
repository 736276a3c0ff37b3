// The tiles of a program: shows, selects, adds, drags and removes them.

import { el } from "./dom.js";
import { outline } from "./dialog.js";
import { dragTiles } from "./bunny-drag.js";
import {
  insertTile, liesIn, listAt, loopAround, MAX_COUNT, moveTile, placesOf, placeWords, removeTile, replaceTile, tileAt,
  tileOf, wordsOf,
} from "./bunny-program.js";

const ICONS = {
  F: "M2.5 11.5c1.5-6 7.5-6 9-.5M13.8 8l-2.2 3.6L8 9.4",
  L: "M6 3L2.5 6.5 6 10M2.5 6.5H9a4 4 0 0 1 4 4v3",
  R: "M10 3l3.5 3.5L10 10M13.5 6.5H7a4 4 0 0 0-4 4v3",
  LOOP: "M3 8a5 5 0 0 1 9-3M13 8a5 5 0 0 1-9 3M12.4 1.8V5H9.2M3.6 14.2V11h3.2",
};
const NAMES = { F: "Hop", L: "Left", R: "Right", LOOP: "Loop" };
/** The key of each kind of tile. */
const TILE_KEYS = { f: "F", l: "L", r: "R", o: "LOOP" };

const iconOf = (kind) => outline(ICONS[kind]);
const timesOf = (count) => (count === null ? "∞" : `×${count}`);

/** A program as tiles that cannot be edited. Tiles after the first `knownCount` are shown as unknown. */
export function stillTiles(tiles, knownCount = Infinity) {
  let shown = 0;
  const nodeOf = ({ kind, count, body }) => {
    shown += 1;
    const isKnown = shown <= knownCount;
    const text = isKnown ? (body ? timesOf(count) : kind) : "?";
    const head = el("span", { class: `tile still ${isKnown ? `tile-${kind.toLowerCase()}` : "unknown"}` },
      isKnown ? iconOf(kind) : null, el("span", {}, text));
    if (!body) return head;
    const inner = body.map(nodeOf);
    return isKnown ? el("span", { class: "loop" }, head, el("span", { class: "tiles" }, ...inner)) : [head, ...inner];
  };
  return el("span", { class: "tiles", "aria-hidden": "true" }, ...tiles.map(nodeOf).flat(Infinity));
}

/** The buttons that add tiles. */
function trayButtons(add) {
  return Object.entries(TILE_KEYS).map(([key, kind]) =>
    el("button", { type: "button", class: `tile tray-tile tile-${kind.toLowerCase()}`, "data-kind": kind,
      "aria-keyshortcuts": key, "aria-label": `Add ${wordsOf(tileOf(kind)).replace("Endless loop, 0 tiles inside", "a loop")}`,
      on: { click: () => add(kind) } }, iconOf(kind), el("span", { "aria-hidden": "true" }, NAMES[kind]),
    el("kbd", { "aria-hidden": "true" }, key)));
}

/** The inputs for the count of the selected loop. */
function countControls(setCount) {
  let isFresh = true;
  const input = el("input", { type: "number", inputmode: "numeric", min: 1, max: MAX_COUNT, step: 1, id: "loop-count", placeholder: "×7",
    "aria-label": "Rounds of the loop", on: { change: () => setCount(Number(input.value)), input: typed, focus: () => {
      isFresh = true;
    } } });
  /** All typing until the field is left is one edit. */
  function typed() {
    if (!input.checkValidity() || !input.value) return;
    setCount(Number(input.value), { isSameEdit: !isFresh });
    isFresh = false;
  }
  const button = (text, label, act) =>
    el("button", { type: "button", class: "button bare", "aria-label": label, on: { click: act } }, text);
  const endless = button("∞", "Endless", () => setCount(null));
  const element = el("div", { class: "count-controls", role: "group", "aria-label": "Loop" },
    button("−", "One round less", () => setCount((Number(input.value) || 2) - 1)), input,
    button("+", "One round more", () => setCount((Number(input.value) || 0) + 1)), endless);
  /** @param {?{count: ?number}} loop */
  function update(loop) {
    element.classList.toggle("idle", !loop);
    for (const node of element.querySelectorAll("button, input")) node.disabled = !loop;
    if (document.activeElement !== input) input.value = loop?.count ?? "";
    endless.setAttribute("aria-pressed", String(loop?.count === null));
  }
  return { element, update };
}

/**
 * The editor. `onEdit(tiles, place, isSameEdit)` reports an edit or its continuation; `onChoose(place)` a selection.
 * @param {{onEdit: Function, onChoose: Function, say: (text: string) => void}} options
 */
export function tileEditor({ onEdit, onChoose, say }) {
  const state = { tiles: [], place: [0], digits: "", running: null, empty: null };
  const list = el("div", { class: "tiles root", "data-list": "" });
  const element = el("div", { class: "program", role: "group", "aria-label": "Program", id: "program" }, list);
  const counts = countControls((count, { isSameEdit = false } = {}) => setCount(count, isSameEdit));
  const tray = el("div", { class: "tray-tiles", role: "group", "aria-label": "Tiles" }, ...trayButtons((kind) => add(kind)));
  const nodes = new Map();
  const key = (place) => place.join(".");

  function tileNode(tile, place) {
    const { kind, count, body } = tile;
    const round = el("span", { class: "round", "aria-hidden": "true" });
    const button = el("button", { type: "button", class: `tile tile-${kind.toLowerCase()}`, tabindex: "-1",
      "data-place": key(place), "aria-label": `${wordsOf(tile)}, ${placeWords(state.tiles, place)}`,
      on: { click: () => choose(place) } }, iconOf(kind), el("span", {}, body ? timesOf(count) : kind), body ? round : null);
    nodes.set(key(place), button);
    if (!body) return button;
    return el("div", { class: "loop", role: "group", "aria-label": wordsOf(tile) }, button,
      el("div", { class: "tiles", "data-list": key(place) }, ...inList(body, place)));
  }
  function inList(tiles, outer) {
    const place = [...outer, tiles.length];
    const slot = el("button", { type: "button", class: "slot", tabindex: "-1", "data-place": key(place),
      "aria-label": `${placeWords(state.tiles, place)}: tiles are added here`, on: { click: () => choose(place) } }, "+");
    nodes.set(key(place), slot);
    return [...tiles.map((tile, index) => tileNode(tile, [...outer, index])), slot];
  }
  function render() {
    const hadFocus = element.contains(document.activeElement);
    nodes.clear();
    list.replaceChildren(...inList(state.tiles, []));
    mark();
    if (hadFocus) nodes.get(key(state.place))?.focus({ preventScroll: true });
  }
  /** Marks the selected place, the running tile, the empty loop, and the loop whose count is shown. */
  function mark() {
    for (const [name, node] of nodes) {
      const isChosen = name === key(state.place);
      node.tabIndex = isChosen ? 0 : -1;
      if (isChosen) node.setAttribute("aria-current", "true");
      else node.removeAttribute("aria-current");
      node.classList.toggle("lacking", name === (state.empty && key(state.empty)));
    }
    const loop = loopAround(state.tiles, state.place);
    for (const [name, node] of nodes) node.classList.toggle("counted", Boolean(loop) && name === key(loop));
    counts.update(loop && tileAt(state.tiles, loop));
    showRunning(state.running);
  }
  /** @param {?{place: number[], rounds: number[]}} running the tile that runs */
  function showRunning(running) {
    state.running = running;
    for (const node of element.querySelectorAll(".runs")) node.classList.remove("runs");
    for (const node of element.querySelectorAll(".round")) node.textContent = "";
    if (!running) return;
    nodes.get(key(running.place))?.classList.add("runs");
    running.rounds.forEach((round, depth) => {
      const place = running.place.slice(0, depth + 1);
      const node = nodes.get(key(place));
      node?.classList.add("runs");
      const text = node?.querySelector(".round");
      const { count } = tileAt(state.tiles, place);
      if (text) text.textContent = count === null ? String(round) : `${round}/${count}`;
    });
  }

  function choose(place, { isFocused = true } = {}) {
    state.place = place;
    state.digits = "";
    mark();
    if (isFocused) nodes.get(key(place))?.focus({ preventScroll: true });
    onChoose(place);
  }
  function edit(tiles, place, text, isSameEdit = false) {
    Object.assign(state, { tiles, place, running: null });
    if (!isSameEdit) state.digits = "";
    render();
    onEdit(tiles, place, isSameEdit);
    if (text) say(text);
  }
  /** Adds a tile after the selected one, or at the selected slot. After a new loop, its inside is selected. */
  function add(kind) {
    const isTile = tileAt(state.tiles, state.place) !== undefined;
    const place = isTile ? state.place.with(-1, state.place.at(-1) + 1) : state.place;
    const tiles = insertTile(state.tiles, place, tileOf(kind));
    const next = kind === "LOOP" ? [...place, 0] : isTile ? place : place.with(-1, place.at(-1) + 1);
    edit(tiles, next, `${wordsOf(tileAt(tiles, place))}, ${placeWords(tiles, place)}`);
  }
  function remove({ isBefore }) {
    const { tiles, place } = state;
    const isTile = tileAt(tiles, place) !== undefined;
    if (!isTile && !isBefore) return;
    if (!isTile && place.at(-1) === 0) return void (place.length > 1 && removeAt(place.slice(0, -1)));
    removeAt(isTile ? place : place.with(-1, place.at(-1) - 1));
    if (isTile && isBefore && place.at(-1) > 0) choose(place.with(-1, place.at(-1) - 1), { isFocused: hasFocus() });
  }
  const hasFocus = () => element.contains(document.activeElement);
  function removeAt(place) {
    const words = wordsOf(tileAt(state.tiles, place));
    edit(removeTile(state.tiles, place), place, `${words} removed`);
  }
  function setCount(wanted, isSameEdit = false) {
    const loop = loopAround(state.tiles, state.place);
    if (!loop) return say("No loop is chosen.");
    const count = wanted === null ? null : Math.max(1, Math.min(MAX_COUNT, Math.floor(wanted) || 1));
    const tile = tileAt(state.tiles, loop);
    if (tile.count === count) return counts.update(tile);
    const tiles = replaceTile(state.tiles, loop, { ...tile, count });
    edit(tiles, state.place, wordsOf(tileAt(tiles, loop)), isSameEdit);
  }
  /** Appends a digit to the count: consecutive digits make one number. */
  function typeDigit(text) {
    const isMore = state.digits !== "";
    const digits = Number(state.digits + text) > MAX_COUNT ? text : state.digits + text;
    if (Number(digits)) setCount(Number(digits), isMore);
    state.digits = Number(digits) ? digits : "";
  }

  /** Moves a dragged tile, or adds one from the tray. `to` is a place, "bin" on the tray, `null` elsewhere. */
  function drop({ from, kind, to }) {
    if (to === "bin") return from && removeAt(from);
    if (!to) return;
    if (!from) {
      const tiles = insertTile(state.tiles, to, tileOf(kind));
      const next = kind === "LOOP" ? [...to, 0] : to.with(-1, to.at(-1) + 1);
      return edit(tiles, next, `${wordsOf(tileAt(tiles, to))}, ${placeWords(tiles, to)}`);
    }
    const { tiles, place } = moveTile(state.tiles, from, to);
    if (key(place) === key(from)) return choose(from);
    edit(tiles, place, `Moved: ${placeWords(tiles, place)}`);
  }
  dragTiles({ program: element, root: list, tray, drop, canDrop: (from, place) => !from || !liesIn(place, from) });

  /** The place that a key selects; `undefined` for other keys. */
  function placeOfKey(name) {
    const { tiles, place } = state;
    const all = placesOf(tiles);
    const at = all.findIndex((one) => key(one) === key(place));
    switch (name) {
      case "ArrowRight": return all[at + 1];
      case "ArrowLeft": return all[at - 1];
      case "ArrowDown": return sibling(1);
      case "ArrowUp": return sibling(-1) ?? (place.length > 1 ? place.slice(0, -1) : undefined);
      case "Enter": return tileAt(tiles, place)?.body ? [...place, 0] : undefined;
      case "Escape": return place.length > 1 ? place.slice(0, -1) : undefined;
      case "Home": return all[0];
      case "End": return all.at(-1);
      default: return undefined;
    }
  }
  function sibling(step) {
    const index = state.place.at(-1) + step;
    return index >= 0 && index <= listAt(state.tiles, state.place).length ? state.place.with(-1, index) : undefined;
  }
  /** Handles a key. @param {KeyboardEvent} event @returns {boolean} whether the key has an action here */
  function onKey(event) {
    const { key: name } = event;
    const kind = TILE_KEYS[name.toLowerCase()];
    // If another control has the focus, Enter and arrow keys belong to this control.
    const isElsewhere = document.activeElement !== document.body && !hasFocus();
    if (kind) add(kind);
    else if (/^[0-9]$/.test(name)) typeDigit(name);
    else if (name === "*") setCount(null);
    else if (name === "Backspace") remove({ isBefore: true });
    else if (name === "Delete") remove({ isBefore: false });
    else {
      const place = isElsewhere ? undefined : placeOfKey(name);
      if (!place) return false;
      choose(place);
    }
    return true;
  }

  /** Shows a program. @param {object[]} tiles @param {number[]} [place] */
  function set(tiles, place = [tiles.length]) {
    Object.assign(state, { tiles, place, digits: "", running: null });
    render();
  }
  /** @param {?number[]} empty the place of a loop without tiles */
  function setEmptyLoop(empty) {
    state.empty = empty;
    mark();
  }
  return { element, tray, counts: counts.element, set, showRunning, setEmptyLoop, add, remove: () => remove({ isBefore: true }), onKey,
    focus: () => nodes.get(key(state.place))?.focus({ preventScroll: true }) };
}
