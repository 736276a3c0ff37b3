// New boards: by difficulty, of a day, or with the player's settings; and another board like the current one.

import { el } from "./dom.js";
import { field, form, plural, numberInput, openDialog, select } from "./dialog.js";
import { boardOfDay, dayCalendar } from "./days.js";
import { load, save } from "./storage.js";

/** The index of the default level. */
const DEFAULT_LEVEL = 1;
const STARTS = ["top-left", "top-right", "bottom-left", "bottom-right", "centre"];

const randomSeed = () => 1 + Math.floor(Math.random() * 999_999);

function levelButton({ hasPrograms }, { name, board }, isDefault, click) {
  const { rows, cols, colours, kind } = board;
  const content = hasPrograms ? kind : plural(colours, "colours");
  return el("button", { type: "button", class: "button choice-of-two", autofocus: isDefault, on: { click } },
    el("span", {}, name), el("span", { class: "note" }, `${rows} × ${cols}, ${content}`));
}

/** The inputs for a board with the player's settings. `spec` are their initial values, `options` the rules. */
function boardInputs({ hasPrograms, isFlood, kinds, ruleInputs }, spec, options) {
  const number = (name, min, max) => numberInput({ min, max, name, value: spec[name] });
  const allKinds = [...(hasPrograms ? [] : [""]), ...kinds].map((kind) => [kind, kind || "any board"]);
  const inputs = {
    rows: number("rows", 1, 100),
    cols: number("cols", 1, 100),
    colours: !hasPrograms && number("colours", 1, 60),
    start: isFlood && el("input", { type: "text", list: "starts", value: spec.start || STARTS[0], autocomplete: "off" }),
    kind: allKinds.length > 1 && select(allKinds, spec.kind),
    seed: number("seed", 0, Number.MAX_SAFE_INTEGER),
  };
  const rules = ruleInputs?.(options);
  const labels = { rows: ["Rows"], cols: ["Columns"], colours: ["Colours"], start: ["Start", "or ROW,COLUMN from 1"],
    kind: ["Kind"], seed: ["Seed", "the same seed gives the same board"] };
  const usedInputs = Object.entries(inputs).filter(([, input]) => input);
  const read = () => ({ options: rules?.read() ?? {}, ...Object.fromEntries(usedInputs.map(([name, { type, value }]) =>
    [name, type === "number" ? Number(value) : value.trim()])) });
  const elements = [el("div", { class: "fields" }, ...usedInputs.map(([name, input]) => field(labels[name][0], input, labels[name][1]))),
    el("datalist", { id: "starts" }, ...STARTS.map((start) => el("option", { value: start }))), rules?.element];
  return { elements: elements.filter(Boolean), read };
}

/**
 * The dialog for a new board.
 * @param {object} app
 * @param {object} puzzle see puzzles.js
 * @param {Object<string, string>} options the rules of the game
 * @param {(game: object) => void} open
 */
export async function newDialog(app, puzzle, options, open) {
  const { id } = puzzle;
  const { levels } = await app.ask({ ask: "levels", puzzle: id });
  const { elements, read } = boardInputs(puzzle, { ...levels[DEFAULT_LEVEL].board, ...load(`new.${id}`), seed: randomSeed() }, options);
  const openAndClose = async (game) => {
    open(await game);
    dialog.close();
  };
  const generate = (board) => app.ask({ ask: "new", puzzle: id, ...board });
  const guard = (game) => openAndClose(game).catch(app.fail);
  async function create() {
    const { seed, ...spec } = read();
    await openAndClose(generate({ seed, ...spec }));
    save(`new.${id}`, spec);
  }
  const dialog = openDialog("New board", () => [
    el("div", { class: "presets two", role: "group", "aria-label": "By difficulty" }, ...levels.map((level, at) =>
      levelButton(puzzle, level, at === DEFAULT_LEVEL, () => guard(generate({ ...level.board, seed: randomSeed() }))))),
    dayCalendar(id, (date) => guard(boardOfDay(app, id, date))),
    el("details", { class: "more" }, el("summary", {}, "A board of your own"), form(elements, "Play", create)),
  ]);
}

/** Another board of the same size, colours and rules. */
export function nextBoard(app, game) {
  const { puzzle, rows, cols, symbols, start: [row, col], options = {} } = game;
  return app.ask({ ask: "new", puzzle, rows, cols, colours: symbols.length, start: `${row + 1},${col + 1}`,
    kind: load(`new.${puzzle}`)?.kind ?? "", seed: randomSeed(), options, ...app.puzzle(puzzle).nextBoard(game) });
}
