// Hopping Bunny: the game with programs of tiles. The solver judges programs; this file has the actions of the player.

import { el, setText } from "./dom.js";
import { bunnyBoard } from "./bunny-board.js";
import { cellOfKey } from "./canvas.js";
import { programEditor } from "./bunny-editor.js";
import { levelRow } from "./bunny-levels.js";
import { parseProgram, walk, writeProgram } from "./bunny-program.js";
import { runBar } from "./bunny-run.js";
import { noteDaySolved, isOfDay, streakText } from "./days.js";
import { isForTyping, plural } from "./dialog.js";
import { endPanel } from "./end.js";
import { newDialog, nextBoard } from "./new.js";
import { bunnyResults, bunnyStatus } from "./bunny-status.js";
import { ShortestSearch } from "./bunny-search.js";

const isShorter = (one, other) => one < other;
/** The page shows that it waits for an answer after this time. */
const SLOW_MILLISECONDS = 400;
const initialState = () => ({ game: null, view: null, optimum: "", trace: [], friend: null, seen: [], hints: 0, isRevealed: false,
  counted: "", ran: "" });

/** Takes the `app` of main.js and a puzzle; see puzzles.js. */
export class BunnyGame {
  constructor(app, puzzle) {
    Object.assign(this, { app, puzzle });
    this.state = initialState();
    this.search = new ShortestSearch({ ask: app.ask, patience: () => Number(app.settings.get("patience")), onError: app.fail,
      onChange: (isNews) => this.#onSearch(isNews) });
    this.#build();
    app.settings.onChange(() => {
      this.board.draw();
      this.search.applyPatience();
    });
    document.addEventListener("keydown", (event) => this.#key(event));
  }

  // The interface of a component; see main.js.

  open(shared, isSnapshot = false) {
    const { game, moves = [] } = shared;
    this.bar.pause();
    this.state = { ...initialState(), game };
    const program = isSnapshot ? shared.program ?? moves[0] ?? "" : "";
    if (isSnapshot) {
      const { given: friend = null, seen = [], hints = 0, isRevealed = false, counted = "", ran = "" } = shared;
      Object.assign(this.state, { friend, seen, hints, isRevealed, counted, ran });
    } else if (moves.length) this.state.friend = { program: moves[0], view: null };
    this.board.open(game);
    this.bar.reset(0);
    this.editor.open(parseProgram(program));
    this.#showTitle();
    this.search.open(game);
    this.#judge();
    this.#judgeFriend().catch(this.app.fail);
    this.levels.games().then(() => {
      this.#showTitle();
      this.#update();
    }).catch(this.app.fail);
  }
  close() {
    this.bar.pause();
    this.search.close();
  }
  /** The player's shortest program for this board, or else the current program. */
  share() {
    const { game, view } = this.state;
    const best = game && this.app.store.best(game);
    if (best?.moves.length) return { game, moves: best.moves, best: best.value };
    return { game, moves: view?.program ? [view.program] : [], best: null };
  }
  snapshot() {
    const { game, friend, seen, hints, isRevealed, counted, ran } = this.state;
    return { game, moves: [], best: null, program: writeProgram(this.editor.tiles()), seen, hints, isRevealed, counted, ran,
      given: friend && { program: friend.program, view: null } };
  }
  newBoard() {
    newDialog(this.app, this.puzzle, {}, (game) => this.#openGame(game)).catch(this.app.fail);
  }
  /** The result of the current program if it has run and solves the board. */
  result() {
    const { end, program } = this.#finishedView() ?? {};
    return end ? { result: end.result, isHelped: this.state.seen.includes(program) } : null;
  }
  /** Opens the next level, or else another board of this size. */
  async #openNext() {
    const level = (await this.levels.games())[this.levels.current() + 1];
    const isLevel = this.levels.current() >= 0 && level;
    this.#openGame(isLevel ? level : await nextBoard(this.app, this.state.game));
  }
  /** The game of a first visit. */
  async first() {
    return (await this.levels.games())[0];
  }
  #openGame(game) {
    this.app.open({ game, moves: [], best: null });
    this.editor.focus();
  }

  // What is shown.

  #build() {
    const { app } = this;
    this.title = el("h1", { tabindex: "-1" });
    this.subtitle = el("p", { class: "note subtitle", id: "board-name" });
    this.levels = levelRow(app, (game) => this.#openGame(game));
    this.board = bunnyBoard({ helpId: "bunny-help", maxHeight: () => (window.innerWidth < 760 ? Math.max(220, window.innerHeight * 0.31)
      : Math.max(280, window.innerHeight - 330)) });
    this.cursor = -1;
    this.bar = runBar({ onStep: (at, milliseconds, isRunning) => this.#show(at, milliseconds, isRunning),
      onEnd: () => this.state.view && app.say(this.state.view.standing) });
    this.end = endPanel({ next: () => this.#openNext().catch(app.fail), share: app.share });
    this.editor = programEditor({ onChange: () => this.#onEdit(), say: app.say, run: () => this.bar.run() });
    this.status = bunnyStatus({ hint: () => this.hint(), reveal: () => this.reveal(), continueSearch: () => this.search.continue() });
    this.results = bunnyResults({ runMine: () => this.#adopt(app.store.best(this.state.game).moves[0]),
      runFriend: () => this.#adopt(this.state.friend.view.program) });
    this.outcome = el("p", { class: "outcome", id: "outcome" });
    const help = "Keys: F, L, R and O add tiles, digits set the rounds of a loop, arrows choose a tile, P runs. Tiles can be dragged.";
    const column = el("div", { class: "board-column" }, this.board.element, this.bar.element, this.outcome,
      el("p", { class: "note help", id: "bunny-help" }, help));
    const side = el("div", { class: "side" }, this.end.element, this.editor.element, this.status.element, this.results.element);
    this.element = el("article", { class: "game bunny" }, el("div", { class: "level-bar" }, this.levels.element),
      el("div", { class: "game-head" }, el("div", {}, this.title, this.subtitle)),
      el("div", { class: "game-body" }, column, side));
    this.board.canvas.addEventListener("keydown", (event) => this.#boardKey(event));
    this.board.canvas.addEventListener("blur", () => this.board.setCursor(this.cursor = -1));
  }
  #showTitle() {
    const { game } = this.state;
    const level = this.levels.show(game);
    const squares = game.cells.filter((cell) => game.symbols[cell] === "#").length;
    setText(this.title, level >= 0 ? `Level ${level + 1}` : game.name || "Hopping Bunny");
    setText(this.subtitle, `${game.rows} × ${game.cols}, ${squares} to mark`);
  }
  #show(at, milliseconds, isRunning) {
    const { view, trace } = this.state;
    this.board.show(at, milliseconds);
    this.editor.showRunning(view && at > 0 ? trace[at - 1] ?? null : null);
    if (view && at === view.steps.length) this.#finishRun(view);
    const words = view ? this.#stepWords(at) : "";
    setText(this.outcome, words);
    this.board.canvas.setAttribute("aria-label",
      `Board of ${plural(this.state.game.rows, "rows")} and ${plural(this.state.game.cols, "columns")}, ${this.board.words()}`);
    if (!isRunning && at > 0) this.app.say(`${words}. ${this.board.words()}`);
  }
  #stepWords(at) {
    const { steps, all, standing } = this.state.view;
    const isCut = all > steps.length;
    if (at === steps.length && at > 0 && !isCut) return standing;
    if (at === steps.length && isCut) return `${standing}. Only the first ${plural(at, "steps")} are shown.`;
    if (at === 0) return "";
    const [instruction, , left] = steps[at - 1];
    return `Step ${at}: ${{ F: "hop", L: "turn left", R: "turn right" }[instruction]}, ${plural(left, "squares")} left`;
  }
  #update() {
    const { state, search } = this;
    const best = this.app.store.best(state.game);
    const finished = this.#finishedView();
    this.bar.showTotal(Boolean(finished));
    this.end.update(finished?.end, { isHelped: state.seen.includes(finished?.program), note: isOfDay(state.game) ? streakText("bunny") : "" });
    this.status.update({ view: finished, note: this.#noteText(), known: search.known, optimumText: state.optimum,
      isSearching: search.isSearching, hasEnded: search.hasEnded, work: search.progressText });
    this.results.update({ best, friend: state.friend });
    const { known } = search;
    const isProven = known.bound !== undefined && known.bound === known.held;
    const count = state.isRevealed ? Infinity : state.hints;
    const program = known.moves?.[0];
    this.status.reveal(program && count > 0 ? { program, count, isProven, adopt: () => this.#adopt(program) } : null);
    if (best && best.value !== null) {
      this.levels.storeResult({ tokens: best.value, program: best.moves[0], isShortest: isProven && known.held === best.value });
    }
  }

  /** The note that replaces the outcome; empty if there is none. */
  #noteText() {
    const text = this.editor.text();
    if (text === "" && !this.state.view?.solved) return "The program is empty: add tiles.";
    const runNote = this.state.view && !this.#finishedView() ? "Run the program to see its result." : "";
    return this.editor.note() || (this.isSlow && !this.state.view ? "Reading the program …" : runNote);
  }

  // Answers of the solver.

  #onEdit() {
    this.state.view = null;
    this.bar.reset(0);
    this.board.setTrack([]);
    this.app.save();
    this.#judge();
  }
  /** Asks the solver to judge the program, and asks again if it was edited meanwhile. */
  async #judge() {
    this.isStale = true;
    if (this.isJudging) return;
    this.isJudging = true;
    const slow = setTimeout(() => {
      this.isSlow = true;
      this.#update();
    }, SLOW_MILLISECONDS);
    while (this.isStale) {
      this.isStale = false;
      const { game } = this.state;
      const text = this.editor.text();
      const isSame = () => this.state.game === game && this.editor.text() === text;
      try {
        const view = await this.#ask(text ?? "");
        if (isSame()) this.#showView(view, text !== null);
      } catch (error) {
        if (error.isGone) this.app.fail(error);
        else if (isSame()) this.#refuse(error);
      }
    }
    clearTimeout(slow);
    Object.assign(this, { isJudging: false, isSlow: false });
  }
  #ask(program) {
    const { game } = this.state;
    const { bound, held, never } = this.search.known;
    const best = this.app.store.best(game)?.value ?? Infinity;
    const shortest = Math.min(held ?? Infinity, best);
    const known = { bound, never, held: shortest === Infinity ? undefined : shortest };
    return this.app.ask({ ask: "program", game, program, known });
  }
  #showView(view, isProgram) {
    const { state } = this;
    state.optimum = view.optimum;
    if (isProgram) {
      const isNew = state.view?.program !== view.program;
      this.editor.accept(view.program);
      state.view = view;
      if (isNew) {
        this.#prepareRun(view);
        // Saved here, because a typed text has no tiles before.
        this.app.save();
      }
      if (this.#finishedView()) this.#noteResult(view);
    }
    this.#update();
  }
  #prepareRun(view) {
    this.state.trace = [];
    for (const step of walk(parseProgram(view.program))) {
      if (this.state.trace.length === view.steps.length) break;
      this.state.trace.push(step);
    }
    this.board.setTrack(view.steps);
    this.bar.reset(view.steps.length);
    if (this.wantsRun === view.program) this.bar.run();
    this.wantsRun = null;
  }
  #refuse(error) {
    this.state.view = null;
    this.editor.refuse(error);
    this.#update();
  }
  /** The view of the program if it has run to its end or has no steps; else `null`: its outcome is not shown yet. */
  #finishedView() {
    const { view, ran } = this.state;
    return view && (ran === view.program || !view.steps.length) ? view : null;
  }
  #finishRun(view) {
    if (this.state.ran === view.program || !view.steps.length) return;
    this.state.ran = view.program;
    this.#noteResult(view);
    this.#update();
    this.app.save();
  }
  /** Stores a solution that the player found, once. The result of the day is updated when a proof comes later. */
  #noteResult({ program, tokens, standing, solved, end }) {
    const { state } = this;
    if (!solved || state.seen.includes(program)) return;
    noteDaySolved(this.app, state.game, end.optimal).then(() => this.#update()).catch(this.app.fail);
    if (state.counted === program) return;
    state.counted = program;
    const before = this.app.store.best(state.game)?.value ?? null;
    this.app.store.addResult(state.game, [program], tokens, isShorter);
    this.app.say(standing);
    this.app.save();
    if (before === null || tokens < before) this.#judge();
  }
  #onSearch(isNews) {
    if (isNews) this.#judge();
    else this.#update();
    const { known, isSearching } = this.search;
    const isProven = !isSearching && known.bound !== undefined && known.bound === known.held;
    if (isProven) this.app.say(`Proven: the shortest program has ${plural(known.held, "tokens")}.`);
  }
  async #judgeFriend() {
    const { state } = this;
    if (!state.friend) return;
    const view = await this.#ask(state.friend.program);
    state.friend = { program: view.program, view };
    if (this.state === state) this.#update();
  }

  // Actions of the player.

  /** Shows one more tile of the shortest program. */
  hint() {
    const { state, search } = this;
    if (search.known.held === 0) return this.app.say("The empty program marks every square.");
    if (!search.known.moves?.length) return this.app.say("No program is known yet.");
    state.hints += 1;
    if (state.hints >= search.known.held) return this.reveal();
    this.app.say(`Hint: the shortest program begins with ${this.#firstTokens(state.hints)}`);
    this.#update();
    this.status.scrollToHint();
    this.app.save();
    return undefined;
  }
  #firstTokens(count) {
    const words = (tiles) => tiles.flatMap(({ kind, count: rounds, body }) =>
      [body ? `loop ${rounds === null ? "without end" : plural(rounds, "times")}` : kind, ...(body ? words(body) : [])]);
    return words(parseProgram(this.search.known.moves[0])).slice(0, count).join(", ");
  }
  reveal() {
    const { state, search } = this;
    const program = search.known.moves?.[0];
    if (!program) return this.app.say("No program is known yet.");
    state.isRevealed = true;
    this.#noteSeen(program);
    this.app.say(`${search.known.bound === search.known.held ? "The shortest" : "The best"} program: ${program}`);
    this.#update();
    this.status.scrollToHint();
    return this.app.save();
  }
  /** A program that was shown does not count as the player's own. */
  #noteSeen(program) {
    const { seen } = this.state;
    if (!seen.includes(program) && this.app.store.best(this.state.game)?.moves[0] !== program) seen.push(program);
  }
  /** Puts a program into the editor and runs it. Undo restores the player's program. */
  #adopt(program) {
    this.#noteSeen(program);
    this.board.element.scrollIntoView({ block: "nearest" });
    this.wantsRun = program;
    if (this.editor.text() === program && this.state.view) {
      this.wantsRun = null;
      this.bar.seek(0);
      return this.bar.run();
    }
    return this.editor.replace(parseProgram(program));
  }

  // Keys.

  #boardKey(event) {
    const { game } = this.state;
    const cell = game ? cellOfKey(event, this.cursor, game, this.board.startCell()) : undefined;
    if (cell === undefined) return;
    this.cursor = cell;
    this.board.setCursor(this.cursor);
    const words = this.board.wordsAt(this.cursor);
    this.app.say(words[0].toUpperCase() + words.slice(1));
    event.preventDefault();
  }
  #key(event) {
    const { target, key, ctrlKey, metaKey, altKey, shiftKey, defaultPrevented } = event;
    if (defaultPrevented || !this.element.isConnected || !this.state.game || altKey) return;
    if (document.querySelector("dialog[open]") || isForTyping(target)) return;
    const isRange = target instanceof Element && target.matches("input[type=range]");
    const name = key.toLowerCase();
    if (ctrlKey || metaKey) {
      if (name === "z" && !shiftKey) this.editor.undo();
      else if (name === "y" || name === "z") this.editor.redo();
      else return;
      return void event.preventDefault();
    }
    // Enter and space press a focused button.
    const isPressed = ["Enter", " "].includes(key) && target instanceof Element && target.closest("button, a, summary")
      && !target.closest(".program");
    if (isPressed || (isRange && /^(Arrow|Home|End|Page)/.test(key))) return;
    const actions = { h: () => this.hint(), n: () => this.newBoard() };
    const isDone = this.editor.onKey(event) || this.bar.onKey(event) || (actions[name] && (actions[name](), true));
    if (isDone) event.preventDefault();
  }
}
