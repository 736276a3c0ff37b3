// The panels beside the board: knowledge, colours, moves, results.

import { el, reconcile, setText, show } from "./dom.js";
import { many } from "./dialog.js";
import { inkOn } from "./palette.js";

const ROLES = { here: "this position", board: "the whole board", path: "an earlier move", choice: "the next moves" };

/** The loss of a move as a short mark: none, a number, or not known yet. */
export function markOf({ least, most, fatal }) {
  if (fatal) return { text: "✕", style: "lost", words: "loses the game" };
  if (most === 0) return { text: "✓", style: "good", words: "optimal" };
  if (least > 0) return { text: `−${least}${most === least ? "" : "+"}`, style: "lost", words: "loses" };
  return { text: "?", style: "open", words: "not known yet" };
}

/** How long counting the optimal solutions of a board may take, in seconds. */
const PATIENCE = 3;

/** How many optimal solutions a board has. `ask` asks the solver. */
function countLine(ask) {
  const element = el("span", { class: "note", id: "ways" });
  let shown = { game: null };
  /** Counts them, once for a game, when the optimum is known. What takes too long is not said. */
  async function update(game, known) {
    if (shown.game !== game) {
      shown = { game };
      setText(element, "");
    }
    if (known?.held === undefined || shown.known) return;
    const asked = { game, known };
    shown = asked;
    const { count } = await ask({ ask: "count", ...asked, seconds: PATIENCE });
    if (asked === shown && count) setText(element, count === "1" ? "one optimal way" : `${count} optimal ways`);
  }
  return { element, update };
}

/** The panel of the optimum and of the player's moves. */
export function statusPanel(ask) {
  const optimum = el("span", { class: "optimum", id: "optimum" });
  const ways = countLine(ask);
  const standing = el("p", { class: "standing", id: "standing" });
  const verdict = el("p", { class: "verdict", id: "verdict" });
  const search = el("p", { class: "searching", id: "searching" });
  const element = el("section", { class: "status", "aria-label": "What is known" },
    el("p", { class: "label" }, "Optimum"), el("p", {}, optimum, " ", ways.element), standing, verdict, search);
  let role = null;

  /** @param {object} view @param {string} [note] shown instead of the verdict */
  function update(view, note) {
    setText(optimum, view.optimum);
    optimum.classList.toggle("proven", view.proven);
    setText(standing, view.standing);
    const last = view.path.at(-1);
    const mark = last ? markOf(last.lost) : { style: "" };
    setText(verdict, note || (last ? `Move ${view.path.length}: ${last.text}` : "Every move gets its verdict here."));
    verdict.className = `verdict ${note ? "" : mark.style}`;
    element.classList.toggle("over", view.over);
  }
  function searching(next) {
    role = next;
    setText(search, role ? `Searching ${ROLES[role]} …` : "");
    search.classList.toggle("active", Boolean(role));
  }
  /** Another board: nothing is known yet. */
  function clear() {
    for (const node of [optimum, standing, verdict]) setText(node, "");
    searching(null);
  }
  return { element, update, searching, clear, count: ways.update };
}

/** The buttons of the colours, with keys: each plays its colour, with a count, or makes it the player's brush. */
export function colourButtons(takes) {
  const element = el("div", { class: "colours", role: "group", "aria-label": "Colours" });
  let shown = null;
  function make({ index, key }) {
    const [symbol, count, mark] = ["symbol", "count", "mark"].map((name) => el("span", { class: name }));
    const button = el("button", { type: "button", class: "colour", "aria-keyshortcuts": key,
      on: { click: () => takes(shown.look.labels[index]) } }, symbol, count, mark);
    const update = ({ choice, look, isShown, isHint, brush }) => {
      const name = look.labels[index];
      button.style.setProperty("--cell", look.colours[index]);
      button.style.setProperty("--on-cell", inkOn(look.colours[index]));
      setText(symbol, name);
      setText(count, choice?.takes.length ? `+${choice.takes.length}` : "");
      button.classList.toggle("adds", brush !== null || Boolean(choice?.takes.length));
      const told = choice && isShown ? markOf(choice.lost) : null;
      setText(mark, told?.text ?? "");
      mark.className = `mark ${told?.style ?? ""}`;
      button.classList.toggle("hinted", isHint);
      const verdict = choice && isShown ? `, ${choice.text}` : "";
      const adds = choice ? `, ${many(choice.takes.length, "cells")}${verdict}` : ", the flood's colour";
      button.setAttribute("aria-label", `colour ${name}${brush === null ? adds : ""}`);
      if (brush === null) button.setAttribute("aria-disabled", String(!choice));
      else button.setAttribute("aria-pressed", String(brush === name));
    };
    return { node: button, update };
  }
  function update({ view, look, isShown, hinted, brush }) {
    shown = { look };
    const items = look.labels.map((name, index) => ({ index, key: keyOf(look.labels, index), look, isShown, brush,
      isHint: hinted === name, choice: view.choices.find((choice) => choice.name === name) }));
    reconcile(element, items, ({ index }) => String(index), make);
  }
  return { element, update };
}

