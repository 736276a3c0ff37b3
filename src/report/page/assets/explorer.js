// The explorer of states: the path from the start, the board of a state, and its children with g, h, f and what
// became of them in the search.

import { el, setText, show, reconcile, factList, panel, scroller, tableOf } from "./dom.js";
import { player } from "./player.js";
import { time } from "./format.js";

const CHILD_HEAD = ["move", "g", "h", "f", "record", "why", "solved anew"];

/** A square in the colour of a move, where the move is the name of a colour. */
function moveSwatch(move, film) {
  const colour = film?.colours?.[film.labels.indexOf(move)];
  const node = el("span", { class: "colour", "aria-hidden": "true", hidden: !colour });
  if (colour) node.style.setProperty("background-color", colour);
  return node;
}

function crumbs(path, moves, hrefOf, film) {
  const step = (text, length, swatch) => {
    const isLast = length === path.length;
    const props = isLast ? { "aria-current": "location" } : { href: hrefOf(moves.slice(0, length)) };
    return el("li", {}, swatch, el(isLast ? "span" : "a", props, text));
  };
  const steps = path.map(({ move }, index) => step(move, index + 1, moveSwatch(move, film)));
  return [step("start", 0), ...steps];
}

function childRow({ child, href, film }) {
  const { move, g, h, f, goal, record, why } = child;
  const link = el("a", { href, "data-index": child.index }, move);
  const words = goal ? [record, "goal"] : [record];
  const numbers = [g, h, f].map((value) => el("td", { class: "n" }, value === undefined ? "" : String(value)));
  const name = el("th", { scope: "row" }, moveSwatch(move, film), link);
  const fate = el("td", {}, words.filter(Boolean).join(", "));
  return { node: el("tr", {}, name, ...numbers, fate, el("td", {}, why ?? ""), el("td", { class: "answer" })) };
}

/** What a solution from here says. */
function solved({ status, value, bound, seconds = 0, cached }) {
  const words = [status, value && `value ${value}`, bound && `proven ${bound}`,
    `${cached ? "solved before in " : ""}${time(seconds)}`];
  return words.filter(Boolean).join(", ");
}

/**
 * The explorer. `state(moves)` and `solve(moves)` give promises; `hrefOf(moves)` addresses; `go` goes to an address.
 * `open` shows the state after these moves (indexes of children).
 * @param {object} options
 * @returns {{element: HTMLElement, open: (moves: number[]) => Promise<void>}}
 */
