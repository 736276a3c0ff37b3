// The editor of a program: tiles and text, which stay in sync, with undo.

import { el, show } from "./dom.js";
import { iconButton } from "./dialog.js";
import { emptyLoop, parseProgram, writeProgram } from "./bunny-program.js";
import { tileEditor } from "./bunny-tiles.js";

/**
 * The editor. `onChange` is called when the program, or the text that may be a program, changes.
 * @param {{onChange: () => void, say: (text: string) => void, run: () => void}} options
 */
export function programEditor({ onChange, say, run }) {
  const state = { tiles: [], place: [0], past: [], future: [], draft: null, fault: "", lastEdit: "" };
  const tiles = tileEditor({ say, onEdit: onTiles, onChoose: (place) => {
    state.place = place;
  } });
  const input = el("textarea", { id: "program-text", rows: 2, spellcheck: "false", autocapitalize: "characters", autocomplete: "off",
    placeholder: "LOOP(4){LLOOP(12){F}L}F", "aria-describedby": "program-problem", on: { input: onText, keydown: onTextKey,
      blur: () => state.fault && say(state.fault) } });
  const problem = el("div", { class: "problem program-problem", id: "program-problem", hidden: true });
  const buttons = {
    remove: iconButton("close", "Remove", () => tiles.remove(), { isBare: true }),
    undo: iconButton("undo", "Undo", undo, { isBare: true }),
    redo: iconButton("redo", "Redo", redo, { isBare: true }),
    clear: iconButton("again", "Clear", () => state.tiles.length && replace([]), { isBare: true }),
  };
  const keys = { remove: "Backspace", undo: "u", redo: "y" };
  for (const [name, key] of Object.entries(keys)) {
    buttons[name].setAttribute("aria-keyshortcuts", key);
    buttons[name].title += ` (${key})`;
  }
  buttons.clear.title = "Clear";
  const tray = el("div", { class: "tray" }, tiles.tray, el("div", { class: "tray-row" }, tiles.counts,
    el("div", { class: "edit-buttons", role: "group", "aria-label": "Edit" }, ...Object.values(buttons))));
  const element = el("section", { class: "editor", "aria-label": "Your program" }, tray, tiles.element,
    el("label", { class: "field" }, el("span", { class: "field-name" }, "The program as text"), input), problem);

  /** The program as text; `null` if a loop is empty. */
  function text() {
    if (state.draft !== null) return state.draft;
    return emptyLoop(state.tiles) ? null : writeProgram(state.tiles);
  }
  /** Why the program cannot be run; empty if it can. */
  function note() {
    if (state.draft !== null && state.fault) return "The text is not a program yet.";
    if (state.draft === null && emptyLoop(state.tiles)) return "A loop is empty: put a tile into it, or remove it.";
    return "";
  }

  function remember(kind) {
    state.past.push({ tiles: state.tiles, place: state.place });
    state.future = [];
    state.lastEdit = kind;
  }
  function onTiles(next, place, isSameEdit) {
    if (!isSameEdit) remember("tiles");
    Object.assign(state, { tiles: next, place, draft: null, fault: "" });
    refresh({ isText: true });
    onChange();
  }
  function onText() {
    state.draft = input.value.toUpperCase();
    state.fault = "";
    onChange();
  }
  function onTextKey(event) {
    if (event.key === "Escape") return tiles.focus();
    if (event.key !== "Enter" || event.isComposing) return undefined;
    event.preventDefault();
    if (state.fault) say(state.fault);
    else run();
    return undefined;
  }
  /** Replaces all tiles; one undo reverts this. */
  function replace(next) {
    remember("tiles");
    setTiles(next, [next.length]);
  }
  function setTiles(next, place) {
    Object.assign(state, { tiles: next, place, draft: null, fault: "" });
    tiles.set(next, place);
    refresh({ isText: true });
    onChange();
  }
  function moveHistory(from, to) {
    const isDraft = state.draft !== null && state.fault !== "";
    const next = isDraft ? { tiles: state.tiles, place: state.place } : from.pop();
    if (!next) return;
    if (!isDraft) to.push({ tiles: state.tiles, place: state.place });
    state.lastEdit = "";
    setTiles(next.tiles, next.place);
    say(`The program is ${writeProgram(next.tiles) || "empty"}.`);
  }
  function undo() {
    moveHistory(state.past, state.future);
  }
  function redo() {
    moveHistory(state.future, state.past);
  }

  /** Called when the solver has read the program: makes the tiles of a typed text. */
  function accept(program) {
    state.fault = "";
    if (state.draft !== null && program !== writeProgram(state.tiles)) {
      if (state.lastEdit !== "text") remember("text");
      state.tiles = parseProgram(program);
      state.place = [state.tiles.length];
      tiles.set(state.tiles, state.place);
    }
    refresh({});
  }
  /** Called when the solver cannot read the text: shows the error and its place. */
  function refuse(error) {
    const letters = [...input.value];
    state.fault = error.message.replace(/^c/, "C");
    const at = Math.min((error.at ?? Infinity) - 1, letters.length);
    const jump = el("button", { type: "button", class: "fault-text", "aria-label": `Go to character ${at + 1}`,
      on: { click: () => goTo(letters, at) } },
    letters.slice(0, at).join(""), el("mark", {}, letters[at] ?? "\u00a0"), letters.slice(at + 1).join(""));
    problem.replaceChildren(el("p", {}, state.fault), ...(error.at ? [jump] : []));
    refresh({});
  }
  function goTo(letters, at) {
    const start = letters.slice(0, at).join("").length;
    input.focus();
    input.setSelectionRange(start, start + (letters[at]?.length ?? 0));
  }
  function refresh({ isText }) {
    if (isText) input.value = writeProgram(state.tiles);
    const isWrong = state.draft !== null && state.fault !== "";
    show(problem, isWrong);
    if (!isWrong) problem.replaceChildren();
    input.setAttribute("aria-invalid", String(isWrong));
    tiles.element.classList.toggle("stale", isWrong);
    tiles.setEmptyLoop(emptyLoop(state.tiles));
    const allowed = { remove: state.tiles.length, undo: state.past.length || isWrong, redo: state.future.length, clear: state.tiles.length };
    for (const [name, isAllowed] of Object.entries(allowed)) buttons[name].setAttribute("aria-disabled", String(!isAllowed));
  }

  /** Opens a program, with an empty undo history. */
  function open(next) {
    Object.assign(state, { tiles: next, place: [next.length], past: [], future: [], draft: null, fault: "", lastEdit: "" });
    tiles.set(next, state.place);
    refresh({ isText: true });
  }
  /** @param {KeyboardEvent} event @returns {boolean} whether the editor handled the key */
  function onKey(event) {
    const actions = { u: undo, y: redo, t: () => input.focus() };
    const act = actions[event.key.toLowerCase()];
    act?.();
    return Boolean(act) || tiles.onKey(event);
  }
  return { element, text, note, accept, refuse, open, replace, undo, redo, onKey, showRunning: tiles.showRunning, focus: tiles.focus,
    tiles: () => state.tiles };
}
