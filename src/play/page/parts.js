// The parts of a game of Flood-It or Clickomania on the page.

import { el } from "./dom.js";
import { iconButton, select } from "./dialog.js";
import { boardCanvas } from "./canvas.js";
import { colourButtons, moveList, resultPanel, statusPanel } from "./panels.js";

const OBJECTIVES = [["clear", "Clear"], ["clicks", "Fewest clicks"], ["left", "Fewest left"], ["score", "Score"]];
/** What stands above and below the board, in pixels: on one column, and beside the panels. */
const [ABOVE_PANELS, BESIDE_PANELS] = [330, 190];
const ONE_COLUMN = 880;

function boardHeight() {
  const rest = window.innerWidth <= ONE_COLUMN ? ABOVE_PANELS : BESIDE_PANELS;
  return Math.max(280, window.innerHeight - rest);
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
    redo: iconButton("redo", "Redo", acts.redo, { key: "r" }),
    again: iconButton("again", "Again", acts.again, { key: "a" }),
    hint: iconButton("hint", "Hint", acts.hint, { key: "h" }),
    marks: iconButton("marks", "Show which", acts.mark, { key: "o" }),
    optimum: iconButton("play", "Watch optimum", acts.optimum, { key: "w" }),
    search: iconButton("search", "Watch search", acts.search, { key: "s" }),
  };
}

function ruleControls({ objective: takes, rules }) {
  const objective = select(OBJECTIVES, "clear", takes);
  objective.id = "objective";
  objective.setAttribute("aria-label", "Objective");
  return { objective, element: el("div", { class: "rule-controls" }, objective, iconButton("settings", "Rules", rules)) };
}

/**
 * The parts of a game. `acts` holds what the player may do, by name.
 * @param {object} puzzle one of PUZZLES
 * @param {Object<string, Function>} acts play, back, undo, redo, again, hint, mark, optimum, search, watchFriend, watchMine,
 *   objective, rules
 */
export function gameParts(puzzle, acts) {
  const [title, subtitle] = [el("h1", { tabindex: "-1" }), el("p", { class: "note subtitle", id: "board-name" })];
  const [board, status, buttons] = [boardPart(), statusPanel(), buttonsOf(acts)];
  const colours = puzzle.isFlood ? colourButtons(acts.play) : null;
  const controls = puzzle.isFlood ? null : ruleControls(acts);
  const [list, results] = [moveList(acts.back), resultPanel(acts)];
  const here = el("p", { class: "here", id: "here" });
  const { undo, redo, again, hint, marks, optimum, search } = buttons;
  const side = el("div", { class: "side" }, colours?.element,
    el("div", { class: "actions main-actions" }, undo, redo, again, hint), status.element,
    el("div", { class: "here-row" }, here, marks), el("div", { class: "actions pair" }, optimum, search),
    list.element, results.element);
  const host = el("div", { class: "side", hidden: true });
  const help = puzzle.isFlood ? "Click a cell or press a number." : "Click a group to remove it.";
  const column = el("div", { class: "board-column" }, board.element,
    el("p", { class: "note help", id: "board-help" }, `${help} Arrow keys choose a cell, Enter plays it.`));
  const element = el("article", { class: `game ${puzzle.id}` },
    el("div", { class: "game-head" }, el("div", {}, title, subtitle), controls?.element),
    el("div", { class: "game-body" }, column, side, host));
  return { element, title, subtitle, board, status, buttons, colours, list, results, here, side, host,
    objective: controls?.objective };
}
