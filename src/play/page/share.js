// The link to a game.

import { el, setText } from "./dom.js";
import { openDialog } from "./dialog.js";

async function copy(input, told) {
  input.select();
  try {
    await navigator.clipboard.writeText(input.value);
    setText(told, "Copied.");
  } catch {
    setText(told, "The browser does not allow to copy: the link is selected, press Ctrl+C.");
  }
}

/**
 * Shows the link to the game of a component.
 * @param {{ask: Function}} app
 * @param {{share: () => {game: object, moves: string[], best: ?number}}} component
 */
export async function shareDialog(app, component) {
  const { game, moves = [], best = null } = component.share();
  const { link } = await app.ask({ ask: "link", game, moves, best });
  const address = `${location.origin}${location.pathname}#${link}`;
  const input = el("input", { type: "text", readonly: true, value: address, "aria-label": "Link to this game", id: "link" });
  const told = el("p", { class: "note", role: "status" });
  const content = best !== null
    ? `The link holds the board and your best result, ${best}, with its moves: a friend can try to beat it.`
    : moves.length ? "The link holds the board and your moves so far." : "The link holds the board.";
  const send = navigator.share
    && el("button", { type: "button", class: "button", on: { click: () =>
      navigator.share({ title: document.title, url: address }).catch(() => {}) } }, "Send");
  openDialog("Share", () => [
    el("p", {}, content), el("div", { class: "copy" }, input,
      el("button", { type: "button", class: "button strong", on: { click: () => copy(input, told) } }, "Copy"), send), told,
  ]);
}
