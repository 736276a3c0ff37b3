// The knowledge of the positions of a game, and the loop of searches that extends it.
//
// The solver keeps nothing between two questions. So this file keeps what is known of positions, sends along what a view
// needs, and searches the first of the questions that a view asks, one after the other.

import { boardId } from "./storage.js";

/** The most positions of a game that are remembered; the oldest are forgotten. */
const MOST_KNOWN = 4000;
/** The most games that are remembered. */
const MOST_GAMES = 6;
/** The least time between two refreshes by a running search. */
const REFRESH_MILLISECONDS = 120;

/** The time of a search that is not to be repeated, in seconds. */
const NO_LIMIT = 1e9;

const pathOf = (moves) => moves.join(" ");
/** The identity of a game: board, rules, and the names of its moves. */
const gameId = (game) => JSON.stringify([boardId(game), game.symbols]);

/** Merges two findings of one position: the tighter limit and the better solution. For scores, higher is better. */
export function merge(before, after, isScore = false) {
  if (!before) return after;
  const isLess = (one, other) => (isScore ? one > other : one < other);
  const tighter = (one, other) => (one === undefined || (other !== undefined && isLess(one, other)) ? other : one);
  const isAfter = after.held !== undefined && (before.held === undefined || isLess(after.held, before.held));
  const { held, moves = [] } = isAfter ? after : before;
  return { bound: tighter(before.bound, after.bound), held, moves, never: before.never || after.never,
    tried: Math.max(before.tried, after.tried) };
}

/** The positions of one game. */
class Findings {
  constructor() {
    this.known = new Map();
    this.keys = new Map();
    this.children = new Map();
  }
  /** Notes the keys of the positions that a view names. */
  note(view, moves) {
    this.keys.set(pathOf(moves), view.key);
    for (const question of view.questions) {
      this.keys.set(pathOf(question.moves), question.key);
      if (question.role !== "choice") continue;
      if (!this.children.has(view.key)) this.children.set(view.key, new Set());
      this.children.get(view.key).add(question.key);
    }
  }
  add(key, finding, isScore) {
    const all = merge(this.known.get(key), finding, isScore);
    this.known.delete(key);
    this.known.set(key, all);
    if (this.known.size > MOST_KNOWN) this.known.delete(this.known.keys().next().value);
  }
  /** What is known of the positions that the view of a position needs. */
  forView(moves) {
    const keys = new Set();
    for (let count = 0; count <= moves.length; count += 1) keys.add(this.keys.get(pathOf(moves.slice(0, count))));
    for (const child of this.children.get(this.keys.get(pathOf(moves))) ?? []) keys.add(child);
    return Object.fromEntries([...keys].filter((key) => this.known.has(key)).map((key) => [key, this.known.get(key)]));
  }
  /** The best solution that a search of this position has found. */
  solution(moves) {
    const known = this.known.get(this.keys.get(pathOf(moves)));
    return known?.held === undefined ? null : known;
  }
}

/**
 * The searches of a game.
 *
 * `onView(view, moves)` is called whenever something new is known of the position on the board; `onSearch(role)` when a
 * search begins (`here`, `board`, `path`, `choice`) or the last one has ended (`null`); `onError(error, {isView})` when the
 * solver refuses a question, with `isView` if the position on the board gets no view.
 */
