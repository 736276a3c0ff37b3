// A game of coloured cells. The solver knows the rules; this file handles the player's input.

import { setText, show } from "./dom.js";
import { many } from "./dialog.js";
import { load, save } from "./storage.js";
import { EMPTY, lookOf } from "./canvas.js";
import { Thinking } from "./thinking.js";
import { colourOfKey, markOf } from "./panels.js";
import { HELPED } from "./end.js";
import { daySolved, isOfDay, streakText } from "./days.js";
import { newDialog, nextBoard } from "./new.js";
import { gameParts } from "./parts.js";
import { Films } from "./films.js";
import { movesFilm } from "./replay.js";
import { searchFilm } from "./watch.js";
import { fieldsOf, puzzleOf, rulesDialog, rulesText, sameMoves } from "./rules.js";

const pathOf = (moves) => moves.join(" ");

/** The index of the cell `row,column,…` in the name of a move; no number if there is none. */
function cellIn(name, cols) {
  const [row, col] = name.split(",").map(Number);
  return (row - 1) * cols + col - 1;
}

class CellGame {
  constructor(app, puzzle) {
    Object.assign(this, { app, puzzle });
    this.now = { game: null, moves: [], redo: [], given: null, view: null, queue: [], isMarked: false, hint: null, brush: null,
      wantsHint: false, counted: "", told: "", note: "", cursor: -1, hover: [], shown: [], last: null };
    this.thinking = new Thinking({
      ask: app.ask, patience: () => Number(app.settings.get("patience")), fails: (error, what) => this.#failed(error, what),
      shows: (view, moves) => this.#take(view, moves), searches: (role) => this.status.searching(role),
    });
    this.#build();
    app.settings.changed(() => this.#look());
    document.addEventListener("keydown", (event) => this.#key(event));
  }

  // The interface of the shell.

  /** Shows a game; see main.js. */
  open(shared, isMine = false) {
    const { game, moves = [], best = null } = shared;
    this.films.take(game);
    Object.assign(this.now, { game, view: null, queue: [], redo: [], moves: [], given: null, hint: null,
      wantsHint: false, counted: "", told: "", note: "", cursor: -1, shown: [], last: null });
    if (isMine) {
      const { redo = [], given = null, counted = "", isMarked = false, shown = [] } = shared;
      Object.assign(this.now, { moves, redo, given, counted, isMarked, shown });
    } else if (moves.length || best !== null) this.now.given = { moves, best };
    this.status.clear();
    this.#look();
    this.#title();
    this.thinking.open(game, this.now.moves);
  }
  close() {
    this.films.close();
    this.thinking.close();
  }
  /** The player's best game on this board, or the moves so far. */
  share() {
    const { game, moves } = this.now;
    const result = game && this.app.store.best(game);
    const isKnown = result && result.value !== null && result.moves.length > 0;
    return isKnown ? { game, moves: result.moves, best: result.value } : { game, moves, best: null };
  }
  state() {
    const { game, moves, redo, given, counted, isMarked, shown } = this.now;
    return { game, moves, redo, given, counted, isMarked, shown, best: null };
  }
  newBoard() {
    newDialog(this.app, this.puzzle.id, { fields: fieldsOf(this.puzzle, this.now.game?.options ?? {}),
      opens: (game) => this.#opens(game) }).catch(this.app.fail);
  }
  /** The result of a finished game. */
  result() {
    const { end } = this.now.view ?? {};
    return end ? { result: end.result, isHelped: this.#isHelped() } : null;
  }
  /** Another board like this one. */
  next() {
    nextBoard(this.app, this.now.game).then((game) => this.#opens(game)).catch(this.app.fail);
  }
  #opens(game) {
    this.app.open({ game, moves: [], best: null });
  }

  // Drawing.

  #build() {
    const acts = {
      play: (name) => this.play(name), brush: (colour) => this.#brush(colour), back: (count) => this.#goTo(count), undo: () => this.undo(), redo: () => this.redo(),
      again: () => this.again(), hint: () => this.hint(), mark: () => this.mark(), optimum: () => this.watchOptimum(),
      search: () => this.watchSearch(),
      watchFriend: () => this.#watchMoves("Your friend's moves", this.now.given.moves, { isShown: true }),
      watchMine: () => this.#watchMoves("Your best game", this.app.store.best(this.now.game).moves),
      objective: (objective) => this.#objective(objective),
      rules: () => rulesDialog(this.puzzle, this.now.game, (rules) => this.#rule(rules)),
      next: () => this.next(), share: () => this.app.share(), ask: this.app.ask,
    };
    Object.assign(this, gameParts(this.puzzle, acts));
    const { board, side, host, help, puzzle: { falls }, app: { ask, fail } } = this;
    this.films = new Films({ board, side, host, help, falls, ask, fail, closed: () => this.#filmClosed() });
    this.#listen();
  }
  #listen() {
    const { canvas } = this.board;
    canvas.addEventListener("click", (event) => this.#playCell(this.board.at(event), event.detail > 1));
    canvas.addEventListener("pointermove", (event) => {
      if (event.pointerType === "mouse") this.#hover(this.board.at(event));
    });
    canvas.addEventListener("pointerleave", () => this.#hover(-1));
    canvas.addEventListener("blur", () => this.#cursor(-1));
    canvas.addEventListener("keydown", (event) => this.#boardKey(event));
  }
  #title() {
    const { rows, cols, symbols, name, options = {} } = this.now.game;
    setText(this.title, `${rows} × ${cols}, ${many(symbols.length, "colours")}`);
    setText(this.subtitle, [name, rulesText(this.puzzle, this.now.game)].filter(Boolean).join(" · "));
    if (this.objective) this.objective.value = options.objective ?? "clear";
    show(this.intro, !load(`played.${this.puzzle.id}`));
  }
  /** Takes over the settings. */
  #look() {
    if (!this.now.game) return;
    this.look = lookOf(this.now.game, this.app.settings);
    if (this.puzzle.hasBrush && !this.look.labels.includes(this.now.brush)) this.now.brush = this.look.labels[0];
    if (this.now.view && !this.films.isOpen) this.#draw();
    if (this.thinking.isOpen) this.thinking.refresh();
  }

  /** A view of the position arrives. */
  #take(view, moves) {
    const { now } = this;
    if (moves !== now.moves) return;
    const isFirst = now.view?.moves !== moves;
    now.view = { ...view, moves };
    now.last = { moves, redo: now.redo };
    if (view.over) this.#count(now.view, isFirst);
    if (!this.films.isOpen) this.#draw(isFirst);
    this.#announce();
    if (now.wantsHint && view.hint) this.#hint();
    if (isFirst) this.#next();
  }
  #draw(isNext = false) {
    const { view, isMarked, hint, gone, brush } = this.now;
    this.board.show({ look: this.look, cells: view.cells, marks: view.marks, isNext, gone: isNext ? gone : null });
    if (isNext) this.now.gone = null;
    this.#light();
    const result = this.app.store.best(this.now.game);
    this.status.update(view, this.now.note);
    const proven = view.proven ? this.#solution() : null;
    this.proof?.update(this.now.game, proven);
    const isCounted = ["moves", "clicks"].includes(view.unit) && !view.questions.length;
    this.status.count(this.now.game, isCounted ? proven : null).catch(this.app.fail);
    this.colours?.update({ view, look: this.look, isShown: isMarked, brush, hinted: hint && this.puzzle.colourOf(hint.name) });
    this.list.update(view, this.look);
    const isBetter = (one, other) => this.#isBetter(one, other);
    this.results.update({ result, given: this.now.given, unit: view.unit, isBetter });
    this.#end();
    setText(this.here, view.here);
    setText(this.buttons.optimum.querySelector("span"), view.proven ? "Show solution" : "Best solution");
    this.buttons.marks.setAttribute("aria-pressed", String(isMarked));
    this.#enable();
    const { rows, cols } = this.look;
    this.board.canvas.setAttribute("aria-label", `Board of ${rows} rows and ${cols} columns. ${view.caption}`);
  }
  #enable() {
    const { moves, redo, view } = this.now;
    const allowed = { undo: moves.length, redo: redo.length, again: moves.length, hint: !view.over,
      optimum: this.#solution() || view.hint };
    for (const [name, isAllowed] of Object.entries(allowed)) {
      this.buttons[name].setAttribute("aria-disabled", String(!isAllowed));
    }
  }
  /** Badges, and the cells under the pointer or of the hint. */
  #light() {
    const { isMarked, hint, hover, cursor } = this.now;
    const isTold = ({ lost }) => markOf(lost).style !== "open";
    const badge = ({ cells, lost }) => {
      const { text, style } = markOf(lost);
      return { index: cells[cells.length >> 1], text, isGood: style === "good" };
    };
    const badges = isMarked && !this.puzzle.isFlood ? this.#choices().filter(isTold).map(badge) : [];
    const lit = hint ? this.#choiceOf(hint.name)?.takes ?? [] : hover;
    this.board.set({ lit, badges, cursor });
  }
  /** Tells a move and its verdict once each. */
  #announce() {
    const { now } = this;
    const { view } = now;
    const last = view.path.at(-1);
    if (!last) return;
    const end = view.over ? ` ${view.standing}.${this.#isHelped() ? ` ${HELPED}` : ""}` : "";
    const text = `Move ${view.path.length}, ${last.name}: ${last.text}.${end}`;
    const isOpen = markOf(last.lost).style === "open";
    if (text === now.told || (isOpen && now.told.startsWith(`Move ${view.path.length}, ${last.name}`))) return;
    now.told = text;
    this.app.say(isOpen ? `Move ${view.path.length}, ${last.name}.` : text);
  }
  /** Whether a move of the game was shown to the player before it was made. */
  #isHelped() {
    const { moves, shown } = this.now;
    return moves.some((_, at) => shown.includes(pathOf(moves.slice(0, at + 1))));
  }
  /** Notes that the last moves of a path were shown to the player. */
  #help(path, from) {
    const paths = path.slice(from).map((_, at) => pathOf(path.slice(0, from + at + 1)));
    this.now.shown = [...new Set([...this.now.shown, ...paths])];
  }
  /** The end of the game takes the place of what is asked for a next move. */
  #end() {
    const { game, view: { end, over } } = this.now;
    this.end.update(end, { isHelped: over && this.#isHelped(), said: isOfDay(game) ? streakText(game.puzzle) : "" });
    for (const part of [this.colours?.element, this.hereRow].filter(Boolean)) show(part, !over);
  }
  /** Notes a finished game once. The proof that it is optimal may come later. */
  #count(view, isFirst) {
    if (this.#isHelped()) return;
    const { game } = this.now;
    if (view.solved) {
      daySolved(this.app, game, view.end.optimal).then(() => this.now.view?.over && this.#end()).catch(this.app.fail);
    }
    const path = pathOf(view.moves);
    if (!isFirst || path === this.now.counted) return;
    this.now.counted = path;
    const value = view.value ?? null;
    this.app.store.finished(this.now.game, view.moves, value, (one, other) => this.#isBetter(one, other));
    this.app.changed();
  }
  #isBetter(one, other) {
    return this.now.view?.unit === "points" ? one > other : one < other;
  }

  // Input of the player.

  /** Does something as soon as the position is there. */
  #whenThere(act) {
    if (this.films.isOpen || !this.now.game) return;
    this.now.queue.push(act);
    if (this.now.view?.moves === this.now.moves) this.#next();
  }
  #next() {
    this.now.queue.shift()?.();
    if (this.now.queue.length && this.now.view.moves === this.now.moves) this.#next();
  }
  /** Makes a move. */
  play(name) {
    this.#whenThere(() => this.#play(name));
  }
  #play(name) {
    const { now } = this;
    const choice = this.#choiceOf(name);
    if (!choice) {
      now.queue = [];
      return this.#refuse(name);
    }
    if (now.hint && choice === this.#choiceOf(now.hint.name)) this.#help([...now.moves, choice.name], now.moves.length);
    now.gone = this.puzzle.falls ? choice.takes : null;
    now.redo = now.redo[0] === choice.name ? now.redo.slice(1) : [];
    this.#go([...now.moves, choice.name]);
  }
  #refuse(colour) {
    this.#say(this.now.view.over ? "The game is over: undo or play again." : this.puzzle.refusal(colour));
  }
  #say(text) {
    this.now.note = text;
    this.status.update(this.now.view, text);
    this.app.say(text);
  }
  #go(moves) {
    Object.assign(this.now, { moves, hint: null, wantsHint: false, hover: [], note: "" });
    this.board.tip(-1, "");
    save(`played.${this.puzzle.id}`, true);
    this.thinking.go(moves);
    this.app.changed();
  }
  /** The solver gives no answer. A move without a view of its position is not made. */
  #failed(error, { isView = false } = {}) {
    const { now } = this;
    if (isView && now.last && now.view?.moves !== now.moves) {
      now.queue = [];
      Object.assign(now, now.last, { gone: null });
      this.thinking.stay(now.moves);
      this.app.changed();
    }
    this.app.fail(error);
  }
  #goTo(count) {
    const { moves, redo } = this.now;
    if (count < 0 || count >= moves.length || this.films.isOpen) return;
    this.now.redo = [...moves.slice(count), ...redo];
    this.#go(moves.slice(0, count));
    this.app.say(count ? `Back behind move ${count}.` : "Back at the start.");
  }
  undo() {
    this.now.queue = [];
    this.#goTo(this.now.moves.length - 1);
  }
  redo() {
    const { redo } = this.now;
    if (redo.length && !this.films.isOpen) this.play(redo[0]);
  }
  again() {
    if (this.now.moves.length) this.#goTo(0);
  }
  /** Shows a good move; asked once more, plays it. */
  hint() {
    this.#whenThere(() => this.#hint());
  }
  #hint() {
    const { now } = this;
    const { view, hint } = now;
    if (view.over) return this.#refuse("");
    if (hint) return this.#play(hint.name);
    now.wantsHint = !view.hint;
    if (now.wantsHint) return this.#say("Looking for a good move …");
    now.hint = view.hint;
    if (this.puzzle.hasBrush) now.brush = this.puzzle.colourOf(view.hint.name);
    now.note = `Hint: ${this.puzzle.hint(view.hint.name)} (${view.hint.proven ? "proven" : "best known"}). Press Hint again to play it.`;
    this.app.say(now.note);
    this.#draw();
  }
  mark() {
    if (!this.now.view || this.films.isOpen) return;
    this.now.isMarked = !this.now.isMarked;
    this.#draw();
    this.app.changed();
    if (this.now.isMarked) this.app.say(this.now.view.here);
  }
  #objective(objective) {
    const { objective: _, ...others } = this.now.game.options ?? {};
    const options = objective === "clear" ? others : { ...others, objective };
    this.#rule({ options, limit: this.now.game.limit }).catch(this.app.fail);
  }
  /** Other rules for the same board. Moves stay if the rules still allow them. */
  async #rule({ options, limit }) {
    const { game, moves } = this.now;
    const next = { ...game, options, limit };
    const kept = sameMoves(game.options, options) ? moves : [];
    await this.app.ask({ ask: "view", game: next, moves: kept, known: {}, patience: 0 });
    this.app.open({ ...this.state(), game: next, moves: kept, redo: [], given: null, counted: "" }, true);
  }

  // Cells and keys.

  /** The choice of this name. A move may be named by any of its cells. */
  #choiceOf(name) {
    const { now: { view: { choices } }, puzzle: { colourOf } } = this;
    const [index, colour] = [cellIn(name, this.look.cols), colourOf(name)];
    return choices.find((choice) => choice.name === name)
      ?? choices.find((choice) => colourOf(choice.name) === colour && choice.cells.includes(index));
  }
  /** The choices that a click on a cell may make: with a brush, those of its colour. */
  #choices() {
    const { now: { view, brush }, puzzle: { colourOf } } = this;
    return brush === null ? view.choices : view.choices.filter(({ name }) => colourOf(name) === brush);
  }
  #choiceAt(index) {
    return index < 0 || !this.now.view ? undefined : this.#choices().find(({ cells }) => cells.includes(index));
  }
  #brush(colour) {
    if (this.films.isOpen || !this.now.view) return;
    Object.assign(this.now, { brush: colour, hint: null, note: "" });
    this.#draw();
    this.app.say(`Colour ${colour} is chosen.`);
  }
  /** Plays the cell at an index. The second click of a double click means nothing more. */
  #playCell(index, isSecond = false) {
    const { view, moves } = this.now;
    if (index < 0 || !view || this.films.isOpen) return;
    const choice = this.#choiceAt(index);
    if (isSecond && (!choice || (this.puzzle.isFlood && choice.name === moves.at(-1)))) return;
    if (choice) this.play(choice.name);
    else this.#refuse(this.look.labels[this.now.view.cells[index]] ?? "");
  }
  #hover(index) {
    if (this.films.isOpen || !this.now.view) return;
    const takes = this.#choiceAt(index)?.takes ?? [];
    this.#tip(index);
    this.board.canvas.classList.toggle("can-play", takes.length > 0);
    if (takes === this.now.hover || (!takes.length && !this.now.hover.length)) return;
    this.now.hover = takes;
    this.#light();
  }
  /** The size of the group at a cell, and its points. */
  #sizeText({ takes, points }) {
    return many(takes.length, "cells") + (points === undefined ? "" : `, ${many(points, "points")}`);
  }
  #tip(index) {
    const choice = this.puzzle.isFlood ? undefined : this.#choiceAt(index);
    this.board.tip(index, choice && this.#sizeText(choice));
  }
  #cursor(index) {
    this.now.cursor = index;
    if (!this.now.view || this.films.isOpen) return;
    this.#tip(index);
    this.now.hover = this.#choiceAt(index)?.takes ?? [];
    this.#light();
    if (index < 0) return;
    const { view, isMarked } = this.now;
    const choice = this.#choiceAt(index);
    const colour = view.cells[index] === EMPTY ? "empty" : `colour ${this.look.labels[view.cells[index]]}`;
    const verdict = isMarked && choice ? `, ${choice.text}` : "";
    const size = choice ? `, ${this.#sizeText(choice)}${verdict}` : view.marks[index] ? ", flood" : "";
    const { cols } = this.look;
    this.app.say(`Row ${Math.floor(index / cols) + 1}, column ${(index % cols) + 1}: ${colour}${size}`);
  }
  #boardKey(event) {
    if (this.films.isOpen || !this.look || event.ctrlKey || event.metaKey || event.altKey) return;
    const { rows, cols } = this.look;
    const at = this.now.cursor < 0 ? 0 : this.now.cursor;
    const [row, col] = [Math.floor(at / cols), at % cols];
    const steps = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1], Home: [0, -cols],
      End: [0, cols], PageUp: [-rows, 0], PageDown: [rows, 0] };
    const limit = (value, count) => Math.max(0, Math.min(count - 1, value));
    if (steps[event.key]) {
      const [down, right] = this.now.cursor < 0 ? [0, 0] : steps[event.key];
      this.#cursor(limit(row + down, rows) * cols + limit(col + right, cols));
    } else if (event.key === "Enter" || event.key === " ") this.#playCell(this.now.cursor);
    else return;
    event.preventDefault();
  }
  #key(event) {
    const { target, key, ctrlKey, metaKey, altKey, shiftKey } = event;
    if (!this.element.isConnected || altKey || document.querySelector("dialog[open]")) return;
    if (target instanceof Element && target.closest("input:not([type=range]), textarea, select")) return;
    if (this.films.isOpen) return ctrlKey || metaKey ? undefined : this.films.key(event);
    const name = key.toLowerCase();
    if (ctrlKey || metaKey) {
      if (name === "z" && !shiftKey) this.undo();
      else if (name === "y" || name === "z") this.redo();
      else return;
      return void event.preventDefault();
    }
    if (key === "Enter" && target === document.body && this.now.view?.over) return this.next();
    const acts = { u: () => this.undo(), r: () => this.redo(), y: () => this.redo(), a: () => this.again(), h: () => this.hint(),
      o: () => this.mark(), w: () => this.watchOptimum(), s: () => this.watchSearch(), n: () => this.newBoard() };
    const colour = this.colours && /^[0-9]$/.test(key) ? colourOfKey(this.look.labels, key) : undefined;
    if (colour !== undefined) this.puzzle.hasBrush ? this.#brush(colour) : this.play(colour);
    else if (acts[name]) acts[name]();
    else return;
    event.preventDefault();
  }

  // Films.

  #solution() {
    return this.thinking.solution([]);
  }
  /** The moves of the optimum from the start, or the best way to play on. */
  watchOptimum(fromHere = false) {
    const { view, moves } = this.now;
    if (!view) return;
    const solution = this.#solution();
    const note = view.proven ? "No solution is better: proven." : "The best solution known so far.";
    const hasWay = view.hint && moves.length > 0;
    if (solution?.moves?.length && !(fromHere && hasWay)) {
      const other = hasWay && { text: "From my position", click: () => this.watchOptimum(true) };
      const title = view.proven ? "The optimum" : "The best solution so far";
      return this.#watchMoves(title, solution.moves, { note, other, isShown: true });
    }
    if (!view.hint) return this.#say("No solution is known yet.");
    const other = solution && { text: "From the start", click: () => this.watchOptimum() };
    const said = view.hint.proven ? "No way on is better: proven." : "The best way on that is known so far.";
    this.#watchMoves("The best way on", view.hint.moves, { before: moves, note: said, other, isShown: true });
  }
  /** A film of moves. With `isShown` they are somebody else's, and going on from there is no game of the player's own. */
  #watchMoves(title, moves, { before = [], note = "", other = null, isShown = false } = {}) {
    const { films } = this;
    const adopt = (path) => {
      if (isShown) this.#help(path, before.length);
      this.#adopt(path);
    };
    films.open(movesFilm({ title, note, before, moves, other, show: (path) => films.show(path),
      close: () => films.close(), adopt }), this.look);
  }
  watchSearch() {
    const { films, now: { view, moves, game } } = this;
    if (!view || films.isOpen) return;
    const seconds = Number(this.app.settings.get("patience"));
    // At the end of a game there is nothing to search but its board.
    const from = view.over ? [] : moves;
    films.open(searchFilm({ ask: this.app.ask, game, moves: from, seconds, unit: view.unit,
      show: (path) => films.show(path), close: () => films.close() }), this.look);
  }
  #filmClosed() {
    if (this.now.view) this.#draw();
    this.board.canvas.focus({ preventScroll: true });
  }
  #adopt(path) {
    this.films.close();
    this.now.redo = [];
    this.#go(path);
  }
}

/** @param {object} app see main.js @param {string} id the puzzle @returns {object} a component */
export const cellGame = (app, id) => new CellGame(app, puzzleOf(id));
