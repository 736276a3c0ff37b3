// Builds the parts of a game of coloured cells on the page.

import { el } from "./dom.js";
import { iconButton, select } from "./dialog.js";
import { endPanel } from "./end.js";
import { boardCanvas } from "./canvas.js";
import { colourButtons, moveList, resultPanel, statusPanel } from "./panels.js";
import { proofLine } from "./proof.js";

/** Pixels above and below the board: above the panels, beside the panels, and beside the panels in a low window. */
const [ABOVE_PANELS, BESIDE_PANELS, BESIDE_LOW] = [330, 190, 130];
/** The media queries of these layouts, which style.css repeats. */
const [BESIDE, LOW] = ["(min-width: 881px), (min-width: 600px) and (max-height: 560px)", "(max-height: 560px)"];

function boardHeight() {
  const [isBeside, isLow] = [BESIDE, LOW].map((query) => matchMedia(query).matches);
  const otherHeight = !isBeside ? ABOVE_PANELS : isLow ? BESIDE_LOW : BESIDE_PANELS;
  return Math.max(isBeside && isLow ? 200 : 280, window.innerHeight - otherHeight);
}

function buttonsOf(actions) {
  return {
    undo: iconButton("undo", "Undo", actions.undo, { key: "u" }),
    redo: iconButton("redo", "Redo", actions.redo, { key: "y" }),
    again: iconButton("again", "Restart", actions.again, { key: "a" }),
    hint: iconButton("hint", "Hint", actions.hint, { key: "h" }),
    marks: iconButton("marks", "Show which", actions.mark, { key: "o" }),
    optimum: iconButton("play", "Show solution", actions.optimum, { key: "w" }),
    search: iconButton("search", "Replay search", actions.search, { key: "s" }),
  };
}

function ruleControls({ objectives }, { objective: choose, rules }) {
  const button = iconButton("rules", "Rules", rules);
  if (!objectives) return { objective: null, element: el("div", { class: "rule-controls" }, button) };
  const objective = select(objectives, objectives[0][0], choose);
  objective.id = "objective";
  objective.setAttribute("aria-label", "Objective");
  return { objective, element: el("div", { class: "rule-controls" }, objective, button) };
}

/**
 * The parts of a game. `actions` has the actions of the player, by name.
 * @param {object} puzzle see puzzles.js
 * @param {Object<string, Function>} actions play, brush, back, undo, redo, again, hint, mark, optimum, search, watchFriend, watchMine,
 *   objective, rules, next, share, ask, fail, patience
 */
export function gameParts(puzzle, actions) {
  const [title, subtitle] = [el("h1", { tabindex: "-1" }), el("p", { class: "note subtitle", id: "board-name" })];
  const [board, status, buttons] = [boardCanvas({ maxHeight: boardHeight, helpId: "board-help" }), statusPanel(actions), buttonsOf(actions)];
  const proof = puzzle.isFlood ? proofLine(actions.ask) : null;
  const choose = puzzle.isFlood ? actions.play : puzzle.hasBrush ? actions.brush : null;
  const colours = choose && colourButtons(choose);
  const controls = ruleControls(puzzle, actions);
  const [list, results, end] = [moveList(puzzle.colourOf, actions.back), resultPanel(actions), endPanel({ ...actions, key: "Enter" })];
  const here = el("p", { class: "here", id: "here" });
  const { undo, redo, again, hint, marks, optimum, search } = buttons;
  const hereRow = el("div", { class: "here-row" }, here, marks);
  const side = el("div", { class: "side" }, end.element, colours?.element,
    el("div", { class: "actions main-actions" }, undo, redo, again, hint), status.element, proof?.element,
    hereRow, el("div", { class: "actions pair" }, optimum, search),
    list.element, results.element);
  const host = el("div", { class: "side", hidden: true });
  const help = el("p", { class: "note help", id: "board-help" }, `${puzzle.shortHowTo} Arrow keys choose a cell, Enter plays it.`);
  const column = el("div", { class: "board-column" }, board.element, help);
  const intro = el("p", { class: "intro", id: "intro", hidden: true }, puzzle.howTo);
  const element = el("article", { class: `game ${puzzle.id} ${puzzle.hasGravity ? "has-gravity" : ""}` },
    el("div", { class: "game-head" }, el("div", {}, title, subtitle), controls.element), intro,
    el("div", { class: "game-body" }, column, side, host));
  return { element, title, subtitle, board, status, proof, buttons, colours, list, results, end, here, hereRow, side, host, help,
    intro, objective: controls.objective };
}
