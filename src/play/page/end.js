// The end of a game: the result, the next board, and sharing.

import { el, setText, show } from "./dom.js";
import { iconButton } from "./dialog.js";

/** The message at the end of a game with hints. */
export const HINTS_PLAYED = "Hints were played: this game does not count as your best.";

/**
 * The panel of a finished game.
 * @param {{next: () => void, share: () => void, key?: string}} actions `key` is the key of `next`
 */
export function endPanel({ next, share, key }) {
  const [headline, result, noteLine] = ["headline", "result-line", "note"].map((name) => el("p", { class: name }));
  headline.id = "headline";
  const helped = el("p", { class: "note", id: "helped", hidden: true }, HINTS_PLAYED);
  const element = el("section", { class: "end", "aria-label": "The end of the game", hidden: true }, headline, result, noteLine, helped,
    el("div", { class: "actions" }, iconButton("forward", "Next board", next, { key, name: "strong" }),
      iconButton("share", "Share result", share)));
  /** @param {?{headline: string, result: string, optimal: boolean}} end @param {{isHelped: boolean, note: string}} more */
  function update(end, { isHelped, note }) {
    show(element, Boolean(end));
    if (!end) return;
    setText(headline, end.headline);
    // The headline already says that all moves were optimal.
    setText(result, end.optimal ? end.result.replace(/, all optimal$/, "") : end.result);
    setText(noteLine, note);
    show(helped, isHelped);
    element.classList.toggle("optimal", end.optimal);
  }
  return { element, update };
}
