// The link to a game.

import { el, setText } from "./dom.js";
import { openDialog } from "./dialog.js";
import { isServed } from "./solver.js";

/**
 * The link in a text: an address of the page, its part behind `#`, or the command that opens it; `null` if the text is
 * something else.
 * @param {string} text @returns {?string}
 */
export function linkIn(text) {
  const address = text.match(/#(p=[^\s'"]+)/);
  return address?.[1] ?? text.trim().match(/^(?:\$ *)?(?:\S*gridhunt(?:\.exe)? +play +)?(['"]?)#?(p=[^\s'"]+)\1$/)?.[2] ?? null;
}

/** What a link holds, in words. */
function contentOf({ game: { puzzle }, moves, best }) {
  const isProgram = puzzle === "bunny";
  if (best !== null) {
    const how = isProgram ? "with its program" : "with its moves";
    return `The link holds the board and your best result, ${best}, ${how}: a friend can try to beat it.`;
  }
  if (!moves.length) return "The link holds the board.";
  return `The link holds the board and your ${isProgram ? "program" : "moves"} so far.`;
}

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
 * Shows the link to the game of a component. The address of a page that the program hands out ends with the program, so
 * there the link is given as a command.
 * @param {{ask: Function}} app
 * @param {{share: () => {game: object, moves: string[], best: ?number}}} component
 */
export async function shareDialog(app, component) {
  const { game, moves = [], best = null } = component.share();
  const { link } = await app.ask({ ask: "link", game, moves, best });
  const isCommand = isServed();
  const value = isCommand ? `gridhunt play '${link}'` : `${location.origin}${location.pathname}#${link}`;
  const label = isCommand ? "Command that opens this game" : "Link to this game";
  const input = el("input", { type: "text", readonly: true, value, "aria-label": label, id: "link" });
  const told = el("p", { class: "note", role: "status" });
  const how = isCommand ? el("p", { class: "note" }, "A friend runs this command, or pastes it into any page of gridhunt.") : null;
  const sent = { title: document.title, ...(isCommand ? { text: value } : { url: value }) };
  const send = navigator.share
    && el("button", { type: "button", class: "button", on: { click: () => navigator.share(sent).catch(() => {}) } }, "Send");
  openDialog("Share", () => [
    el("p", {}, contentOf({ game, moves, best })), how, el("div", { class: "copy" }, input,
      el("button", { type: "button", class: "button strong", on: { click: () => copy(input, told) } }, "Copy"), send), told,
  ]);
}
