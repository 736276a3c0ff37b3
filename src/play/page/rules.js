// New boards and rules: presets, forms, and the rules of a game in words.

import { el } from "./dom.js";
import { field, form, many, numberInput, openDialog, select } from "./dialog.js";

const STARTS = ["top-left", "top-right", "bottom-left", "bottom-right", "centre"];
const CORNERS = STARTS.slice(0, 4).map((corner) => [corner, corner.replace("-", " ")]);
const OBJECTIVES = [["clear", "clear the board"], ["clicks", "clear with the fewest clicks"],
  ["left", "leave the fewest cells"], ["score", "reach the highest score"]];
/** The rules of Clickomania and their usual values. A game has those options alone that differ. */
const USUAL = { objective: "clear", "min-group": "2", columns: "close", corner: "bottom-left", score: "(n-2)^2",
  "clear-bonus": "1000", "left-penalty": "0" };

const square = (size, colours, more = {}) => ({ rows: size, cols: size, colours, ...more });
/** What the two puzzles differ in. */
export const PUZZLES = {
  "flood-it": {
    name: "Flood-It", id: "flood-it", isFlood: true, usual: square(14, 6, { start: "top-left" }),
    presets: [square(10, 6), square(14, 6), square(18, 6), square(21, 6), square(24, 6), square(30, 6)],
    daily: { puzzle: "flood-it", ...square(14, 6) },
    howTo: "The flood begins at the marked cell: each move gives it a colour, and it takes all touching cells of that colour. "
      + "Flood the whole board with as few moves as you can.",
  },
  clickomania: {
    name: "Clickomania", id: "clickomania", isFlood: false, usual: square(8, 4, { kind: "clearable" }),
    presets: [square(8, 4), square(10, 4), square(12, 5), square(15, 5), square(20, 5)],
    daily: { puzzle: "clickomania", ...square(8, 4), kind: "clearable", options: { objective: "clicks" } },
    howTo: "A click removes a group of touching cells of one colour; cells above fall, and empty columns close up. "
      + "Clear the board, or reach the objective that is chosen here.",
  },
};

const randomSeed = () => 1 + Math.floor(Math.random() * 999_999);

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
export function rulesText({ puzzle, options = {}, start, rows, cols }) {
  if (puzzle === "flood-it") {
    const [row, col] = start ?? [0, 0];
    return row || col ? `start at row ${row + 1}, column ${col + 1} of ${rows} × ${cols}` : "";
  }
  const value = (name) => options[name] ?? USUAL[name];
  const objective = OBJECTIVES.find(([name]) => name === value("objective"))[1];
  const others = Object.entries(options).filter(([name]) => name !== "objective");
  return [objective, ...others.map(([name, given]) => `${name.replace("-", " ")} ${given}`)].join(", ");
}

/** Whether two sets of options allow the same moves. */
export function sameMoves(one = {}, other = {}) {
  return ["min-group", "columns", "corner"].every((name) => (one[name] ?? USUAL[name]) === (other[name] ?? USUAL[name]));
}

/**
 * The dialog for a new board.
 * @param {object} app
 * @param {object} puzzle one of PUZZLES
 * @param {{last: object, options: object, opens: (game: object, spec: object) => void}} asked
 */
export function newBoardDialog(app, puzzle, { last, options, opens }) {
  const spec = { ...puzzle.usual, ...last };
  const most = puzzle.isFlood ? 100 : 64;
  const inputs = {
    rows: numberInput({ min: 1, max: most, value: spec.rows }),
    cols: numberInput({ min: 1, max: most, value: spec.cols }),
    colours: numberInput({ min: 1, max: 60, value: spec.colours }),
    seed: numberInput({ min: 0, max: Number.MAX_SAFE_INTEGER, value: randomSeed(), name: "seed" }),
  };
  const starts = el("datalist", { id: "starts" }, ...STARTS.map((start) => el("option", { value: start })));
  const start = el("input", { type: "text", list: "starts", value: spec.start ?? "top-left", autocomplete: "off" });
  const kind = select([["", "any board"], ["clearable", "can be cleared"]], spec.kind ?? "");
  const rules = puzzle.isFlood ? null : ruleInputs(options);
  function preset({ rows, cols, colours }) {
    const fill = () => {
      [inputs.rows.value, inputs.cols.value, inputs.colours.value] = [rows, cols, colours];
      inputs.seed.value = randomSeed();
    };
    return el("button", { type: "button", class: "button", title: many(colours, "colours"), on: { click: fill } },
      puzzle.isFlood ? `${rows} × ${cols}` : `${rows} × ${cols}, ${many(colours, "colours")}`);
  }
  async function create() {
    const number = (name) => Number(inputs[name].value);
    const sizes = { rows: number("rows"), cols: number("cols"), colours: number("colours") };
    const own = puzzle.isFlood ? { start: start.value.trim() } : { kind: kind.value };
    const rest = { seed: number("seed"), options: rules?.read() ?? {} };
    const game = await app.ask({ ask: "new", puzzle: puzzle.id, ...sizes, ...own, ...rest });
    dialog.close();
    opens(game, { ...sizes, ...own });
  }
  const day = el("input", { type: "date", required: true });
  async function openDay() {
    const game = await app.ask({ ask: "day", date: day.value, board: puzzle.daily });
    dialog.close();
    app.open({ game, moves: [], best: null });
  }
  const dialog = openDialog("New board", () => [
    el("div", { class: "presets", role: "group", "aria-label": "Usual boards" }, ...puzzle.presets.map(preset)),
    form([
      el("div", { class: "fields" },
        field("Rows", inputs.rows), field("Columns", inputs.cols), field("Colours", inputs.colours),
        puzzle.isFlood ? field("Start", start, "or ROW,COLUMN from 1") : field("Kind", kind),
        field("Seed", inputs.seed, "the same seed gives the same board")),
      starts, rules?.element,
    ], "Play", create),
    form([field("The board of a day", day)], "Play that day", openDay),
  ]);
}

/** The dialog for the rules of the board that is played: how it is played, and the rules that may be changed. */
export function rulesDialog(puzzle, game, takes) {
  const howTo = el("p", { id: "how-to" }, puzzle.howTo);
  if (puzzle.isFlood) return void openDialog("Rules", () => [howTo]);
  const rules = ruleInputs(game.options ?? {});
  const dialog = openDialog("Rules", () => [howTo, form([rules.element], "Play by these rules", async () => {
    await takes(rules.read());
    dialog.close();
  })]);
}
