// Counts the optimal solutions of a board while the player plays.

import { el, setText, show } from "./dom.js";

/** The time limit of a count that the player starts, in seconds. */
const LONG_LIMIT = 3600;

/**
 * A line with the number of optimal solutions. A first count starts by itself, with the time limit of a search of a
 * position. The player can stop it, and start a longer one.
 * @param {{ask: Function, patience: () => number, fail: (error: Error) => void}} options
 */
export function wayCount({ ask, patience, fail }) {
  const text = el("span", { id: "ways" });
  const button = el("button", { type: "button", on: { click: () => (controller ? stop() : count(LONG_LIMIT)) } });
  const element = el("p", { class: "note ways" }, text, button);
  let [board, controller] = [{ game: null }, null];

  function showText(words, action = "") {
    setText(text, words);
    setText(button, action);
    show(button, Boolean(action));
  }
  function stop() {
    controller?.abort();
    controller = null;
    showText("ways not counted", "Count");
  }
  async function count(seconds) {
    const thisController = new AbortController();
    controller = thisController;
    showText("counting ways …", "Stop");
    const { count: number } = await ask({ ask: "count", ...board, seconds }, { signal: thisController.signal }).catch((error) => {
      if (error.name !== "AbortError") fail(error);
      return {};
    });
    if (controller !== thisController) return;
    stop();
    const words = number?.length > 12 ? Number(number).toPrecision(3) : number;
    if (number) showText(number === "1" ? "one optimal way" : `${words} optimal ways`);
  }
  /** Shows the count of a game. Counting starts as soon as `known` has the optimum. */
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
