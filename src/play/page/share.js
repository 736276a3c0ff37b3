// Shares a game as a link, and its result as a text without moves.

import { el, setText } from "./dom.js";
import { isOfDay, streakText } from "./days.js";
import { field, plural, openDialog } from "./dialog.js";
import { isServed } from "./solver.js";

/**
 * The link in a text, which may be an address of the page, its part after `#`, or a command that opens it; `null` for
 * other texts.
 * @param {string} text @returns {?string}
 */
export function linkIn(text) {
  const address = text.match(/#(p=[^\s'"]+)/);
  return address?.[1] ?? text.trim().match(/^(?:\$ *)?(?:\S*gridhunt(?:\.exe)? +play +)?(['"]?)#?(p=[^\s'"]+)\1$/)?.[2] ?? null;
}

/** The content of a link, in words. */
function contentOf({ moves, best }, { hasPrograms }) {
  const solution = hasPrograms ? "program" : "moves";
  if (best !== null) return `The link holds the board and your best result, ${best}, with its ${solution}: a friend can try to beat it.`;
  return moves.length ? `The link holds the board and your ${solution} so far.` : "The link holds the board.";
}

/** The text of a result, without moves. The board of a day is named by its date, so `address` may be empty. */
function resultText({ game, result, isHelped }, { id, title, hasPrograms }, address) {
  const { name, rows, cols, symbols } = game;
  const size = `${rows} × ${cols}${hasPrograms ? "" : `, ${plural(symbols.length, "colours")}`}`;
  const streak = isOfDay(game) && streakText(id) ? ` (${streakText(id)})` : "";
  return [`gridhunt ${title}, ${isOfDay(game) ? name : size}`, `${result}${isHelped ? ", with hints" : ""}${streak}`, address]
    .filter(Boolean).join("\n");
}

async function copy(input, status) {
  input.select();
  try {
    await navigator.clipboard.writeText(input.value);
    setText(status, "Copied.");
  } catch {
    setText(status, "The browser does not allow copying: the text is selected, press Ctrl+C.");
  }
}

/**
 * Shows the link to the game of a component. The address of a page that `gridhunt play` serves is valid only until the
 * program ends, so there the link is a command.
 * @param {{ask: Function, puzzle: (id: string) => object}} app
 * @param {{share: () => {game: object, moves: string[], best: ?number}, result?: () => ?object}} component
 */
export async function shareDialog(app, component) {
  const { game, moves = [], best = null } = component.share();
  const puzzle = app.puzzle(game.puzzle);
  const { link } = await app.ask({ ask: "link", game, moves, best });
  const isCommand = isServed();
  const page = `${location.origin}${location.pathname}`;
  const addressOf = (part) => (isCommand ? `gridhunt play '${part}'` : `${page}#${part}`);
  const value = addressOf(link);
  const finished = component.result?.();
  const label = isCommand ? "Command that opens this game" : "Link to this game";
  const input = el("input", { type: "text", readonly: true, value, "aria-label": label, id: "link" });
  const status = el("p", { class: "note", role: "status" });
  const copyButton = (textField) => el("button", { type: "button", class: "button strong", on: { click: () => copy(textField, status) } }, "Copy");
  let result = null;
  if (finished) {
    const board = isOfDay(game) ? (isCommand ? "" : page) : addressOf((await app.ask({ ask: "link", game })).link);
    const text = resultText({ game, ...finished }, puzzle, board);
    const area = el("textarea", { readonly: true, rows: 4, id: "result-text" }, text);
    result = [field("The result, without a move", area), copyButton(area)];
  }
  const instruction = isCommand ? el("p", { class: "note" }, "A friend runs this command, or pastes it into any page of gridhunt.") : null;
  const shareData = { title: document.title, ...(isCommand ? { text: value } : { url: value }) };
  const send = navigator.share
    && el("button", { type: "button", class: "button", on: { click: () => navigator.share(shareData).catch(() => {}) } }, "Send");
  openDialog("Share", () => [
    result && el("div", { class: "copy" }, ...result),
    el("p", {}, contentOf({ moves, best }, puzzle)), instruction, el("div", { class: "copy" }, input, copyButton(input), send), status,
  ]);
}
