// The parts of a game of coloured cells on the page.

import { el } from "./dom.js";
import { iconButton, select } from "./dialog.js";
import { endPanel } from "./end.js";
import { boardCanvas } from "./canvas.js";
import { colourButtons, moveList, resultPanel, statusPanel } from "./panels.js";
import { proofLine } from "./proof.js";

const OBJECTIVES = [["clear", "Clear"], ["clicks", "Fewest clicks"], ["left", "Fewest left"], ["score", "Score"]];
/** The height above and below the board, in pixels: in one column, beside the panels, and there in a low window. */
const [ABOVE_PANELS, BESIDE_PANELS, BESIDE_LOW] = [330, 190, 130];
/** The style sheet has the same limits. */
const [BESIDE, LOW] = ["(min-width: 881px), (min-width: 600px) and (max-height: 560px)", "(max-height: 560px)"];

function boardHeight() {
  const [isBeside, isLow] = [BESIDE, LOW].map((query) => matchMedia(query).matches);
  const rest = !isBeside ? ABOVE_PANELS : isLow ? BESIDE_LOW : BESIDE_PANELS;
  return Math.max(isBeside && isLow ? 200 : 280, window.innerHeight - rest);
}

function boardPart() {
  const board = boardCanvas({ most: boardHeight });
  const attributes = { tabindex: "0", role: "application", "aria-roledescription": "board", "aria-describedby": "board-help" };
  for (const [name, value] of Object.entries(attributes)) board.canvas.setAttribute(name, value);
  return board;
}

function buttonsOf(acts) {
  return {
    undo: iconButton("undo", "Undo", acts.undo, { key: "u" }),
    redo: iconButton("redo", "Redo", acts.redo, { key: "y" }),
    again: iconButton("again", "Restart", acts.again, { key: "a" }),
    hint: iconButton("hint", "Hint", acts.hint, { key: "h" }),
    marks: iconButton("marks", "Show which", acts.mark, { key: "o" }),
    optimum: iconButton("play", "Show solution", acts.optimum, { key: "w" }),
    search: iconButton("search", "Replay search", acts.search, { key: "s" }),
  };
}

function ruleControls({ falls }, { objective: takes, rules }) {
  const button = iconButton("rules", "Rules", rules);
  if (!falls) return { objective: null, element: el("div", { class: "rule-controls" }, button) };
  const objective = select(OBJECTIVES, "clear", takes);
  objective.id = "objective";
  objective.setAttribute("aria-label", "Objective");
  return { objective, element: el("div", { class: "rule-controls" }, objective, button) };
}

/**
 * The parts of a game. `acts` holds what the player may do, by name.
 * @param {object} puzzle see rules.js
 * @param {Object<string, Function>} acts play, brush, back, undo, redo, again, hint, mark, optimum, search, watchFriend, watchMine,
 *   objective, rules, next, share, ask
 */
export function gameParts(puzzle, acts) {
  const [title, subtitle] = [el("h1", { tabindex: "-1" }), el("p", { class: "note subtitle", id: "board-name" })];
  const [board, status, buttons] = [boardPart(), statusPanel(acts.ask), buttonsOf(acts)];
  const proof = puzzle.isFlood ? proofLine(acts.ask) : null;
  const takes = puzzle.isFlood ? acts.play : puzzle.hasBrush ? acts.brush : null;
  const colours = takes && colourButtons(takes);
  const controls = ruleControls(puzzle, acts);
  const [list, results, end] = [moveList(puzzle.colourOf, acts.back), resultPanel(acts), endPanel({ ...acts, key: "Enter" })];
  const here = el("p", { class: "here", id: "here" });
  const { undo, redo, again, hint, marks, optimum, search } = buttons;
  const hereRow = el("div", { class: "here-row" }, here, marks);
  const side = el("div", { class: "side" }, end.element, colours?.element,
    el("div", { class: "actions main-actions" }, undo, redo, again, hint), status.element, proof?.element,
    hereRow, el("div", { class: "actions pair" }, optimum, search),
    list.element, results.element);
  const host = el("div", { class: "side", hidden: true });
  const help = el("p", { class: "note help", id: "board-help" }, `${puzzle.short} Arrow keys choose a cell, Enter plays it.`);
  const column = el("div", { class: "board-column" }, board.element, help);
  const intro = el("p", { class: "intro", id: "intro", hidden: true }, puzzle.howTo);
  const element = el("article", { class: `game ${puzzle.id}` },
    el("div", { class: "game-head" }, el("div", {}, title, subtitle), controls.element), intro,
    el("div", { class: "game-body" }, column, side, host));
  return { element, title, subtitle, board, status, proof, buttons, colours, list, results, end, here, hereRow, side, host, help,
    intro, objective: controls.objective };
}
