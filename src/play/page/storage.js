// What the browser keeps: settings, the last game of each puzzle, the best results. Where the browser keeps nothing,
// all of this lasts as long as the page. A tab has a game of its own, which a reload keeps; a new tab begins with the
// game that was kept last in any tab.

const PREFIX = "gridhunt.play.";
const MOST_BOARDS = 300;
const memory = new Map();

/** A value of `localStorage` or `sessionStorage`; `null` if the browser keeps none, or something else wrote there. */
function read(area, name) {
  try {
    return JSON.parse(window[area].getItem(PREFIX + name));
  } catch {
    return null;
  }
}
function write(area, name, value) {
  try {
    window[area].setItem(PREFIX + name, JSON.stringify(value));
  } catch {
    // The value lasts as long as the page.
  }
}

/** @param {string} name @returns {any} the stored value, or `null` */
export const load = (name) => read("localStorage", name) ?? memory.get(name) ?? null;

/** @param {string} name @param {any} value */
export function save(name, value) {
  memory.set(name, value);
  write("localStorage", name, value);
}

/** @param {string} name @returns {any} the value of this tab, or else of any tab, or `null` */
export const loadOfTab = (name) => read("sessionStorage", name) ?? load(name);

/** Stores a value for this tab, and for tabs that are opened later. @param {string} name @param {any} value */
export function saveOfTab(name, value) {
  save(name, value);
  write("sessionStorage", name, value);
}

/** The identity of a board with its rules: its name does not count. @param {object} game @returns {string} */
export function boardId({ puzzle, rows, cols, cells, start, options = {} }) {
  const rules = Object.entries(options).sort().map(([key, value]) => `${key}~${value}`).join(".");
  return `${puzzle}|${rows}x${cols}|${start}|${rules}|${cells.map((cell) => cell.toString(36)).join("")}`;
}

/**
 * The best results of the player on each board.
 * @returns {{best: (game: object) => ({value: ?number, moves: string[], games: number}|null),
 *   addResult: (game: object, moves: string[], value: ?number, isBetter: (value: number, than: number) => boolean)
 *   => object}}
 */
export function bestResults() {
  const all = () => new Map(load("best") ?? []);
  const best = (game) => all().get(boardId(game)) ?? null;
  /** Adds the result of a finished game. `value` is `null` if the goal was not reached. */
  function addResult(game, moves, value, isBetter) {
    const [boards, id] = [all(), boardId(game)];
    const before = boards.get(id) ?? { value: null, moves: [], games: 0 };
    const isBest = value !== null && (before.value === null || isBetter(value, before.value));
    const result = { ...before, ...(isBest ? { value, moves } : {}), games: before.games + 1 };
    boards.delete(id);
    boards.set(id, result);
    save("best", [...boards].slice(-MOST_BOARDS));
    return result;
  }
  return { best, addResult };
}
