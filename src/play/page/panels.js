// The panels beside the board: what is known, the colours, the moves, the results.

import { el, reconcile, setText, show } from "./dom.js";
import { plural } from "./dialog.js";
import { inkOn } from "./palette.js";
import { wayCount } from "./ways.js";

const ROLES = { here: "this position", board: "the whole board", path: "an earlier move", choice: "the next moves" };

/** A short mark for the loss of a move, with its style and words. */
export function markOf({ least, most, fatal }) {
  if (fatal) return { text: "✕", style: "lost", words: "loses the game" };
  if (most === 0) return { text: "✓", style: "good", words: "optimal" };
  if (least > 0) return { text: `−${least}${most === least ? "" : "+"}`, style: "lost", words: "loses" };
  return { text: "?", style: "open", words: "not known yet" };
}

/** The panel of what is known of the board and of the player's moves. `actions` as for `gameParts`. */
export function statusPanel(actions) {
  const optimum = el("span", { class: "optimum", id: "optimum" });
  const ways = wayCount(actions);
  const standing = el("p", { class: "standing", id: "standing" });
  const verdict = el("p", { class: "verdict", id: "verdict" });
  const search = el("p", { class: "searching", id: "searching" });
  const element = el("section", { class: "status", "aria-label": "What is known" },
    el("p", { class: "label" }, "Optimum"), ways.element, el("p", {}, optimum), standing, verdict, search);
  let role = null;

  /** @param {object} view @param {string} [note] shown instead of the verdict */
  function update(view, note) {
    setText(optimum, view.optimum);
    optimum.classList.toggle("proven", view.proven);
    // The panel of the end says that a game is optimal.
    const withoutVerdict = view.standing.replace(/: optimal$/, "");
    setText(standing, withoutVerdict);
    const last = withoutVerdict === view.standing && view.path.at(-1);
    const mark = last ? markOf(last.lost) : { style: "" };
    const first = view.path.length ? "" : "Every move gets its verdict here.";
    setText(verdict, note || (last ? `Move ${view.path.length}: ${last.text}` : first));
    verdict.className = `verdict ${note ? "" : mark.style}`;
    element.classList.toggle("over", view.over);
  }
  function showSearch(searched) {
    role = searched;
    setText(search, role ? `Searching ${ROLES[role]} …` : "");
    search.classList.toggle("active", Boolean(role));
  }
  /** Clears all texts, for another board. */
  function clear() {
    for (const node of [optimum, standing, verdict]) setText(node, "");
    showSearch(null);
  }
  /** Reserves room for the longest text in place of a verdict, so that this text moves nothing. */
  const reserve = (longest) => verdict.setAttribute("data-longest", longest);
  return { element, update, showSearch, clear, reserve, updateWays: ways.update };
}

/** Buttons with keys, one for each colour: `choose` plays the colour, or makes it the brush. */
export function colourButtons(choose) {
  const element = el("div", { class: "colours", role: "group", "aria-label": "Colours" });
  let shown = null;
  function make({ index, key }) {
    const [symbol, count, mark] = ["symbol", "count", "mark"].map((name) => el("span", { class: name }));
    const button = el("button", { type: "button", class: "colour", "aria-keyshortcuts": key,
      on: { click: () => choose(shown.look.labels[index]) } }, symbol, count, mark);
    const update = ({ choice, look, isShown, isHint, brush }) => {
      const name = look.labels[index];
      button.style.setProperty("--cell", look.colours[index]);
      button.style.setProperty("--on-cell", inkOn(look.colours[index]));
      setText(symbol, name);
      setText(count, choice?.takes.length ? `+${choice.takes.length}` : "");
      button.classList.toggle("adds", brush !== null || Boolean(choice?.takes.length));
      const result = choice && isShown ? markOf(choice.lost) : null;
      setText(mark, result?.text ?? "");
      mark.className = `mark ${result?.style ?? ""}`;
      button.classList.toggle("hinted", isHint);
      const verdict = choice && isShown ? `, ${choice.text}` : "";
      const adds = choice ? `, ${plural(choice.takes.length, "cells")}${verdict}` : ", the flood's colour";
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

/** The colour of a digit key: the one with this name, or, if no name is a digit, the one at this position. */
export function colourOfKey(symbols, key) {
  if (symbols.includes(key)) return key;
  return symbols.some((symbol) => /^[0-9]$/.test(symbol)) ? undefined : symbols[Number(key) - 1];
}

function keyOf(symbols, index) {
  const key = "0123456789".split("").find((digit) => colourOfKey(symbols, digit) === symbols[index]);
  return key ?? null;
}

/** The list of moves so far. A click on a move returns to the position after it. */
export function moveList(colourOf, back) {
  const element = el("ol", { class: "moves", id: "moves", "aria-label": "Moves" });
  const empty = el("p", { class: "note" }, "No move yet.");
  function make({ at }) {
    const [number, name, mark] = ["move-number", "move-name", "mark"].map((part) => el("span", { class: part }));
    const button = el("button", { type: "button", class: "move", on: { click: () => back(at + 1) } }, number, name, mark);
    const update = ({ move, look, isCurrent }) => {
      setText(number, String(at + 1));
      setText(name, move.name);
      const result = markOf(move.lost);
      setText(mark, result.text);
      mark.className = `mark ${result.style}`;
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

/** The panel of results on this board: the player's best game, and a friend's. */
export function resultPanel({ watchFriend, watchMine }) {
  const mineLine = el("p", { id: "best" });
  const friendLine = el("p", { id: "friend" });
  const [mineButton, friendButton] = [watchMine, watchFriend].map((click, at) =>
    el("button", { type: "button", class: "button small", on: { click } }, at ? "Watch your friend" : "Watch"));
  const rows = [el("div", { class: "result" }, mineLine, mineButton), el("div", { class: "result" }, friendLine, friendButton)];
  const element = el("section", { class: "results", "aria-label": "Results" }, ...rows);

  function friendText({ best, moves }, unit, mineBest, isBetter) {
    if (best === null) return `A friend's game: ${plural(moves.length, "moves")}.`;
    const comparison = mineBest === null ? ": beat this!"
      : mineBest === best ? ": you have the same."
        : isBetter(mineBest, best) ? ": you are better." : ": not beaten yet.";
    return `A friend's result: ${plural(best, unit)}${comparison}`;
  }
  function update({ result, friend, unit, isBetter }) {
    const games = result ? ` (${plural(result.games, "games")})` : "";
    const isKnown = result && result.value !== null;
    setText(mineLine, isKnown ? `Your best here: ${plural(result.value, unit)}${games}`
      : result ? `Not solved yet${games}` : "No unaided game yet");
    show(mineButton, Boolean(result?.moves.length));
    show(rows[1], Boolean(friend));
    if (friend) setText(friendLine, friendText(friend, unit, isKnown ? result.value : null, isBetter));
    show(friendButton, Boolean(friend?.moves.length));
  }
  return { element, update };
}
