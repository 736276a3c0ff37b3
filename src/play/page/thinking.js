// The findings about the positions of a game, and the loop of searches that extends them.
//
// The solver stores nothing between questions. So this file stores the findings, and sends those that a view needs with
// its question. A view lists questions about positions; the first of them is searched next.

import { boardId } from "./storage.js";

/** The number of positions of a game that are remembered; the oldest are forgotten. */
const MAX_POSITIONS = 4000;
/** The number of games that are remembered. */
const MAX_GAMES = 6;
/** The least time between two refreshes that a running search causes. */
const REFRESH_MILLISECONDS = 120;

/** As the time of a search, in seconds: never search this position again. */
const NEVER_AGAIN = 1e9;

const pathOf = (moves) => moves.join(" ");
/** The identity of a game: board, rules, and the names of its moves. */
const gameId = (game) => JSON.stringify([boardId(game), game.symbols]);

/** Merges two findings about a position: the tighter bound and the better solution. For scores, higher is better. */
export function merge(before, after, isScore = false) {
  if (!before) return after;
  const isBetter = (one, other) => (isScore ? one > other : one < other);
  const tighter = (one, other) => (one === undefined || (other !== undefined && isBetter(one, other)) ? other : one);
  const isImproved = after.held !== undefined && (before.held === undefined || isBetter(after.held, before.held));
  const { held, moves = [] } = isImproved ? after : before;
  return { bound: tighter(before.bound, after.bound), held, moves, never: before.never || after.never,
    tried: Math.max(before.tried, after.tried) };
}

/** The findings about the positions of one game. */
class Findings {
  constructor() {
    this.known = new Map();
    this.keys = new Map();
    this.children = new Map();
  }
  /** Stores the keys of the positions that a view names. */
  addKeys(view, moves) {
    this.keys.set(pathOf(moves), view.key);
    for (const question of view.questions) {
      this.keys.set(pathOf(question.moves), question.key);
      if (question.role !== "choice") continue;
      if (!this.children.has(view.key)) this.children.set(view.key, new Set());
      this.children.get(view.key).add(question.key);
    }
  }
  add(key, finding, isScore) {
    const merged = merge(this.known.get(key), finding, isScore);
    this.known.delete(key);
    this.known.set(key, merged);
    if (this.known.size > MAX_POSITIONS) this.known.delete(this.known.keys().next().value);
  }
  /** The findings that the view of a position needs: of the positions on the path to it, and of its children. */
  forView(moves) {
    const keys = new Set();
    for (let count = 0; count <= moves.length; count += 1) keys.add(this.keys.get(pathOf(moves.slice(0, count))));
    for (const child of this.children.get(this.keys.get(pathOf(moves))) ?? []) keys.add(child);
    return Object.fromEntries([...keys].filter((key) => this.known.has(key)).map((key) => [key, this.known.get(key)]));
  }
  /** The finding about a position, if it has a solution; else `null`. */
  solution(moves) {
    const known = this.known.get(this.keys.get(pathOf(moves)));
    return known?.held === undefined ? null : known;
  }
}

/**
 * The searches of a game.
 *
 * `onView(view, moves)` is called with each new view of the current position; `onSearch(role)` when a search starts
 * (`here`, `board`, `path` or `choice`) or the last one has ended (`null`); `onError(error, {isView})` when the solver
 * refuses a question, with `isView` if the current position gets no view. `patience()` is the time limit in seconds.
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
  /** The findings about a game; only the last opened games are remembered. */
  #findingsOf(game) {
    const id = gameId(game);
    const findings = this.games.get(id) ?? new Findings();
    this.games.delete(id);
    this.games.set(id, findings);
    if (this.games.size > MAX_GAMES) this.games.delete(this.games.keys().next().value);
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
  /** Goes back to a position whose view is shown, without a new question. */
  returnTo(moves) {
    this.moves = moves;
  }
  solution(moves) {
    return this.findings.solution(moves);
  }
  /** Asks for the view of the position. If an answer is pending, asks again afterwards. */
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
    findings.addKeys(view, moves);
    for (const { key, known: finding } of view.learned ?? []) findings.add(key, finding, view.unit === "points");
    this.unit = view.unit;
    const isNews = ({ key, seconds }) => !(key in known) && (findings.known.get(key)?.tried ?? -1) >= seconds;
    if (view.questions.some(isNews)) return void (this.requests += 1);
    this.onView(view, moves);
    this.#searchFirst(view.questions[0]);
  }
  /** Searches the first question of a view. A running search continues if it is still the first one. */
  #searchFirst(question) {
    if (question && this.search?.key === question.key) {
      if (this.search.seconds > question.seconds) this.#shorten(question);
      return void this.onSearch(question.role);
    }
    this.#stop();
    if (!question || document.hidden) return void this.onSearch(null);
    this.#startSearch(question);
  }
  /** Lowers the time limit of the running search. Its findings stay. */
  #shorten({ key, seconds }) {
    const { search, findings, unit } = this;
    search.seconds = seconds;
    clearTimeout(search.timer);
    search.timer = setTimeout(() => {
      if (this.search !== search) return;
      this.#stop();
      findings.add(key, { moves: [], never: false, tried: seconds }, unit === "points");
      this.refresh();
    }, search.startTime + 1000 * seconds - performance.now());
  }
  async #startSearch({ key, moves, role, seconds }) {
    const { game, findings, unit } = this;
    const search = { key, seconds, startTime: performance.now(), timer: 0, controller: new AbortController() };
    this.search = search;
    this.onSearch(role);
    const isScore = unit === "points";
    const latest = {};
    const onEvent = ({ event, value, moves: solution = [] }) => {
      if (this.search !== search || (event !== "bound" && event !== "held")) return;
      if (event === "bound") latest.bound = value;
      else Object.assign(latest, { held: value, moves: solution });
      findings.add(key, { moves: [], never: false, tried: 0, ...latest }, isScore);
      this.timer ||= setTimeout(() => {
        this.timer = 0;
        this.refresh();
      }, REFRESH_MILLISECONDS);
    };
    try {
      const { known } = await this.ask({ ask: "solve", game, moves, seconds }, { onEvent, signal: search.controller.signal });
      findings.add(key, known, isScore);
    } catch (error) {
      if (error.name === "AbortError") return;
      // A position that cannot be searched is not searched again.
      if (!error.isGone) findings.add(key, { moves: [], never: false, tried: NEVER_AGAIN }, isScore);
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
    this.search?.controller.abort();
    this.search = null;
  }
}

/** Views of a game for a film: without findings, so without verdicts. */
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