/** The colour that a digit key plays: the one of this name, or the one at this place. */
export function colourOfKey(symbols, key) {
  if (symbols.includes(key)) return key;
  return symbols.some((symbol) => /^[0-9]$/.test(symbol)) ? undefined : symbols[Number(key) - 1];
}

function keyOf(symbols, index) {
  const key = "0123456789".split("").find((digit) => colourOfKey(symbols, digit) === symbols[index]);
  return key ?? null;
}

/** The moves so far. A click goes back to the position behind a move. */
export function moveList(colourOf, back) {
  const element = el("ol", { class: "moves", id: "moves", "aria-label": "Moves" });
  const empty = el("p", { class: "note" }, "No move yet.");
  function make({ at }) {
    const [number, name, mark] = ["move-number", "move-name", "mark"].map((part) => el("span", { class: part }));
    const button = el("button", { type: "button", class: "move", on: { click: () => back(at + 1) } }, number, name, mark);
    const update = ({ move, look, isCurrent }) => {
      setText(number, String(at + 1));
      setText(name, move.name);
      const told = markOf(move.lost);
      setText(mark, told.text);
      mark.className = `mark ${told.style}`;
      const index = look.labels.indexOf(colourOf(move.name));
      button.style.setProperty("--cell", index < 0 ? "transparent" : look.colours[index]);
      button.style.setProperty("--on-cell", index < 0 ? "inherit" : look.inks[index]);
      button.classList.toggle("coloured", index >= 0);
      button.setAttribute("aria-label", `move ${at + 1}: ${move.name}, ${move.text}. Go back to here`);
      button.setAttribute("aria-current", isCurrent ? "step" : "false");
    };
    return { node: el("li", {}, button), update };
  }
  function update(view, look) {
    const items = view.path.map((move, at) => ({ at, move, look, isCurrent: at === view.path.length - 1 }));
    show(empty, items.length === 0);
    const isLonger = items.length > element.childElementCount;
    reconcile(element, items, ({ at }) => String(at), make);
    if (isLonger) element.scrollTop = element.scrollHeight;
  }
  return { element: el("div", { class: "moves-box" }, empty, element), update };
}

/** The best of the player's games on this board, and a friend's result. */
export function resultPanel({ watchFriend, watchMine }) {
  const mine = el("p", { id: "best" });
  const friend = el("p", { id: "friend" });
  const [seeMine, seeFriend] = [watchMine, watchFriend].map((click, at) =>
    el("button", { type: "button", class: "button small", on: { click } }, at ? "Watch your friend" : "Watch"));
  const rows = [el("div", { class: "result" }, mine, seeMine), el("div", { class: "result" }, friend, seeFriend)];
  const element = el("section", { class: "results", "aria-label": "Results" }, ...rows);

  function friendText({ best, moves }, unit, mineBest, isBetter) {
    if (best === null) return `A friend's game: ${many(moves.length, "moves")}.`;
    const compared = mineBest === null ? ": beat this!"
      : mineBest === best ? ": you have the same."
        : isBetter(mineBest, best) ? ": you are better." : ": not beaten yet.";
    return `A friend's result: ${many(best, unit)}${compared}`;
  }
  function update({ result, given, unit, isBetter }) {
    const games = result ? ` (${many(result.games, "games")})` : "";
    const isKnown = result && result.value !== null;
    setText(mine, isKnown ? `Your best here: ${many(result.value, unit)}${games}`
      : result ? `Not solved yet${games}` : "No unaided game yet");
    show(seeMine, Boolean(result?.moves.length));
    show(rows[1], Boolean(given));
    if (given) setText(friend, friendText(given, unit, isKnown ? result.value : null, isBetter));
    show(seeFriend, Boolean(given?.moves.length));
  }
  return { element, update };
}
