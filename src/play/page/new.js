// New boards: by difficulty, of a day, or as the player describes them; and another board like one before.

import { el } from "./dom.js";
import { form, many, openDialog } from "./dialog.js";
import { boardOfDay, dayCalendar } from "./days.js";
import { load, save } from "./storage.js";

/** The level that most players choose. */
const USUAL = 1;

const randomSeed = () => 1 + Math.floor(Math.random() * 999_999);

function levelButton({ name, board }, isUsual, opens) {
  const { rows, cols, colours, kind } = board;
  const what = board.puzzle === "bunny" ? kind : many(colours, "colours");
  return el("button", { type: "button", class: "button choice-of-two", autofocus: isUsual, on: { click: () => opens(board) } },
    el("span", {}, name), el("span", { class: "note" }, `${rows} × ${cols}, ${what}`));
}

/**
 * The dialog for a new board.
 * @param {object} app
 * @param {string} puzzle
 * @param {{fields: (spec: object) => {inputs: Node[], read: () => object}, opens: (game: object) => void}} asked
 *   `fields` are the inputs of boards of one's own, `spec` what they hold at first; `read` gives what `new` is asked
 */
export async function newDialog(app, puzzle, { fields, opens }) {
  const { levels } = await app.ask({ ask: "levels", puzzle });
  const { inputs, read } = fields({ ...levels[USUAL].board, ...load(`new.${puzzle}`), seed: randomSeed() });
  const take = async (game) => {
    opens(await game);
    dialog.close();
  };
  const make = (board) => app.ask({ ask: "new", puzzle, ...board });
  const guard = (game) => take(game).catch(app.fail);
  async function create() {
    const { seed, ...spec } = read();
    await take(make({ seed, ...spec }));
    save(`new.${puzzle}`, spec);
  }
  const dialog = openDialog("New board", () => [
    el("div", { class: "presets two", role: "group", "aria-label": "By difficulty" },
      ...levels.map((level, at) => levelButton(level, at === USUAL, (board) => guard(make({ ...board, seed: randomSeed() }))))),
    dayCalendar(puzzle, (date) => guard(boardOfDay(app, puzzle, date))),
    el("details", { class: "more" }, el("summary", {}, "A board of your own"), form(inputs, "Play", create)),
  ]);
}

/** Another board of the same size, colours and rules. */
export function nextBoard(app, { puzzle, rows, cols, symbols, start: [row, col], options = {} }) {
  const isClear = ["clear", "clicks"].includes(options.objective ?? "clear");
  const own = {
    "flood-it": { start: `${row + 1},${col + 1}` }, clickomania: { kind: isClear ? "clearable" : "" },
    "free-flood": { options: {} }, bunny: { kind: load("new.bunny")?.kind ?? "grown" },
  };
  return app.ask({ ask: "new", puzzle, rows, cols, colours: symbols.length, seed: randomSeed(), options, ...own[puzzle] });
}
