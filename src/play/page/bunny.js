// Hopping Bunny: programs of tiles. The solver knows the rules and judges; this file handles the player's input.

import { el, setText, show } from "./dom.js";
import { bunnyBoard } from "./bunny-board.js";
import { programEditor } from "./bunny-editor.js";
import { levelRow, newBunnyDialog } from "./bunny-levels.js";
import { parseProgram, walk, writeProgram } from "./bunny-program.js";
import { runBar } from "./bunny-run.js";
import { daySolved, isOfDay, streakText } from "./days.js";
import { endPanel } from "./end.js";
import { nextBoard } from "./new.js";
import { bunnyResults, bunnyStatus } from "./bunny-status.js";
import { ShortestSearch } from "./bunny-search.js";

const isShorter = (one, other) => one < other;
/** Milliseconds until the player hears that an answer takes longer. */
const SLOW = 400;
const isForWriting = (node) => node instanceof Element && node.closest("input:not([type=range]), textarea, select");
const fresh = () => ({ game: null, view: null, optimum: "", trace: [], given: null, seen: [], hints: 0, isRevealed: false,
  counted: "", ran: "" });

class BunnyGame {
  constructor(app) {
    this.app = app;
    this.now = fresh();
    this.search = new ShortestSearch({ ask: app.ask, patience: () => Number(app.settings.get("patience")), fails: app.fail,
      tells: (isNews) => this.#searched(isNews) });
    this.#build();
    app.settings.changed(() => {
      this.board.draw();
      this.search.limit();
    });
    document.addEventListener("keydown", (event) => this.#key(event));
  }

  // The interface of the shell.

  /** Shows a game; see main.js. */
  open(shared, isMine = false) {
    const { game, moves = [] } = shared;
    this.bar.pause();
    this.now = { ...fresh(), game };
    const program = isMine ? shared.program ?? moves[0] ?? "" : "";
    if (isMine) {
      const { given = null, seen = [], hints = 0, isRevealed = false, counted = "", ran = "" } = shared;
      Object.assign(this.now, { given, seen, hints, isRevealed, counted, ran });
    } else if (moves.length) this.now.given = { program: moves[0], view: null };
    this.board.open(game);
    this.bar.take(0);
    this.editor.open(parseProgram(program));
    this.#title();
    this.search.open(game);
    this.#judge();
    this.#friend().catch(this.app.fail);
    this.levels.games().then(() => {
      this.#title();
      this.#update();
    }).catch(this.app.fail);
  }
  close() {
    this.bar.pause();
    this.search.close();
  }
  /** The player's shortest program for this board, or the program as it is. */
  share() {
    const { game, view } = this.now;
    const best = game && this.app.store.best(game);
    if (best?.moves.length) return { game, moves: best.moves, best: best.value };
    return { game, moves: view?.program ? [view.program] : [], best: null };
  }
  state() {
    const { game, given, seen, hints, isRevealed, counted, ran } = this.now;
    return { game, moves: [], best: null, program: writeProgram(this.editor.tiles()), seen, hints, isRevealed, counted, ran,
      given: given && { program: given.program, view: null } };
  }
  newBoard() {
    newBunnyDialog(this.app, (game) => this.#openGame(game)).catch(this.app.fail);
  }
  /** The result of a program that has run and solves the board. */
  result() {
    const { end, program } = this.#ran() ?? {};
    return end ? { result: end.result, isHelped: this.now.seen.includes(program) } : null;
  }
  /** The level behind this one, or another board of this size. */
  async #next() {
    const level = (await this.levels.games())[this.levels.current() + 1];
    const isLevel = this.levels.current() >= 0 && level;
    this.#openGame(isLevel ? level : await nextBoard(this.app, this.now.game));
  }
  /** The game of a first visit. */
  async first() {
    return (await this.levels.games())[0];
  }
  #openGame(game) {
    this.app.open({ game, moves: [], best: null });
    this.editor.focus();
  }

  // Drawing.

  #build() {
    const { app } = this;
    this.title = el("h1", { tabindex: "-1" });
    this.subtitle = el("p", { class: "note subtitle", id: "board-name" });
    this.levels = levelRow(app, (game) => this.#openGame(game));
    this.board = bunnyBoard({ most: () => (window.innerWidth < 760 ? Math.max(220, window.innerHeight * 0.31)
      : Math.max(280, window.innerHeight - 330)) });
    Object.entries({ tabindex: "0", role: "application", "aria-roledescription": "board", "aria-describedby": "bunny-help" })
      .forEach(([name, value]) => this.board.canvas.setAttribute(name, value));
    this.cursor = -1;
    this.bar = runBar({ shows: (at, milliseconds, isRunning) => this.#show(at, milliseconds, isRunning),
      ends: () => this.now.view && app.say(this.now.view.standing) });
    this.end = endPanel({ next: () => this.#next().catch(app.fail), share: app.share });
    this.editor = programEditor({ changed: () => this.#edited(), say: app.say, runs: () => this.bar.run() });
    this.status = bunnyStatus({ hint: () => this.hint(), reveal: () => this.reveal(), searchOn: () => this.search.searchOn() });
    this.results = bunnyResults({ runMine: () => this.#adopt(app.store.best(this.now.game).moves[0]),
      runFriend: () => this.#adopt(this.now.given.view.program) });
    this.outcome = el("p", { class: "outcome", id: "outcome" });
    const help = "Keys: F, L, R and O add tiles, digits set the rounds of a loop, arrows choose a tile, P runs. Tiles can be dragged.";
    const column = el("div", { class: "board-column" }, this.board.element, this.bar.element, this.outcome,
      el("p", { class: "note help", id: "bunny-help" }, help));
    const side = el("div", { class: "side" }, this.end.element, this.editor.element, this.status.element, this.results.element);
    this.element = el("article", { class: "game bunny" }, el("div", { class: "level-bar" }, this.levels.element),
      el("div", { class: "game-head" }, el("div", {}, this.title, this.subtitle)),
      el("div", { class: "game-body" }, column, side));
    this.board.canvas.addEventListener("keydown", (event) => this.#boardKey(event));
    this.board.canvas.addEventListener("blur", () => this.board.cursor(this.cursor = -1));
  }
  #title() {
    const { game } = this.now;
    const level = this.levels.show(game);
    const squares = game.cells.filter((cell) => game.symbols[cell] === "#").length;
    setText(this.title, level >= 0 ? `Level ${level + 1}` : game.name || "Hopping Bunny");
    setText(this.subtitle, `${game.rows} × ${game.cols}, ${squares} to mark`);
  }
  #show(at, milliseconds, isRunning) {
    const { view, trace } = this.now;
    this.board.show(at, milliseconds);
    this.editor.run(view && at > 0 ? trace[at - 1] ?? null : null);
    if (view && at === view.steps.length) this.#hasRun(view);
    const words = view ? this.#stepWords(at) : "";
    setText(this.outcome, words);
    this.board.canvas.setAttribute("aria-label",
      `Board of ${this.now.game.rows} rows and ${this.now.game.cols} columns, ${this.board.words()}`);
    if (!isRunning && at > 0) this.app.say(`${words}. ${this.board.words()}`);
  }
  #stepWords(at) {
    const { steps, all, standing } = this.now.view;
    const isCut = all > steps.length;
    if (at === steps.length && at > 0 && !isCut) return standing;
    if (at === steps.length && isCut) return `${standing}. Only the first ${at.toLocaleString("en-GB")} steps are shown.`;
    if (at === 0) return "";
    const [instruction, , left] = steps[at - 1];
    return `Step ${at}: ${{ F: "hop", L: "turn left", R: "turn right" }[instruction]}, ${left} ${left === 1 ? "square" : "squares"} left`;
  }
  #update() {
    const { now, search } = this;
    const best = this.app.store.best(now.game);
    const ran = this.#ran();
    this.bar.tell(Boolean(ran));
    this.end.update(ran?.end, { isHelped: now.seen.includes(ran?.program), said: isOfDay(now.game) ? streakText("bunny") : "" });
    this.status.update({ view: ran, note: this.#note(), known: search.known, optimumText: now.optimum,
      isSearching: search.isSearching, hasEnded: search.hasEnded, work: search.work });
    this.results.update({ best, given: now.given });
    const { known } = search;
    const isProven = known.bound !== undefined && known.bound === known.held;
    const most = now.isRevealed ? Infinity : now.hints;
    const program = known.moves?.[0];
    this.status.reveal(program && most > 0 ? { program, most, isProven, adopt: () => this.#adopt(program) } : null);
    if (best && best.value !== null) {
      this.levels.note({ tokens: best.value, program: best.moves[0], isShortest: isProven && known.held === best.value });
    }
  }

  /** What is to be said instead of the outcome. */
  #note() {
    const text = this.editor.text();
    if (text === "" && !this.now.view?.solved) return "The program is empty: add tiles.";
    const waits = this.now.view && !this.#ran() ? "Run the program to see what comes of it." : "";
    return this.editor.note() || (this.isSlow && !this.now.view ? "Reading the program …" : waits);
  }

  // Answers of the solver.

  #edited() {
    this.now.view = null;
    this.bar.take(0);
    this.board.track([]);
    this.app.changed();
    this.#judge();
  }
  /** Asks for the outcome of the program; edits that come meanwhile are asked for afterwards. */
  async #judge() {
    this.isStale = true;
    if (this.isJudging) return;
    this.isJudging = true;
    const slow = setTimeout(() => {
      this.isSlow = true;
      this.#update();
    }, SLOW);
    while (this.isStale) {
      this.isStale = false;
      const { game } = this.now;
      const text = this.editor.text();
      const isSame = () => this.now.game === game && this.editor.text() === text;
      try {
        const view = await this.#ask(text ?? "");
        if (isSame()) this.#take(view, text !== null);
      } catch (error) {
        if (error.isGone) this.app.fail(error);
        else if (isSame()) this.#refuse(error);
      }
    }
    clearTimeout(slow);
    Object.assign(this, { isJudging: false, isSlow: false });
  }
  #ask(program) {
    const { game } = this.now;
    const { bound, held, never } = this.search.known;
    const mine = this.app.store.best(game)?.value ?? Infinity;
    const most = Math.min(held ?? Infinity, mine);
    const known = { bound, never, held: most === Infinity ? undefined : most };
    return this.app.ask({ ask: "program", game, program, known });
  }
  #take(view, isProgram) {
    const { now } = this;
    now.optimum = view.optimum;
    if (isProgram) {
      const isNew = now.view?.program !== view.program;
      this.editor.accept(view.program);
      now.view = view;
      if (isNew) {
        this.#runnable(view);
        // A typed text has its tiles only now.
        this.app.changed();
      }
      if (this.#ran()) this.#count(view);
    }
    this.#update();
  }
  #runnable(view) {
    this.now.trace = [];
    for (const step of walk(parseProgram(view.program))) {
      if (this.now.trace.length === view.steps.length) break;
      this.now.trace.push(step);
    }
    this.board.track(view.steps);
    this.bar.take(view.steps.length);
    if (this.wantsRun === view.program) this.bar.run();
    this.wantsRun = null;
  }
  #refuse(error) {
    this.now.view = null;
    this.editor.refuse(error);
    this.#update();
  }
  /** What came of the program, if it has run to its end: before, nothing is told. A program without a step has run. */
  #ran() {
    const { view, ran } = this.now;
    return view && (ran === view.program || !view.steps.length) ? view : null;
  }
  #hasRun(view) {
    if (this.now.ran === view.program || !view.steps.length) return;
    this.now.ran = view.program;
    this.#count(view);
    this.#update();
    this.app.changed();
  }
  /** Notes a program of the player's own that solves the board, once. The proof that it is the shortest may come later. */
  #count({ program, tokens, standing, solved, end }) {
    const { now } = this;
    if (!solved || now.seen.includes(program)) return;
    daySolved(this.app, now.game, end.optimal).then(() => this.#update()).catch(this.app.fail);
    if (now.counted === program) return;
    now.counted = program;
    const before = this.app.store.best(now.game)?.value ?? null;
    this.app.store.finished(now.game, [program], tokens, isShorter);
    this.app.say(standing);
    this.app.changed();
    if (before === null || tokens < before) this.#judge();
  }
  #searched(isNews) {
    if (isNews) this.#judge();
    else this.#update();
    const { known, isSearching } = this.search;
    const isProven = !isSearching && known.bound !== undefined && known.bound === known.held;
    if (isProven) this.app.say(`Proven: the shortest program has ${known.held} tokens.`);
  }
  async #friend() {
    const { now } = this;
    if (!now.given) return;
    const view = await this.#ask(now.given.program);
    now.given = { program: view.program, view };
    if (this.now === now) this.#update();
  }

  // Input of the player.

  /** Shows one tile more of the shortest program. */
  hint() {
    const { now, search } = this;
    if (search.known.held === 0) return this.app.say("The empty program marks every square.");
    if (!search.known.moves?.length) return this.app.say("No program is known yet.");
    now.hints += 1;
    if (now.hints >= search.known.held) return this.reveal();
    this.app.say(`Hint: the shortest program begins with ${this.#begin(now.hints)}`);
    this.#update();
    this.status.showHint();
    this.app.changed();
    return undefined;
  }
  #begin(most) {
    const words = (tiles) => tiles.flatMap(({ kind, count, body }) =>
      [body ? `loop ${count === null ? "without end" : `${count} times`}` : kind, ...(body ? words(body) : [])]);
    return words(parseProgram(this.search.known.moves[0])).slice(0, most).join(", ");
  }
  reveal() {
    const { now, search } = this;
    const program = search.known.moves?.[0];
    if (!program) return this.app.say("No program is known yet.");
    now.isRevealed = true;
    this.#see(program);
    this.app.say(`${search.known.bound === search.known.held ? "The shortest" : "The best"} program: ${program}`);
    this.#update();
    this.status.showHint();
    return this.app.changed();
  }
  /** A program that was shown does not count as the player's own. */
  #see(program) {
    const { seen } = this.now;
    if (!seen.includes(program) && this.app.store.best(this.now.game)?.moves[0] !== program) seen.push(program);
  }
  /** Puts a program into the editor and runs it. Undo brings back the player's own. */
  #adopt(program) {
    this.#see(program);
    this.board.element.scrollIntoView({ block: "nearest" });
    this.wantsRun = program;
    if (this.editor.text() === program && this.now.view) {
      this.wantsRun = null;
      this.bar.seek(0);
      return this.bar.run();
    }
    return this.editor.replace(parseProgram(program));
  }

  // Keys.

  #boardKey(event) {
    const { game } = this.now;
    const steps = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
    if (!game || !steps[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
    const [down, right] = this.cursor < 0 ? [0, 0] : steps[event.key];
    const at = this.cursor < 0 ? this.board.first() : this.cursor;
    const limit = (value, count) => Math.max(0, Math.min(count - 1, value));
    this.cursor = limit(Math.floor(at / game.cols) + down, game.rows) * game.cols + limit((at % game.cols) + right, game.cols);
    this.board.cursor(this.cursor);
    const words = this.board.wordsAt(this.cursor);
    this.app.say(words[0].toUpperCase() + words.slice(1));
    event.preventDefault();
  }
  #key(event) {
    const { target, key, ctrlKey, metaKey, altKey, shiftKey, defaultPrevented } = event;
    if (defaultPrevented || !this.element.isConnected || !this.now.game || altKey) return;
    if (document.querySelector("dialog[open]") || isForWriting(target)) return;
    const isRange = target instanceof Element && target.matches("input[type=range]");
    const name = key.toLowerCase();
    if (ctrlKey || metaKey) {
      if (name === "z" && !shiftKey) this.editor.undo();
      else if (name === "y" || name === "z") this.editor.redo();
      else return;
      return void event.preventDefault();
    }
    // A button keeps the keys that press it.
    const isPressed = ["Enter", " "].includes(key) && target instanceof Element && target.closest("button, a, summary")
      && !target.closest(".program");
    if (isPressed || (isRange && /^(Arrow|Home|End|Page)/.test(key))) return;
    const acts = { h: () => this.hint(), n: () => this.newBoard() };
    const isDone = this.editor.onKey(event) || this.bar.onKey(event) || (acts[name] && (acts[name](), true));
    if (isDone) event.preventDefault();
  }
}

/** @param {object} app see main.js @returns {object} a component */
export const bunnyGame = (app) => new BunnyGame(app);
