// The shipped levels of Hopping Bunny.

import { el, setText } from "./dom.js";
import { plural } from "./dialog.js";
import { load, save } from "./storage.js";

const LEVELS_FILE = "twelve.txt";

/** Whether two games have the same board. */
function isSameBoard(one, other) {
  const codeOf = ({ rows, cols, cells, symbols, start }) =>
    JSON.stringify([rows, cols, cells.map((cell) => symbols[cell] ?? ""), start]);
  return codeOf(one) === codeOf(other);
}

/**
 * The row of levels, with the player's result on each.
 * @param {object} app
 * @param {(game: object) => void} open
 */
export function levelRow(app, open) {
  const element = el("div", { class: "levels", role: "toolbar", "aria-label": "Levels" });
  const state = { games: [], buttons: [], current: -1 };
  const results = () => load("bunny.levels") ?? {};

  async function games() {
    if (state.games.length) return state.games;
    state.request ??= app.ask({ ask: "shipped", name: LEVELS_FILE }).finally(() => { state.request = null; });
    const answer = await state.request;
    if (state.games.length) return state.games;
    state.games = answer.games;
    state.buttons = state.games.map((game, index) =>
      el("button", { type: "button", class: "level", on: { click: () => open(game), keydown: (event) => move(event, index) } },
        el("span", { class: "level-number" }, String(index + 1)), el("span", { class: "level-result" })));
    element.replaceChildren(...state.buttons);
    update();
    return state.games;
  }
  function move(event, index) {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const next = step && state.buttons[index + step];
    if (!next) return;
    event.preventDefault();
    event.stopPropagation();
    next.focus();
  }
  function update() {
    const solved = results();
    state.buttons.forEach((button, index) => {
      const result = solved[index + 1];
      const isCurrent = index === state.current;
      button.tabIndex = isCurrent || (state.current < 0 && index === 0) ? 0 : -1;
      button.setAttribute("aria-current", isCurrent ? "true" : "false");
      button.classList.toggle("solved", Boolean(result));
      const words = result ? `solved with ${plural(result.tokens, "tokens")}${result.isShortest ? ", the shortest" : ""}` : "not solved";
      button.setAttribute("aria-label", `Level ${index + 1}, ${words}`);
      button.title = words;
      setText(button.lastChild, result ? `${result.tokens}${result.isShortest ? "★" : ""}` : "–");
    });
  }
  /** Marks the level that has the board of a game. @returns {number} its index, or -1 */
  function show(game) {
    state.current = state.games.findIndex((level) => isSameBoard(level, game));
    update();
    // Not by scrollIntoView, which would scroll the page too.
    const button = state.buttons[state.current];
    if (button) element.scrollLeft = button.offsetLeft - element.offsetLeft - element.clientWidth / 2 + button.offsetWidth / 2;
    return state.current;
  }
  /** Stores a result on the current level if it is better than the stored one, or newly proven shortest. */
  function storeResult({ tokens, program, isShortest }) {
    if (state.current < 0) return;
    const solved = results();
    const before = solved[state.current + 1];
    if (before && before.tokens < tokens) return;
    const isSame = before?.tokens === tokens;
    if (isSame && (before.isShortest || !isShortest)) return;
    save("bunny.levels", { ...solved, [state.current + 1]: { tokens, program, isShortest } });
    update();
  }
  return { element, games, show, storeResult, current: () => state.current };
}
