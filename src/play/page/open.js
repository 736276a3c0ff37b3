// Opens boards that the player types, pastes, drops, or chooses among the shipped ones.

import { el, setText, show } from "./dom.js";
import { field, form, isForTyping, numberInput, openDialog, select } from "./dialog.js";
import { thumbnail } from "./canvas.js";
import { linkIn } from "./share.js";

const sharedGame = (game, notes) => ({ game, moves: [], best: null, readingNotes: notes.join("; ") });

/** Lets the player choose one of several boards. */
function pickBoard(app, games, notes) {
  if (games.length === 1) return app.open(sharedGame(games[0], notes));
  const number = numberInput({ min: 1, max: games.length, value: 1 });
  const preview = el("div", { class: "preview" });
  const chosenGame = () => games[Math.max(1, Math.min(games.length, Math.floor(Number(number.value)) || 1)) - 1];
  const draw = () => {
    const { name, rows, cols } = chosenGame();
    preview.replaceChildren(thumbnail(chosenGame(), app.settings), el("p", { class: "note" }, `${name}, ${rows} × ${cols}`));
  };
  number.addEventListener("input", draw);
  draw();
  openDialog("Choose a board", (close) => [
    form([el("p", { class: "note" }, notes.join("; ")), field(`Board, 1 to ${games.length}`, number), preview],
      "Play", async () => {
        close();
        app.open(sharedGame(chosenGame(), []));
      }),
  ]);
}

/** The place of a reading error as a number, for comparison: line, then character. */
function placeOf({ message }) {
  const [, line, character] = message.match(/:(\d+):(\d+): /) ?? [0, 0, 0];
  return Number(line) * 1e6 + Number(character);
}

/** The boards of an input. If a puzzle with programs refuses it, it is read as a board of colours. */
async function boardsOf(app, input) {
  try {
    return await app.ask({ ask: "read", ...input });
  } catch (error) {
    if (!app.puzzle(input.puzzle).hasPrograms || error.isGone) throw error;
    try {
      return await app.ask({ ask: "read", ...input, puzzle: "" });
    } catch (colourError) {
      throw colourError.readings?.length || placeOf(colourError) > placeOf(error) ? colourError : error;
    }
  }
}

/** Reads an input and opens its board; if it is ambiguous, offers its readings. */
async function read(app, input, outputs, close) {
  show(outputs.problem, false);
  outputs.readings.replaceChildren();
  try {
    const { games, notes } = await boardsOf(app, input);
    close();
    pickBoard(app, games, notes);
  } catch (error) {
    setText(outputs.problem, error.message);
    show(outputs.problem, true);
    const choose = ({ text, choose: flags }) => el("button", { type: "button", class: "button",
      on: { click: () => read(app, { ...input, choose: flags }, outputs, close) } }, text);
    outputs.readings.replaceChildren(...(error.readings ?? []).map(choose));
  }
}

async function bytesOf(file) {
  return { bytes: [...new Uint8Array(await file.arrayBuffer())], name: file.name };
}

/** The form for the shipped boards; `null` if the puzzle has none. */
function shippedForm(app, sets, close) {
  if (!sets.length) return null;
  const list = select(sets.map((name) => [name, name.replace(/\.(txt|lines)$/, "")]), sets[0]);
  return form([field("Shipped boards", list)], "Open this board", async () => {
    const { games, notes } = await app.ask({ ask: "shipped", name: list.value });
    close();
    pickBoard(app, games, notes);
  });
}

/**
 * The dialog that opens boards. `first` is an input that it reads at once.
 * @param {object} app
 * @param {string} puzzle for inputs that name no puzzle
 * @param {{text?: string, bytes?: number[], name?: string}} [first]
 */
export async function openBoards(app, puzzle, first) {
  const { sets } = await app.ask({ ask: "sets", puzzle });
  const { example, formats } = app.puzzle(puzzle);
  const text = el("textarea", { rows: 7, spellcheck: "false", autocapitalize: "off", id: "pasted",
    placeholder: example, "aria-label": "Boards as text" });
  const file = el("input", { type: "file" });
  const size = el("input", { type: "text", placeholder: "14x14", autocomplete: "off" });
  const problem = el("p", { class: "problem", role: "alert", hidden: true });
  const outputs = { problem, readings: el("div", { class: "readings" }) };
  let loaded = null;
  function readInput(input) {
    loaded = input;
    const link = input.text && linkIn(input.text);
    if (link) return openLink(app, link, () => dialog.close());
    const wantedSize = size.value.trim().replaceAll(" ", "").replace("×", "x");
    return read(app, { ...input, puzzle, choose: wantedSize ? `--size ${wantedSize}` : "" }, outputs, () => dialog.close());
  }
  file.addEventListener("change", async () => file.files[0] && readInput(await bytesOf(file.files[0])));
  text.addEventListener("input", () => {
    loaded = null;
  });
  const dialog = openDialog("Open a board", (close) => [
    el("p", { class: "note" }, `Type or paste boards in any format that gridhunt reads: ${formats}. Files may be pictures. `
      + "A link to a game opens too."),
    form([text, el("div", { class: "fields wide" }, field("or a file", file), field("Size, if nothing says it", size)),
      outputs.problem, outputs.readings], "Open", async () => readInput(loaded ?? { text: text.value })),
    shippedForm(app, sets, close),
  ]);
  if (first?.text) text.value = first.text;
  if (first) readInput(first);
}

async function openLink(app, link, close) {
  const shared = await app.ask({ ask: "open", link });
  close();
  app.open(shared);
}

/** Opens boards and links that are pasted into the page or dropped on it. */
export function takeTransfers(app, currentPuzzle, dropArea) {
  const openTransfer = async (data) => {
    const file = data.files[0];
    const text = data.getData("text/plain");
    if (file) await openBoards(app, currentPuzzle(), await bytesOf(file));
    else if (linkIn(text)) await openLink(app, linkIn(text), () => {});
    else if (text.trim()) await openBoards(app, currentPuzzle(), { text });
  };
  addEventListener("paste", (event) => {
    if (!isForTyping(event.target)) openTransfer(event.clipboardData).catch(app.fail);
  });
  const mark = (isOver) => dropArea.classList.toggle("dropping", isOver);
  addEventListener("dragover", (event) => {
    if (isForTyping(event.target)) return;
    event.preventDefault();
    mark(true);
  });
  addEventListener("dragleave", () => mark(false));
  addEventListener("drop", (event) => {
    if (isForTyping(event.target)) return;
    event.preventDefault();
    mark(false);
    openTransfer(event.dataTransfer).catch(app.fail);
  });
}
