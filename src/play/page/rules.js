// The rules of the puzzles of coloured cells: in words, and as inputs.

import { el } from "./dom.js";
import { field, form, numberInput, openDialog, select } from "./dialog.js";

const STARTS = ["top-left", "top-right", "bottom-left", "bottom-right", "centre"];
const CORNERS = STARTS.slice(0, 4).map((corner) => [corner, corner.replace("-", " ")]);
const OBJECTIVES = [["clear", "clear the board"], ["clicks", "clear with the fewest clicks"],
  ["left", "leave the fewest cells"], ["score", "reach the highest score"]];
/** The rules of Clickomania and their usual values. A game has those options alone that differ. */
const USUAL = { objective: "clear", "min-group": "2", columns: "close", corner: "bottom-left", score: "(n-2)^2",
  "clear-bonus": "1000", "left-penalty": "0" };

/** The differences between puzzles. */
const PUZZLES = {
  "flood-it": {
    isFlood: true,
    howTo: "The flood begins at the marked cell: each move gives it a colour, and it takes all touching cells of that colour. "
      + "Flood the whole board with as few moves as you can.",
    short: "Click a cell or press a number.",
    colourOf: (name) => name,
    hint: (name) => `colour ${name}`,
    refusal: (colour) => `The flood has colour ${colour} already.`,
    tells: ({ start: [row, col] = [0, 0], rows, cols }) =>
      (row || col ? [`start at row ${row + 1}, column ${col + 1} of ${rows} × ${cols}`] : []),
  },
  clickomania: {
    falls: true,
    mostMoves: "Most clicks",
    howTo: "A click removes a group of touching cells of one colour; cells above fall, and empty columns close up. "
      + "Clear the board, or reach the objective that is chosen here.",
    short: "Click a group to remove it.",
    hint: (name) => `group ${name}`,
    refusal: () => "No group here that can be removed.",
    tells: scoringText,
    inputs: ruleInputs,
  },
  "free-flood": {
    hasBrush: true,
    howTo: "A move gives an area of touching cells of one colour another colour: choose the colour, then click the area. "
      + "Give all cells one colour with as few moves as you can.",
    short: "Choose a colour, then click an area.",
    colourOf: (name) => name.split(",").slice(2).join(","),
    hint: (name) => `area ${name.split(",", 2)} in colour ${name.split(",").slice(2)}`,
    refusal: (colour) => (colour ? `This area has colour ${colour} already: choose another one.` : "No area here."),
    tells: ({ options: { target } = {} }) => (target ? [`all cells to get colour ${target}`] : []),
    inputs: targetInput,
  },
};
/** A puzzle of which the page knows nothing: a click on a cell makes the move that the cell stands for. */
const OTHER = { howTo: "", short: "Click a cell to play it.", hint: (name) => name, refusal: () => "No move here.",
  tells: ({ options = {} }) => Object.entries(options).map((option) => option.join(" ")) };

/**
 * How the page shows a puzzle of coloured cells:
 *   id          its name in games
 *   isFlood     a move is a colour, which a flood takes
 *   falls       cells above those that a move takes fall
 *   hasBrush    a move is an area and a colour, and the player chooses the colour first
 *   howTo, short, mostMoves   its rules, how a cell is played and what a limit is, in words
 *   colourOf(name)   the colour that a move gives to cells
 *   hint(name), refusal(colour)   a move to be made, and why a cell of a colour cannot be played, in words
 *   tells(game)      the rules of a game that are not the usual ones, each in words
 *   inputs(options, symbols)   {element, read} of the rules that may be changed, if there are such rules; without the
 *               symbols of a board for any board
 */
export const puzzleOf = (id) => ({ id, colourOf: () => undefined, mostMoves: "Most moves", ...(PUZZLES[id] ?? OTHER) });

/** The input of the colour that all cells have to get. */
function targetInput(options, symbols) {
  if (!symbols) return null;
  const target = select([["", "any one colour"], ...symbols.map((symbol) => [symbol, symbol])], options.target ?? "");
  return { element: el("div", { class: "fields" }, field("Colour at the end", target)),
    read: () => (target.value ? { target: target.value } : {}) };
}

