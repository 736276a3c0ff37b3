// The number of optimal solutions of a board, counted while the player plays.

import { el, setText, show } from "./dom.js";

/** The time limit of a count that the player asks for, in seconds. */
const LONG = 3600;

/**
 * A line with the number of optimal solutions. A first count starts by itself and takes as long as the search of a
 * position may. The player can stop it, and start a longer one.
 * @param {{ask: Function, patience: () => number, fail: (error: Error) => void}} options
 */
export function wayCount({ ask, patience, fail }) {
  const text = el("span", { id: "ways" });
  const button = el("button", { type: "button", on: { click: () => (control ? stop() : count(LONG)) } });
  const element = el("p", { class: "note ways" }, text, button);
  let [board, control] = [{ game: null }, null];

  function showText(words, action = "") {
    setText(text, words);
    setText(button, action);
    show(button, Boolean(action));
  }
  function stop() {
    control?.abort();
    control = null;
    showText("ways not counted", "Count");
  }
  async function count(seconds) {
    const own = new AbortController();
    control = own;
    showText("counting ways …", "Stop");
    const { count: number } = await ask({ ask: "count", ...board, seconds }, { signal: own.signal }).catch((error) => {
      if (error.name !== "AbortError") fail(error);
      return {};
    });
    if (control !== own) return;
    stop();
    const words = number?.length > 12 ? Number(number).toPrecision(3) : number;
    if (number) showText(number === "1" ? "one optimal way" : `${words} optimal ways`);
  }
  /** Shows the line of a game. Counting starts as soon as the optimum is `known`. */
  function update(game, known) {
    if (board.game !== game) {
      stop();
      board = { game };
      showText("");
    }
    if (known?.held === undefined || board.known) return;
    board = { game, known };
    count(patience());
  }
  showText("");
  return { element, update };
}
