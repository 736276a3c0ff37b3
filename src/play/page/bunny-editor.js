// The editor of a program: tiles and text, kept in step, with undo.

import { el, setText, show } from "./dom.js";
import { iconButton } from "./dialog.js";
import { emptyLoop, parseProgram, writeProgram } from "./bunny-program.js";
import { tileEditor } from "./bunny-tiles.js";

/**
 * The editor. `changed` is called when there is another program, or another text that may be one.
 * @param {{changed: () => void, say: (text: string) => void, runs: () => void}} options
 */
export function programEditor({ changed, say, runs }) {
  const now = { tiles: [], place: [0], past: [], future: [], draft: null, fault: "", lastEdit: "" };
  const tiles = tileEditor({ say, changed: takeTiles, chosen: (place) => {
    now.place = place;
  } });
  const input = el("textarea", { id: "program-text", rows: 2, spellcheck: "false", autocapitalize: "characters", autocomplete: "off",
    placeholder: "LOOP(4){LLOOP(12){F}L}F", "aria-describedby": "program-problem", on: { input: takeText, keydown: onTextKey,
      blur: () => now.fault && say(now.fault) } });
  const problem = el("div", { class: "problem program-problem", id: "program-problem", hidden: true });
  const buttons = {
    remove: iconButton("close", "Remove", () => tiles.remove(), { isBare: true }),
    undo: iconButton("undo", "Undo", undo, { isBare: true }),
    redo: iconButton("redo", "Redo", redo, { isBare: true }),
    clear: iconButton("again", "Clear", () => now.tiles.length && replace([]), { isBare: true }),
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

  /** The program as text; `null` while a loop is empty. */
  function text() {
    if (now.draft !== null) return now.draft;
    return emptyLoop(now.tiles) ? null : writeProgram(now.tiles);
  }
  /** What keeps the program from being judged. */
  function note() {
    if (now.draft !== null && now.fault) return "The text is not a program yet.";
    if (now.draft === null && emptyLoop(now.tiles)) return "A loop is empty: put a tile into it, or remove it.";
    return "";
  }

  function remember(kind) {
    now.past.push({ tiles: now.tiles, place: now.place });
    now.future = [];
    now.lastEdit = kind;
  }
  function takeTiles(next, place, isSame) {
    if (!isSame) remember("tiles");
    Object.assign(now, { tiles: next, place, draft: null, fault: "" });
    refresh({ isText: true });
    changed();
  }
  function takeText() {
    now.draft = input.value.toUpperCase();
    now.fault = "";
    changed();
  }
  function onTextKey(event) {
    if (event.key === "Escape") return tiles.focus();
    if (event.key !== "Enter" || event.isComposing) return undefined;
    event.preventDefault();
    if (now.fault) say(now.fault);
    else runs();
    return undefined;
  }
  /** Shows other tiles; undo brings back those that were there. */
  function replace(next) {
    remember("tiles");
    put(next, [next.length]);
  }
  function put(next, place) {
    Object.assign(now, { tiles: next, place, draft: null, fault: "" });
    tiles.set(next, place);
    refresh({ isText: true });
    changed();
  }
  function step(from, to) {
    const isDraft = now.draft !== null && now.fault !== "";
    const next = isDraft ? { tiles: now.tiles, place: now.place } : from.pop();
    if (!next) return;
    if (!isDraft) to.push({ tiles: now.tiles, place: now.place });
    now.lastEdit = "";
    put(next.tiles, next.place);
    say(`The program is ${writeProgram(next.tiles) || "empty"}.`);
  }
  function undo() {
    step(now.past, now.future);
  }
  function redo() {
    step(now.future, now.past);
  }

  /** The solver has read the program. A typed text gets its tiles. */
  function accept(program) {
    now.fault = "";
    if (now.draft !== null && program !== writeProgram(now.tiles)) {
      if (now.lastEdit !== "text") remember("text");
      now.tiles = parseProgram(program);
      now.place = [now.tiles.length];
      tiles.set(now.tiles, now.place);
    }
    refresh({});
  }
  /** The solver cannot read the text. */
  function refuse(error) {
    const letters = [...input.value];
    now.fault = error.message.replace(/^c/, "C");
    const at = Math.min((error.at ?? Infinity) - 1, letters.length);
    const jump = el("button", { type: "button", class: "fault-text", "aria-label": `Go to character ${at + 1}`,
      on: { click: () => goTo(letters, at) } },
    letters.slice(0, at).join(""), el("mark", {}, letters[at] ?? "\u00a0"), letters.slice(at + 1).join(""));
    problem.replaceChildren(el("p", {}, now.fault), ...(error.at ? [jump] : []));
    refresh({});
  }
  function goTo(letters, at) {
    const start = letters.slice(0, at).join("").length;
    input.focus();
    input.setSelectionRange(start, start + (letters[at]?.length ?? 0));
  }
  function refresh({ isText }) {
    if (isText) input.value = writeProgram(now.tiles);
    const isWrong = now.draft !== null && now.fault !== "";
    show(problem, isWrong);
    if (!isWrong) problem.replaceChildren();
    input.setAttribute("aria-invalid", String(isWrong));
    tiles.element.classList.toggle("stale", isWrong);
    tiles.lack(emptyLoop(now.tiles));
    const allowed = { remove: now.tiles.length, undo: now.past.length || isWrong, redo: now.future.length, clear: now.tiles.length };
    for (const [name, isAllowed] of Object.entries(allowed)) buttons[name].setAttribute("aria-disabled", String(!isAllowed));
  }

  /** Begins with a program. */
  function open(next) {
    Object.assign(now, { tiles: next, place: [next.length], past: [], future: [], draft: null, fault: "", lastEdit: "" });
    tiles.set(next, now.place);
    refresh({ isText: true });
  }
  /** @param {KeyboardEvent} event @returns {boolean} whether the key means anything here */
  function onKey(event) {
    const acts = { u: undo, y: redo, t: () => input.focus() };
    const act = acts[event.key.toLowerCase()];
    act?.();
    return Boolean(act) || tiles.onKey(event);
  }
  return { element, text, note, accept, refuse, open, replace, undo, redo, onKey, run: tiles.run, focus: tiles.focus,
    tiles: () => now.tiles };
}