export class Thinking {
  constructor({ ask, patience, onView, onSearch, onError }) {
    Object.assign(this, { ask, patience, onView, onSearch, onError });
    Object.assign(this, { game: null, moves: [], findings: new Findings(), games: new Map(), search: null, timer: 0 });
    Object.assign(this, { requests: 0, isAsking: false, isOpen: false, unit: "" });
    document.addEventListener("visibilitychange", () => document.hidden || this.refresh());
  }
  /** Opens a game. */
  open(game, moves) {
    this.#stop();
    Object.assign(this, { game, findings: this.#findingsOf(game), isOpen: true });
    this.go(moves);
  }
  /** What is known of a game. The games that were open last are remembered. */
  #findingsOf(game) {
    const id = gameId(game);
    const findings = this.games.get(id) ?? new Findings();
    this.games.delete(id);
    this.games.set(id, findings);
    if (this.games.size > MOST_GAMES) this.games.delete(this.games.keys().next().value);
    return findings;
  }
  /** Goes to another position of the game. */
  go(moves) {
    this.moves = moves;
    this.isOpen = true;
    this.refresh();
  }
  close() {
    this.isOpen = false;
    this.#stop();
  }
  /** Goes to a position that is shown already. */
  stay(moves) {
    this.moves = moves;
  }
  solution(moves) {
    return this.findings.solution(moves);
  }
  /** Asks for the view of the position. If an answer is pending, asks again after it. */
  async refresh() {
    this.requests += 1;
    if (this.isAsking || !this.game) return;
    this.isAsking = true;
    try {
      for (let answered = -1; answered !== this.requests && this.isOpen;) {
        answered = this.requests;
        await this.#view();
      }
    } catch (error) {
      this.onError(error, { isView: true });
    } finally {
      this.isAsking = false;
    }
  }
  async #view() {
    const { game, moves, findings } = this;
    const known = findings.forView(moves);
    const patience = this.patience();
    const view = await this.ask({ ask: "view", game, moves, known, patience });
    if (this.game !== game || this.moves !== moves || !this.isOpen) return;
    findings.note(view, moves);
    for (const { key, known: more } of view.learned ?? []) findings.add(key, more, view.unit === "points");
    this.unit = view.unit;
    const isNews = ({ key, seconds }) => !(key in known) && (findings.known.get(key)?.tried ?? -1) >= seconds;
    if (view.questions.some(isNews)) return void (this.requests += 1);
    this.onView(view, moves);
    this.#searchFirst(view.questions[0]);
  }
  /** Searches what a view asks first. A search that is under way goes on if the view still asks for it first. */
  #searchFirst(question) {
    if (question && this.search?.key === question.key) {
      if (this.search.seconds > question.seconds) this.#shorten(question);
      return void this.onSearch(question.role);
    }
    this.#stop();
    if (!question || document.hidden) return void this.onSearch(null);
    this.#startSearch(question);
  }
  /** A search that may take less time than before ends after this time. What it has found stays. */
  #shorten({ key, seconds }) {
    const { search, findings, unit } = this;
    search.seconds = seconds;
    clearTimeout(search.timer);
    search.timer = setTimeout(() => {
      if (this.search !== search) return;
      this.#stop();
      findings.add(key, { moves: [], never: false, tried: seconds }, unit === "points");
      this.refresh();
    }, search.began + 1000 * seconds - performance.now());
  }
  async #startSearch({ key, moves, role, seconds }) {
    const { game, findings, unit } = this;
    const search = { key, seconds, began: performance.now(), timer: 0, end: new AbortController() };
    this.search = search;
    this.onSearch(role);
    const isScore = unit === "points";
    const last = {};
    const onEvent = ({ event, value, moves: way = [] }) => {
      if (this.search !== search || (event !== "bound" && event !== "held")) return;
      if (event === "bound") last.bound = value;
      else Object.assign(last, { held: value, moves: way });
      findings.add(key, { moves: [], never: false, tried: 0, ...last }, isScore);
      this.timer ||= setTimeout(() => {
        this.timer = 0;
        this.refresh();
      }, REFRESH_MILLISECONDS);
    };
    try {
      const { known } = await this.ask({ ask: "solve", game, moves, seconds }, { onEvent, signal: search.end.signal });
      findings.add(key, { ...known, tried: Math.max(known.tried, seconds) }, isScore);
    } catch (error) {
      if (error.name === "AbortError") return;
      // A position that cannot be searched is not asked for again.
      if (!error.isGone) findings.add(key, { moves: [], never: false, tried: NO_LIMIT }, isScore);
      this.onError(error);
    }
    if (this.search !== search) return;
    clearTimeout(search.timer);
    this.search = null;
    this.refresh();
  }
  #stop() {
    clearTimeout(this.timer);
    this.timer = 0;
    clearTimeout(this.search?.timer);
    this.search?.end.abort();
    this.search = null;
  }
}

/** Positions of a game for a film: cells and moves, without verdicts. */
export class Frames {
  constructor(ask, game) {
    Object.assign(this, { ask, game, frames: new Map() });
  }
  /** @param {string[]} moves @returns {Promise<object>} a view */
  at(moves) {
    const path = pathOf(moves);
    if (!this.frames.has(path)) {
      const frame = this.ask({ ask: "view", game: this.game, moves, known: {}, patience: 0 });
      this.frames.set(path, frame);
      frame.catch(() => this.frames.delete(path));
    }
    return this.frames.get(path);
  }
}
