// The end of a game: how it went, the next board, and the result for others.

import { el, setText, show } from "./dom.js";
import { iconButton } from "./dialog.js";

/** The message at the end of a game with hints. */
export const HELPED = "Hints were played: this game does not count as your best.";

/**
 * The panel that a finished game shows.
 * @param {{next: () => void, share: () => void, key?: string}} acts `key` is the one for the next board
 */
export function endPanel({ next, share, key }) {
  const [headline, result, note] = ["headline", "result-line", "note"].map((name) => el("p", { class: name }));
  headline.id = "headline";
  const helped = el("p", { class: "note", id: "helped", hidden: true }, HELPED);
  const element = el("section", { class: "end", "aria-label": "The end of the game", hidden: true }, headline, result, note, helped,
    el("div", { class: "actions" }, iconButton("forward", "Next board", next, { key, name: "strong" }),
      iconButton("share", "Share result", share)));
  /** @param {?{headline: string, result: string, optimal: boolean}} end @param {{isHelped: boolean, said: string}} more */
  function update(end, { isHelped, said }) {
    show(element, Boolean(end));
    if (!end) return;
    setText(headline, end.headline);
    // The headline has said that all moves were optimal.
    setText(result, end.optimal ? end.result.replace(/, all optimal$/, "") : end.result);
    setText(note, said);
    show(helped, isHelped);
    element.classList.toggle("optimal", end.optimal);
  }
  return { element, update };
}
