// The rules of the puzzles: in words, and as inputs.

import { el } from "./dom.js";
import { field, form, numberInput, openDialog, select } from "./dialog.js";

const STARTS = ["top-left", "top-right", "bottom-left", "bottom-right", "centre"];
const CORNERS = STARTS.slice(0, 4).map((corner) => [corner, corner.replace("-", " ")]);
const OBJECTIVES = [["clear", "clear the board"], ["clicks", "clear with the fewest clicks"],
  ["left", "leave the fewest cells"], ["score", "reach the highest score"]];
/** The rules of Clickomania and their usual values. A game has those options alone that differ. */
const USUAL = { objective: "clear", "min-group": "2", columns: "close", corner: "bottom-left", score: "(n-2)^2",
  "clear-bonus": "1000", "left-penalty": "0" };

/** What the two puzzles differ in. */
export const PUZZLES = {
  "flood-it": {
    id: "flood-it", isFlood: true,
    howTo: "The flood begins at the marked cell: each move gives it a colour, and it takes all touching cells of that colour. "
      + "Flood the whole board with as few moves as you can.",
  },
  clickomania: {
    id: "clickomania", isFlood: false,
    howTo: "A click removes a group of touching cells of one colour; cells above fall, and empty columns close up. "
      + "Clear the board, or reach the objective that is chosen here.",
  },
};

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
export function rulesText({ puzzle, options = {}, start, rows, cols, limit }) {
  const most = limit === undefined ? [] : [`limit ${limit}`];
  if (puzzle === "flood-it") {
    const [row, col] = start ?? [0, 0];
    return [...(row || col ? [`start at row ${row + 1}, column ${col + 1} of ${rows} × ${cols}`] : []), ...most].join(", ");
  }
  const value = (name) => options[name] ?? USUAL[name];
  const objective = OBJECTIVES.find(([name]) => name === value("objective"))[1];
  const isScore = value("objective") === "score";
  const score = isScore ? [`${value("score")} points for n cells`, `${value("clear-bonus")} for a clear`] : [];
  const isTold = isScore ? ["objective", "score", "clear-bonus"] : ["objective"];
  const others = Object.entries(options).filter(([name]) => !isTold.includes(name));
  return [objective, ...score, ...others.map(([name, given]) => `${name.replace("-", " ")} ${given}`), ...most].join(", ");
}

/** Whether two sets of options allow the same moves. */
export function sameMoves(one = {}, other = {}) {
  return ["min-group", "columns", "corner"].every((name) => (one[name] ?? USUAL[name]) === (other[name] ?? USUAL[name]));
}

/** The inputs of a board of one's own, for `newDialog`. `options` are the rules that are played by now. */
export const fieldsOf = (puzzle, options) => (spec) => {
  const most = puzzle.isFlood ? 100 : 64;
  const numbers = {
    rows: numberInput({ min: 1, max: most, value: spec.rows }),
    cols: numberInput({ min: 1, max: most, value: spec.cols }),
    colours: numberInput({ min: 1, max: 60, value: spec.colours }),
    seed: numberInput({ min: 0, max: Number.MAX_SAFE_INTEGER, value: spec.seed, name: "seed" }),
  };
  const starts = el("datalist", { id: "starts" }, ...STARTS.map((start) => el("option", { value: start })));
  const start = el("input", { type: "text", list: "starts", value: spec.start || "top-left", autocomplete: "off" });
  const kind = select([["", "any board"], ["clearable", "can be cleared"]], spec.kind ?? "");
  const rules = puzzle.isFlood ? null : ruleInputs(options);
  const inputs = [el("div", { class: "fields" },
    field("Rows", numbers.rows), field("Columns", numbers.cols), field("Colours", numbers.colours),
    puzzle.isFlood ? field("Start", start, "or ROW,COLUMN from 1") : field("Kind", kind),
    field("Seed", numbers.seed, "the same seed gives the same board")), starts, rules?.element].filter(Boolean);
  const read = () => ({
    ...Object.fromEntries(Object.entries(numbers).map(([name, { value }]) => [name, Number(value)])),
    ...(puzzle.isFlood ? { start: start.value.trim() } : { kind: kind.value }), options: rules?.read() ?? {},
  });
  return { inputs, read };
};

/** The dialog for the rules of the board that is played: how it is played, and what may be changed. */
export function rulesDialog(puzzle, game, takes) {
  const rules = puzzle.isFlood ? null : ruleInputs(game.options ?? {});
  const limit = el("input", { type: "number", inputmode: "numeric", min: 1, step: 1, value: game.limit ?? "", placeholder: "none" });
  const most = field(puzzle.isFlood ? "Most moves" : "Most clicks", limit, "a limit to play against");
  const dialog = openDialog("Rules", () => [el("p", { id: "how-to" }, puzzle.howTo),
    form([rules?.element, el("div", { class: "fields" }, most)].filter(Boolean), "Play by these rules", async () => {
      await takes({ options: rules?.read() ?? {}, limit: limit.value ? Number(limit.value) : undefined });
      dialog.close();
    })]);
}
