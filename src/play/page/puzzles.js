// The table of the puzzles: what the page needs besides the solver's answer to `puzzles`. A puzzle without
// an entry is played by clicks on cells.

import { el } from "./dom.js";
import { field, numberInput, select } from "./dialog.js";
import { BunnyGame } from "./bunny.js";
import { CellGame } from "./game.js";

/** The objectives of Clickomania: values of the option, and short and long texts. */
const OBJECTIVES = [["clear", "Clear", "clear the board"], ["clicks", "Fewest clicks", "clear with the fewest clicks"],
  ["left", "Fewest left", "leave the fewest cells"], ["score", "Score", "reach the highest score"]];
const CORNERS = ["top-left", "top-right", "bottom-left", "bottom-right"].map((corner) => [corner, corner.replace("-", " ")]);
/** The rules of Clickomania and their default values. The options of a game are the rules that differ. */
const DEFAULT_RULES = { objective: "clear", "min-group": "2", columns: "close", corner: "bottom-left", score: "(n-2)^2",
  "clear-bonus": "1000", "left-penalty": "0" };
const ruleOf = (options, name) => options[name] ?? DEFAULT_RULES[name];

/**
 * The fields of an entry, and their defaults:
 *   Component   the class of the component that shows the puzzle; see main.js
 *   example, formats   a board as text, and the formats of typed boards, in words
 *   nextBoard(game)    arguments of `new` for another board like that of a game, besides size, colours and start
 *
 * and of a puzzle of coloured cells:
 *   isFlood     a move is a colour, which the flood gets
 *   hasGravity  cells fall into the places of those that a move removes
 *   hasBrush    a move is an area and a colour, and the player chooses the colour first
 *   howTo, shortHowTo, limitLabel   its rules, how a cell is played, and the label of the limit, in words
 *   colourOf(name)   the colour that a move gives to cells
 *   moveText(name), refusal(colour)   a move, and why a cell of a colour cannot be played, in words
 *   ruleTexts(game)  the rules of a game that are not the default ones, each in words
 *   objectives       values and texts of the option `objective`, the default one first, if there is a choice
 *   ruleInputs(options, symbols)   optional: {element, read} of the inputs of rules; `symbols` of the board, if it
 *               exists already
 *   keepsMoves(before, after)   whether two sets of options give the same moves the same effect
 */
const DEFAULTS = {
  Component: CellGame,
  example: "112\n231\n313",
  formats: "rows of digits or letters, numbers with spaces, CSV, JSON, emoji, game IDs",
  nextBoard: () => ({}),
  howTo: "",
  shortHowTo: "Click a cell to play it.",
  limitLabel: "Most moves",
  colourOf: () => undefined,
  moveText: (name) => name,
  refusal: () => "No move here.",
  ruleTexts: ({ options = {} }) => Object.entries(options).map((option) => option.join(" ")),
  keepsMoves: () => true,
};

