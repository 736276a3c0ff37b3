// Stores settings, the last game of each puzzle and the best results in the browser. If the browser stores nothing, the
// values last as long as the page. Each tab has its own games, also after a reload; a new tab starts with the games
// that were stored last.

const PREFIX = "gridhunt.play.";
const MAX_BOARDS = 300;
const memory = new Map();

/** A value of `localStorage` or `sessionStorage`; `null` if there is none, or if it is not JSON. */
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
    // The value in `memory` lasts as long as the page.
  }
}

/** @param {string} name @returns {any} the stored value, or `null` */
export const load = (name) => read("localStorage", name) ?? memory.get(name) ?? null;

/** @param {string} name @param {any} value */
export function save(name, value) {
  memory.set(name, value);
  write("localStorage", name, value);
}

/** @param {string} name @returns {any} the value of this tab, or else the last one of all tabs, or `null` */
export const loadOfTab = (name) => read("sessionStorage", name) ?? load(name);

/** Stores a value for this tab, and for new tabs. @param {string} name @param {any} value */
export function saveOfTab(name, value) {
  save(name, value);
  write("sessionStorage", name, value);
}

/** The identity of a board with its rules, independent of its name. @param {object} game @returns {string} */
export function boardId({ puzzle, rows, cols, cells, start, options = {} }) {
  const rules = Object.entries(options).sort().map(([key, value]) => `${key}~${value}`).join(".");
  return `${puzzle}|${rows}x${cols}|${start}|${rules}|${cells.map((cell) => cell.toString(36)).join("")}`;
}

/**
 * The player's best result on each board.
 * @returns {{best: (game: object) => ({value: ?number, moves: string[], games: number}|null),
 *   addResult: (game: object, moves: string[], value: ?number, isBetter: (value: number, than: number) => boolean)
 *   => object}}
 */
export function bestResults() {
  const loadAll = () => new Map(load("best") ?? []);
  const best = (game) => loadAll().get(boardId(game)) ?? null;
  /** Adds the result of a finished game. `value` is `null` if the goal was not reached. */
  function addResult(game, moves, value, isBetter) {
    const [boards, id] = [loadAll(), boardId(game)];
    const before = boards.get(id) ?? { value: null, moves: [], games: 0 };
    const isBest = value !== null && (before.value === null || isBetter(value, before.value));
    const result = { ...before, ...(isBest ? { value, moves } : {}), games: before.games + 1 };
    boards.delete(id);
    boards.set(id, result);
    save("best", [...boards].slice(-MAX_BOARDS));
    return result;
  }
  return { best, addResult };
}
