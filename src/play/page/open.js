// Boards that the player types, pastes, drops, or takes from the program.

import { el, setText, show } from "./dom.js";
import { field, form, numberInput, openDialog, select } from "./dialog.js";
import { thumbnail } from "./canvas.js";
import { linkIn } from "./share.js";

const fresh = (game, notes) => ({ game, moves: [], best: null, said: notes.join("; ") });

/** Lets the player choose one of several boards. */
function pickBoard(app, games, notes) {
  if (games.length === 1) return app.open(fresh(games[0], notes));
  const number = numberInput({ min: 1, max: games.length, value: 1 });
  const preview = el("div", { class: "preview" });
  const chosen = () => games[Math.max(1, Math.min(games.length, Math.floor(Number(number.value)) || 1)) - 1];
  const draw = () => {
    const { name, rows, cols } = chosen();
    preview.replaceChildren(thumbnail(chosen(), app.settings), el("p", { class: "note" }, `${name}, ${rows} × ${cols}`));
  };
  number.addEventListener("input", draw);
  draw();
  openDialog("Choose a board", (close) => [
    form([el("p", { class: "note" }, ...notes.join("; ")), field(`Board, 1 to ${games.length}`, number), preview],
      "Play", async () => {
        close();
        app.open(fresh(chosen(), []));
      }),
  ]);
}

/** The place that a reading came to, as a number; the message of the reading names it. */
function placeOf({ message }) {
  const [, line, character] = message.match(/:(\d+):(\d+): /) ?? [0, 0, 0];
  return Number(line) * 1e6 + Number(character);
}

/** The boards of an input. What is no board of Hopping Bunny may be a board of another puzzle. */
async function boardsOf(app, input) {
  try {
    return await app.ask({ ask: "read", ...input });
  } catch (error) {
    if (input.puzzle !== "bunny" || error.isGone) throw error;
    try {
      return await app.ask({ ask: "read", ...input, puzzle: "" });
    } catch (other) {
      throw other.readings?.length || placeOf(other) > placeOf(error) ? other : error;
    }
  }
}

/** Reads an input; offers its readings if it has several. */
async function read(app, input, told, close) {
  show(told.problem, false);
  told.readings.replaceChildren();
  try {
    const { games, notes } = await boardsOf(app, input);
    close();
    pickBoard(app, games, notes);
  } catch (error) {
    setText(told.problem, error.message);
    show(told.problem, true);
    const choose = ({ text, choose: flags }) => el("button", { type: "button", class: "button",
      on: { click: () => read(app, { ...input, choose: flags }, told, close) } }, text);
    told.readings.replaceChildren(...(error.readings ?? []).map(choose));
  }
}

async function bytesOf(file) {
  return { bytes: [...new Uint8Array(await file.arrayBuffer())], name: file.name };
}

/** The boards that are part of the program. */
function shippedForm(app, sets, close) {
  if (!sets.length) return null;
  const chosen = select(sets.map((name) => [name, name.replace(/\.(txt|lines)$/, "")]), sets[0]);
  return form([field("Shipped boards", chosen)], "Open this board", async () => {
    const { games, notes } = await app.ask({ ask: "shipped", name: chosen.value });
    close();
    pickBoard(app, games, notes);
  });
}

/** The text that may be typed, by puzzle. */
const WAYS = {
  "flood-it": { example: "112\n231\n313", text: "rows of digits or letters, numbers with spaces, CSV, JSON, emoji, game IDs" },
  clickomania: { example: "112\n231\n313", text: "rows of digits or letters with a dot for an empty cell, numbers with "
    + "spaces, CSV, JSON, emoji, game IDs" },
  bunny: { example: "S##\n# #\n###", text: "# for a square, O for a marked square, S for the start, a space or a dot for nothing; "
    + "boards of colours open too" },
};

/**
 * The dialog that opens boards. `first` is an input to be read at once.
 * @param {object} app
 * @param {string} puzzle the puzzle of inputs that do not name one
 * @param {{text?: string, bytes?: number[], name?: string}} [first]
 */
export async function openBoards(app, puzzle, first) {
  const { sets } = await app.ask({ ask: "sets", puzzle });
  const way = WAYS[puzzle] ?? WAYS["flood-it"];
  const text = el("textarea", { rows: 7, spellcheck: "false", autocapitalize: "off", id: "pasted",
    placeholder: way.example, "aria-label": "Boards as text" });
  const file = el("input", { type: "file" });
  const size = el("input", { type: "text", placeholder: "14x14", autocomplete: "off" });
  const problem = el("p", { class: "problem", role: "alert", hidden: true });
  const told = { problem, readings: el("div", { class: "readings" }) };
  let given = null;
  function take(input) {
    given = input;
    const link = input.text && linkIn(input.text);
    if (link) return openLink(app, link, () => dialog.close());
    const wanted = size.value.trim().replaceAll(" ", "").replace("×", "x");
    return read(app, { ...input, puzzle, choose: wanted ? `--size ${wanted}` : "" }, told, () => dialog.close());
  }
  file.addEventListener("change", async () => file.files[0] && take(await bytesOf(file.files[0])));
  text.addEventListener("input", () => {
    given = null;
  });
  const dialog = openDialog("Open a board", (close) => [
    el("p", { class: "note" }, `Type or paste boards in any format that gridhunt reads: ${way.text}. Files may be pictures. `
      + "A link to a game opens too."),
    form([text, el("div", { class: "fields wide" }, field("or a file", file), field("Size, if nothing says it", size)),
      told.problem, told.readings], "Open", async () => take(given ?? { text: text.value })),
    shippedForm(app, sets, close),
  ]);
  if (first?.text) text.value = first.text;
  if (first) take(first);
}

const isForWriting = (node) => node instanceof Element && node.closest("input, textarea, select, dialog");

async function openLink(app, link, close) {
  const shared = await app.ask({ ask: "open", link });
  close();
  app.open(shared);
}

/** Boards that are pasted into the page or dropped on it. */
export function takeTransfers(app, puzzle, place) {
  const take = async (data) => {
    const file = data.files[0];
    const text = data.getData("text/plain");
    if (file) await openBoards(app, puzzle(), await bytesOf(file));
    else if (linkIn(text)) await openLink(app, linkIn(text), () => {});
    else if (text.trim()) await openBoards(app, puzzle(), { text });
  };
  addEventListener("paste", (event) => {
    if (!isForWriting(event.target)) take(event.clipboardData).catch(app.fail);
  });
  const mark = (isOver) => place.classList.toggle("dropping", isOver);
  addEventListener("dragover", (event) => {
    if (isForWriting(event.target)) return;
    event.preventDefault();
    mark(true);
  });
  addEventListener("dragleave", () => mark(false));
  addEventListener("drop", (event) => {
    if (isForWriting(event.target)) return;
    event.preventDefault();
    mark(false);
    take(event.dataTransfer).catch(app.fail);
  });
}