export function explorer({ title, backHref, state, solve, hrefOf, go }) {
  const now = { moves: [], view: null };
  const path = el("ol", { class: "path" });
  const facts = factList();
  const board = player();
  const body = el("tbody");
  const table = tableOf("data children", CHILD_HEAD, (column) => column > 0 && column < 4, body);
  const empty = el("p", { class: "empty", hidden: true });
  const problem = el("p", { class: "problem", role: "alert", hidden: true });
  const solveButton = el("button", { type: "button", on: { click: solveHere } }, "solve from here");
  const [answer, line] = [el("p", { role: "status" }), el("p", { class: "moves" })];
  const note = el("p", { class: "note" });
  const keys = el("p", { class: "note keys" }, "Keys: up and down select, enter opens, backspace goes back.");
  const all = el("button", { type: "button", on: { click: solveChildren } }, "solve the children");
  const children = panel("Children", "", scroller("Children", table), keys, all);
  const head = el("div", { class: "run-head" }, el("h1", { tabindex: "-1" }, title),
    el("p", { class: "actions" }, el("a", { class: "button", href: backHref }, "back to the board")));
  const columns = el("div", { class: "columns even", hidden: true },
    el("div", { class: "column" }, panel("State", "", board.element, note),
      panel("Solution from here", "solution", solveButton, answer, line)),
    el("div", { class: "column" }, children));
  const element = el("div", { class: "explorer" },
    head, el("nav", { "aria-label": "Path from the start" }, path), facts.element, problem, empty, columns);

  document.addEventListener("keydown", press);
  function press(event) {
    if (!element.isConnected) return document.removeEventListener("keydown", press);
    const links = [...body.querySelectorAll("a")];
    const at = links.indexOf(document.activeElement);
    if (event.altKey || event.ctrlKey || event.metaKey || event.target.matches("input, select")) return;
    if (event.key === "Backspace" && now.moves.length) go(hrefOf(now.moves.slice(0, -1)));
    else if (event.key === "ArrowDown" && links.length) links[Math.min(at + 1, links.length - 1)].focus();
    else if (event.key === "ArrowUp" && at > 0) links[at - 1].focus();
    else return;
    event.preventDefault();
  }
  async function solveHere() {
    const { moves, view } = now;
    if (now.isSolving) return;
    now.isSolving = true;
    solveButton.setAttribute("aria-disabled", "true");
    setText(answer, "searching ...");
    try {
      const found = await solve(moves);
      if (now.view !== view) return;
      setText(answer, solved(found));
      setText(line, found.moves?.join(" "));
    } catch (error) {
      if (now.view === view) setText(answer, error.message);
    } finally {
      now.isSolving = false;
      solveButton.removeAttribute("aria-disabled");
    }
  }
  /** Solves the children one after the other, as long as their parent is shown. */
  async function solveChildren() {
    const { moves, view } = now;
    if (now.isSolving) return;
    now.isSolving = true;
    for (const button of [all, solveButton]) button.setAttribute("aria-disabled", "true");
    for (const [at, { index }] of (view.children ?? []).entries()) {
      const cell = body.rows[at].querySelector(".answer");
      setText(cell, "searching ...");
      const words = await solve([...moves, index]).then(solved, (error) => error.message);
      if (now.view !== view) break;
      setText(cell, words);
    }
    now.isSolving = false;
    for (const button of [all, solveButton]) button.removeAttribute("aria-disabled");
  }
  function draw(view, moves) {
    const film = view.frame;
    // After a child was opened, its first child has the focus; after a way back, the child that was left.
    const came = now.moves.length === moves.length + 1 ? now.moves.at(-1) : 0;
    const isFirst = now.view === null;
    [now.view, now.moves] = [view, moves];
    path.replaceChildren(...crumbs(view.path ?? [], moves, hrefOf, film));
    facts.update([["g", view.g], ["h", view.h ?? "none: a dead end"], ["f", view.f],
      ["record", view.record], ["cheapest known g", view.stored_g], ["goal", view.goal && "yes"],
      ["cost of ending here", view.stop],
      ["cost of the best known solution", view.incumbent], ["checkpoint", view.checkpoint ?? "none"]]);
    setText(note, view.checkpoint === undefined
      ? "The run keeps no checkpoint of this board, so nothing is known of stored states: they can be solved anew." : "");
    board.update(film);
    const rows = (view.children ?? []).map((child) => ({ child, href: hrefOf([...moves, child.index]), film }));
    reconcile(body, rows, ({ child, href }) => `${href} ${JSON.stringify(child)}`, childRow);
    show(columns, true);
    show(children, rows.length > 0);
    show(empty, rows.length === 0);
    setText(empty, view.goal ? "The state is a goal." : "The state has no children.");
    for (const part of [answer, line]) setText(part, "");
    show(solveButton, !view.goal);
    const wanted = body.querySelector(`a[data-index="${came}"]`) ?? body.querySelector("a");
    if (!isFirst) wanted?.focus({ preventScroll: true });
  }
  async function open(moves) {
    const key = JSON.stringify(moves);
    now.asked = key;
    show(problem, false);
    if (!now.view) {
      setText(empty, "Reading the state. The first one takes longest: the lower bound is prepared.");
      show(empty, true);
    }
    try {
      const view = await state(moves);
      if (now.asked === key) draw(view, moves);
    } catch (error) {
      if (now.asked !== key) return;
      show(empty, false);
      setText(problem, error.message);
      show(problem, true);
    }
  }
  return { element, open };
}