/** The inputs of Clickomania's rules. */
function ruleInputs(options) {
  const value = (name) => options[name] ?? USUAL[name];
  const text = (name) => el("input", { type: "text", value: value(name), spellcheck: "false", autocomplete: "off" });
  const inputs = {
    objective: select(OBJECTIVES, value("objective")),
    "min-group": numberInput({ min: 1, max: 10, value: value("min-group") }),
    columns: select([["close", "close up"], ["stay", "stay"]], value("columns")),
    corner: select(CORNERS, value("corner")),
    score: text("score"),
    "clear-bonus": numberInput({ min: 0, value: value("clear-bonus") }),
    "left-penalty": text("left-penalty"),
  };
  const read = () => Object.fromEntries(Object.entries(inputs).map(([name, input]) => [name, input.value.trim()])
    .filter(([name, given]) => given !== USUAL[name]));
  const element = el("div", {},
    el("div", { class: "fields long" }, field("Objective", inputs.objective)),
    el("details", { class: "more" }, el("summary", {}, "More rules"), el("div", { class: "fields" },
      field("Smallest group", inputs["min-group"]), field("Empty columns", inputs.columns),
      field("Cells fall to", inputs.corner),
      field("Points for a click", inputs.score, "a formula in n such as n(n-1), or a table such as 0,1,4,9"),
      field("Points for a clear", inputs["clear-bonus"]),
      field("Penalty", inputs["left-penalty"], "for n cells of a colour that are left"))));
  element.querySelector("details").open = Object.keys(options).some((name) => name !== "objective");
  return { element, read };
}

/** The rules of a game that are not the usual ones, in words. */
export const rulesText = (puzzle, game) =>
  [...puzzle.tells(game), ...(game.limit === undefined ? [] : [`limit ${game.limit}`])].join(", ");

function scoringText({ options = {} }) {
  const value = (name) => options[name] ?? USUAL[name];
  const objective = OBJECTIVES.find(([name]) => name === value("objective"))[1];
  const isScore = value("objective") === "score";
  const score = isScore ? [`${value("score")} points for n cells`, `${value("clear-bonus")} for a clear`] : [];
  const isTold = isScore ? ["objective", "score", "clear-bonus"] : ["objective"];
  const others = Object.entries(options).filter(([name]) => !isTold.includes(name));
  return [objective, ...score, ...others.map(([name, given]) => `${name.replace("-", " ")} ${given}`)];
}

/** Whether two sets of options allow the same moves. */
export function sameMoves(one = {}, other = {}) {
  return ["min-group", "columns", "corner"].every((name) => (one[name] ?? USUAL[name]) === (other[name] ?? USUAL[name]));
}

/** The inputs of a board of one's own, for `newDialog`. `options` are the rules that are played by now. */
export const fieldsOf = (puzzle, options) => (spec) => {
  const most = puzzle.falls ? 64 : 100;
  const numbers = {
    rows: numberInput({ min: 1, max: most, value: spec.rows }),
    cols: numberInput({ min: 1, max: most, value: spec.cols }),
    colours: numberInput({ min: 1, max: 60, value: spec.colours }),
    seed: numberInput({ min: 0, max: Number.MAX_SAFE_INTEGER, value: spec.seed, name: "seed" }),
  };
  const starts = el("datalist", { id: "starts" }, ...STARTS.map((start) => el("option", { value: start })));
  const start = el("input", { type: "text", list: "starts", value: spec.start || "top-left", autocomplete: "off" });
  const kind = select([["", "any board"], ["clearable", "can be cleared"]], spec.kind ?? "");
  const rules = puzzle.inputs?.(options);
  const own = puzzle.isFlood ? field("Start", start, "or ROW,COLUMN from 1") : puzzle.falls ? field("Kind", kind) : null;
  const inputs = [el("div", { class: "fields" },
    field("Rows", numbers.rows), field("Columns", numbers.cols), field("Colours", numbers.colours),
    own,
    field("Seed", numbers.seed, "the same seed gives the same board")), starts, rules?.element].filter(Boolean);
  const read = () => ({
    ...Object.fromEntries(Object.entries(numbers).map(([name, { value }]) => [name, Number(value)])),
    ...(puzzle.isFlood ? { start: start.value.trim() } : puzzle.falls ? { kind: kind.value } : {}), options: rules?.read() ?? {},
  });
  return { inputs, read };
};

/** The dialog for the rules of the board that is played: how it is played, and what may be changed. */
export function rulesDialog(puzzle, game, takes) {
  const rules = puzzle.inputs?.(game.options ?? {}, game.symbols);
  const limit = el("input", { type: "number", inputmode: "numeric", min: 1, step: 1, value: game.limit ?? "", placeholder: "none" });
  const most = field(puzzle.mostMoves, limit, "a limit to play against");
  const dialog = openDialog("Rules", () => [el("p", { id: "how-to" }, puzzle.howTo),
    form([rules?.element, el("div", { class: "fields" }, most)].filter(Boolean), "Play by these rules", async () => {
      await takes({ options: rules?.read() ?? {}, limit: limit.value ? Number(limit.value) : undefined });
      dialog.close();
    })]);
}