const PUZZLES = {
  "flood-it": {
    isFlood: true,
    howTo: "The flood begins at the marked cell: each move gives it a colour, and it takes all touching cells of that colour. "
      + "Flood the whole board with as few moves as you can.",
    shortHowTo: "Click a cell or press a number.",
    colourOf: (name) => name,
    moveText: (name) => `colour ${name}`,
    refusal: (colour) => `The flood has colour ${colour} already.`,
    ruleTexts: ({ start: [row, col] = [0, 0], rows, cols }) =>
      (row || col ? [`start at row ${row + 1}, column ${col + 1} of ${rows} × ${cols}`] : []),
  },
  clickomania: {
    hasGravity: true,
    formats: "rows of digits or letters with a dot for an empty cell, numbers with spaces, CSV, JSON, emoji, game IDs",
    nextBoard: ({ options = {} }) => ({ kind: ["clear", "clicks"].includes(ruleOf(options, "objective")) ? "clearable" : "" }),
    howTo: "A click removes a group of touching cells of one colour; cells above fall, and empty columns close up. "
      + "Clear the board, or reach the selected objective.",
    shortHowTo: "Click a group to remove it.",
    limitLabel: "Most clicks",
    moveText: (name) => `group ${name}`,
    refusal: () => "No group here that can be removed.",
    ruleTexts: scoringTexts,
    objectives: OBJECTIVES,
    ruleInputs: scoringInputs,
    keepsMoves: (before, after) =>
      ["min-group", "columns", "corner"].every((name) => ruleOf(before, name) === ruleOf(after, name)),
  },
  "free-flood": {
    hasBrush: true,
    nextBoard: () => ({ options: {} }),
    howTo: "A move gives an area of touching cells of one colour another colour: choose the colour, then click the area. "
      + "Give all cells one colour with as few moves as you can.",
    shortHowTo: "Choose a colour, then click an area.",
    colourOf: (name) => name.split(",").slice(2).join(","),
    moveText: (name) => `area ${name.split(",", 2)} in colour ${name.split(",").slice(2)}`,
    refusal: (colour) => (colour ? `This area has colour ${colour} already: choose another one.` : "No area here."),
    ruleTexts: ({ options: { target } = {} }) => (target ? [`all cells to get colour ${target}`] : []),
    ruleInputs: targetInput,
  },
  bunny: {
    Component: BunnyGame,
    example: "S##\n# #\n###",
    formats: "# for a square, O for a marked square, S for the start, a space or a dot for nothing; boards of colours open too",
  },
};

/** The description of a puzzle by the solver, with the fields of the table. */
export const puzzleOf = (info) => ({ ...DEFAULTS, ...info, ...PUZZLES[info.id] });

/** The input of the colour that all cells must have at the end. */
function targetInput(options, symbols) {
  if (!symbols) return null;
  const target = select([["", "any one colour"], ...symbols.map((symbol) => [symbol, symbol])], options.target ?? "");
  return { element: el("div", { class: "fields" }, field("Colour at the end", target)),
    read: () => (target.value ? { target: target.value } : {}) };
}

/** The inputs of Clickomania's rules. */
function scoringInputs(options) {
  const value = (name) => ruleOf(options, name);
  const text = (name) => el("input", { type: "text", value: value(name), spellcheck: "false", autocomplete: "off" });
  const inputs = {
    objective: select(OBJECTIVES.map(([name, , long]) => [name, long]), value("objective")),
    "min-group": numberInput({ min: 1, max: 10, value: value("min-group") }),
    columns: select([["close", "close up"], ["stay", "stay"]], value("columns")),
    corner: select(CORNERS, value("corner")),
    score: text("score"),
    "clear-bonus": numberInput({ min: 0, value: value("clear-bonus") }),
    "left-penalty": text("left-penalty"),
  };
  const read = () => Object.fromEntries(Object.entries(inputs).map(([name, input]) => [name, input.value.trim()])
    .filter(([name, rule]) => rule !== DEFAULT_RULES[name]));
  const element = el("div", {},
    el("div", { class: "fields long" }, field("Objective", inputs.objective)),
    el("details", { class: "more", open: Object.keys(options).some((name) => name !== "objective") },
      el("summary", {}, "More rules"), el("div", { class: "fields" },
        field("Smallest group", inputs["min-group"]), field("Empty columns", inputs.columns),
        field("Cells fall to", inputs.corner),
        field("Points for a click", inputs.score, "a formula in n such as n(n-1), or a table such as 0,1,4,9"),
        field("Points for a clear", inputs["clear-bonus"]),
        field("Penalty", inputs["left-penalty"], "for n cells of a colour that are left"))));
  return { element, read };
}

function scoringTexts({ options = {} }) {
  const value = (name) => ruleOf(options, name);
  const [, , objective] = OBJECTIVES.find(([name]) => name === value("objective"));
  const isScore = value("objective") === "score";
  const score = isScore ? [`${value("score")} points for n cells`, `${value("clear-bonus")} for a clear`] : [];
  const inObjective = isScore ? ["objective", "score", "clear-bonus"] : ["objective"];
  const others = Object.entries(options).filter(([name]) => !inObjective.includes(name));
  return [objective, ...score, ...others.map(([name, rule]) => `${name.replace("-", " ")} ${rule}`)];
}
