// A game of coloured cells. The solver has the rules; this file has the actions of the player.

import { setText, show } from "./dom.js";
import { isForTyping, plural } from "./dialog.js";
import { load, save } from "./storage.js";
import { cellOfKey, EMPTY, lookOf } from "./canvas.js";
import { Thinking } from "./thinking.js";
import { colourOfKey, markOf } from "./panels.js";
import { HINTS_PLAYED } from "./end.js";
import { noteDaySolved, isOfDay, streakText } from "./days.js";
import { newDialog, nextBoard } from "./new.js";
import { gameParts } from "./parts.js";
import { Films } from "./films.js";
import { movesFilm } from "./replay.js";
import { searchFilm } from "./watch.js";
import { rulesDialog, rulesText } from "./rules.js";

const pathOf = (moves) => moves.join(" ");

/** The index of the cell in the name `row,column,…` of a move; `NaN` if the name has no cell. */
function cellIn(name, cols) {
  const [row, col] = name.split(",").map(Number);
  return (row - 1) * cols + col - 1;
}

/** Takes the `app` of main.js and a puzzle; see puzzles.js. */
export class CellGame {
  constructor(app, puzzle) {
    Object.assign(this, { app, puzzle });
    this.state = { game: null, moves: [], redo: [], friend: null, view: null, queue: [], isMarked: false, hint: null, brush: null,
      wantsHint: false, counted: "", announced: "", note: "", cursor: -1, hover: [], shown: [], lastShown: null };
    this.patience = () => Number(app.settings.get("patience"));
    this.thinking = new Thinking({
      ask: app.ask, patience: this.patience, onError: (error, what) => this.#onError(error, what),
      onView: (view, moves) => this.#showView(view, moves), onSearch: (role) => this.status.showSearch(role),
    });
    this.#build();
    app.settings.onChange(() => this.#applySettings());
    document.addEventListener("keydown", (event) => this.#key(event));
  }

  // The interface of a component; see main.js.

  open(shared, isSnapshot = false) {
    const { game, moves = [], best = null } = shared;
    this.films.setGame(game);
    Object.assign(this.state, { game, view: null, queue: [], redo: [], moves: [], friend: null, hint: null,
      wantsHint: false, counted: "", announced: "", note: "", cursor: -1, shown: [], lastShown: null });
    if (isSnapshot) {
      const { redo = [], given: friend = null, counted = "", isMarked = false, shown = [] } = shared;
      Object.assign(this.state, { moves, redo, friend, counted, isMarked, shown });
    } else if (moves.length || best !== null) this.state.friend = { moves, best };
    this.status.clear();
    this.#applySettings();
    this.#showTitle();
    this.thinking.open(game, this.state.moves);
  }
  close() {
    this.films.close();
    this.thinking.close();
    this.status.updateWays(null);
  }
  /** The player's best game on this board, or else the moves so far. */
  share() {
    const { game, moves } = this.state;
    const result = game && this.app.store.best(game);
    const isKnown = result && result.value !== null && result.moves.length > 0;
    return isKnown ? { game, moves: result.moves, best: result.value } : { game, moves, best: null };
  }
  snapshot() {
    const { game, moves, redo, friend, counted, isMarked, shown } = this.state;
    return { game, moves, redo, given: friend, counted, isMarked, shown, best: null };
  }
  newBoard() {
    newDialog(this.app, this.puzzle, this.state.game?.options ?? {}, (game) => this.#openNew(game)).catch(this.app.fail);
  }
  /** The result of the game; `null` before its end. */
  result() {
    const { end } = this.state.view ?? {};
    return end ? { result: end.result, isHelped: this.#isHelped() } : null;
  }
  /** Opens another board of the same size and rules. */
  next() {
    nextBoard(this.app, this.state.game).then((game) => this.#openNew(game)).catch(this.app.fail);
  }
  #openNew(game) {
    this.app.open({ game, moves: [], best: null });
  }

  // What is shown.

  #build() {
    const actions = {
      play: (name) => this.play(name), brush: (colour) => this.#chooseBrush(colour), back: (count) => this.#goTo(count), undo: () => this.undo(), redo: () => this.redo(),
      again: () => this.again(), hint: () => this.hint(), mark: () => this.mark(), optimum: () => this.watchOptimum(),
      search: () => this.watchSearch(),
      watchFriend: () => this.#watchMoves("Your friend's moves", this.state.friend.moves, { isShown: true }),
      watchMine: () => this.#watchMoves("Your best game", this.app.store.best(this.state.game).moves),
      objective: (objective) => this.#changeObjective(objective),
      rules: () => rulesDialog(this.puzzle, this.state.game, (rules) => this.#changeRules(rules)),
      next: () => this.next(), share: () => this.app.share(), ask: this.app.ask, fail: this.app.fail,
      patience: this.patience,
    };
    Object.assign(this, gameParts(this.puzzle, actions));
    const { board, side, host, help, puzzle: { hasGravity }, app: { ask, fail } } = this;
    this.films = new Films({ board, side, host, help, hasGravity, ask, fail, onClose: () => this.#filmClosed() });
    this.#listen();
  }
  #listen() {
    const { canvas } = this.board;
    canvas.addEventListener("click", (event) => this.#playCell(this.board.cellAt(event), event.detail > 1));
    canvas.addEventListener("pointermove", (event) => {
      if (event.pointerType === "mouse") this.#hover(this.board.cellAt(event));
    });
    canvas.addEventListener("pointerleave", () => this.#hover(-1));
    canvas.addEventListener("blur", () => this.#moveCursor(-1));
    canvas.addEventListener("keydown", (event) => this.#boardKey(event));
  }
  #showTitle() {
    const { rows, cols, symbols, name, options = {} } = this.state.game;
    setText(this.title, `${rows} × ${cols}, ${plural(symbols.length, "colours")}`);
    setText(this.subtitle, [name, rulesText(this.puzzle, this.state.game)].filter(Boolean).join(" · "));
    if (this.objective) this.objective.value = options.objective ?? "clear";
    show(this.intro, !load(`played.${this.puzzle.id}`));
  }
  /** Applies the settings. */
  #applySettings() {
    if (!this.state.game) return;
    this.look = lookOf(this.state.game, this.app.settings);
    this.status.reserve(this.#hintText([this.look.rows, this.look.cols, "W".repeat(this.look.longest)].join(), false));
    if (this.puzzle.hasBrush && !this.look.labels.includes(this.state.brush)) this.state.brush = this.look.labels[0];
    if (this.state.view && !this.films.isOpen) this.#draw();
    if (this.thinking.isOpen) this.thinking.refresh();
  }

  /** Shows a view, if it belongs to the current position. */
  #showView(view, moves) {
    const { state } = this;
    if (moves !== state.moves) return;
    const isFirst = state.view?.moves !== moves;
    state.view = { ...view, moves };
    state.lastShown = { moves, redo: state.redo };
    if (view.over) this.#noteResult(state.view, isFirst);
    if (!this.films.isOpen) this.#draw(isFirst);
    this.#announce();
    if (state.wantsHint && view.hint) this.#hint();
    if (isFirst) this.#runQueue();
  }
  #draw(isNext = false) {
    const { view, isMarked, hint, removed, brush } = this.state;
    this.board.show({ look: this.look, cells: view.cells, marks: view.marks, isNext, removed: isNext ? removed : null });
    if (isNext) this.state.removed = null;
    this.#highlight();
    const result = this.app.store.best(this.state.game);
    this.status.update(view, this.state.note);
    const proven = view.proven ? this.#solution() : null;
    this.proof?.update(this.state.game, proven);
    const hasWays = ["moves", "clicks"].includes(view.unit) && !view.questions.length;
    this.status.updateWays(this.state.game, hasWays ? proven : null);
    this.colours?.update({ view, look: this.look, isShown: isMarked, brush, hinted: hint && this.puzzle.colourOf(hint.name) });
    this.list.update(view, this.look);
    const isBetter = (one, other) => this.#isBetter(one, other);
    this.results.update({ result, friend: this.state.friend, unit: view.unit, isBetter });
    this.#showEnd();
    setText(this.here, view.here);
    setText(this.buttons.optimum.querySelector("span"), view.proven ? "Show solution" : "Best solution");
    this.buttons.marks.setAttribute("aria-pressed", String(isMarked));
    this.#enableButtons();
    const { rows, cols } = this.look;
    this.board.canvas.setAttribute("aria-label", `Board of ${plural(rows, "rows")} and ${plural(cols, "columns")}. ${view.caption}`);
  }
  #enableButtons() {
    const { moves, redo, view } = this.state;
    const allowed = { undo: moves.length, redo: redo.length, again: moves.length, hint: !view.over,
      optimum: this.#solution() || view.hint };
    for (const [name, isAllowed] of Object.entries(allowed)) {
      this.buttons[name].setAttribute("aria-disabled", String(!isAllowed));
    }
  }
  /** Draws the badges, the cursor, and the cells of the hint or under the pointer. */
  #highlight() {
    const { isMarked, hint, hover, cursor } = this.state;
    const isJudged = ({ lost }) => markOf(lost).style !== "open";
    const badge = ({ cells, lost }) => {
      const { text, style } = markOf(lost);
      return { index: cells[cells.length >> 1], text, isGood: style === "good" };
    };
    const badges = isMarked && !this.puzzle.isFlood ? this.#choices().filter(isJudged).map(badge) : [];
    const highlighted = hint ? this.#choiceOf(hint.name)?.takes ?? [] : hover;
    this.board.setMarks({ highlighted, badges, cursor });
  }
  /** Announces the last move, and its verdict when it is known, once each. */
  #announce() {
    const { state } = this;
    const { view } = state;
    const last = view.path.at(-1);
    if (!last) return;
    const end = view.over ? ` ${view.standing}.${this.#isHelped() ? ` ${HINTS_PLAYED}` : ""}` : "";
    const verdict = view.standing.endsWith(": optimal") ? "" : `: ${last.text}`;
    const text = `Move ${view.path.length}, ${last.name}${verdict}.${end}`;
    const isOpen = markOf(last.lost).style === "open";
    if (text === state.announced || (isOpen && state.announced.startsWith(`Move ${view.path.length}, ${last.name}`))) return;
    state.announced = text;
    this.app.say(isOpen ? `Move ${view.path.length}, ${last.name}.` : text);
  }
  /** Whether a hint or a film had shown a move of the game before the player made it. */
  #isHelped() {
    const { moves, shown } = this.state;
    return moves.some((_, at) => shown.includes(pathOf(moves.slice(0, at + 1))));
  }
  /** Records that the moves of `path` from index `from` were shown to the player. */
  #noteShown(path, from) {
    const paths = path.slice(from).map((_, at) => pathOf(path.slice(0, from + at + 1)));
    this.state.shown = [...new Set([...this.state.shown, ...paths])];
  }
  /** At the end of the game, shows the panel of the end instead of the inputs for a next move. */
  #showEnd() {
    const { game, view: { end, over } } = this.state;
    this.end.update(end, { isHelped: over && this.#isHelped(), note: isOfDay(game) ? streakText(game.puzzle) : "" });
    for (const part of [this.colours?.element, this.hereRow].filter(Boolean)) show(part, !over);
  }
  /** Stores a finished game once. The result of the day is updated when a proof comes later. */
  #noteResult(view, isFirst) {
    if (this.#isHelped()) return;
    const { game } = this.state;
    if (view.solved) {
      noteDaySolved(this.app, game, view.end.optimal).then(() => this.state.view?.over && this.#showEnd()).catch(this.app.fail);
    }
    const path = pathOf(view.moves);
    if (!isFirst || path === this.state.counted) return;
    this.state.counted = path;
    const value = view.value ?? null;
    this.app.store.addResult(this.state.game, view.moves, value, (one, other) => this.#isBetter(one, other));
    this.app.save();
  }
  #isBetter(one, other) {
    return this.state.view?.unit === "points" ? one > other : one < other;
  }

  // Actions of the player.

  /** Calls `act` as soon as the view of the current position is shown. */
  #whenShown(act) {
    if (this.films.isOpen || !this.state.game) return;
    this.state.queue.push(act);
    if (this.state.view?.moves === this.state.moves) this.#runQueue();
  }
  #runQueue() {
    this.state.queue.shift()?.();
    if (this.state.queue.length && this.state.view.moves === this.state.moves) this.#runQueue();
  }
  /** Makes a move. */
  play(name) {
    this.#whenShown(() => this.#play(name));
  }
  #play(name) {
    const { state } = this;
    const choice = this.#choiceOf(name);
    if (!choice) {
      state.queue = [];
      return this.#refuse(name);
    }
    if (state.hint && choice === this.#choiceOf(state.hint.name)) this.#noteShown([...state.moves, choice.name], state.moves.length);
    state.removed = this.puzzle.hasGravity ? choice.takes : null;
    state.redo = state.redo[0] === choice.name ? state.redo.slice(1) : [];
    this.#setMoves([...state.moves, choice.name]);
  }
  #refuse(colour) {
    this.#say(this.state.view.over ? "The game is over: undo or play again." : this.puzzle.refusal(colour));
  }
  #say(text) {
    this.state.note = text;
    this.status.update(this.state.view, text);
    this.app.say(text);
  }
  #setMoves(moves) {
    Object.assign(this.state, { moves, hint: null, wantsHint: false, hover: [], note: "" });
    this.board.showTip(-1, "");
    save(`played.${this.puzzle.id}`, true);
    this.thinking.go(moves);
    this.app.save();
  }
  /** Shows an error of the solver. If the last move has got no view, takes it back. */
  #onError(error, { isView = false } = {}) {
    const { state } = this;
    if (isView && state.lastShown && state.view?.moves !== state.moves) {
      state.queue = [];
      Object.assign(state, state.lastShown, { removed: null });
      this.thinking.returnTo(state.moves);
      this.app.save();
    }
    this.app.fail(error);
  }
  #goTo(count) {
    const { moves, redo } = this.state;
    if (count < 0 || count >= moves.length || this.films.isOpen) return;
    this.state.redo = [...moves.slice(count), ...redo];
    this.#setMoves(moves.slice(0, count));
    this.app.say(count ? `Back after move ${count}.` : "Back at the start.");
  }
  undo() {
    this.state.queue = [];
    this.#goTo(this.state.moves.length - 1);
  }
  redo() {
    const { redo } = this.state;
    if (redo.length && !this.films.isOpen) this.play(redo[0]);
  }
  again() {
    if (this.state.moves.length) this.#goTo(0);
  }
  /** Shows a good move; the second call plays it. */
  hint() {
    this.#whenShown(() => this.#hint());
  }
  #hint() {
    const { state } = this;
    const { view, hint } = state;
    if (view.over) return this.#refuse("");
    if (hint) return this.#play(hint.name);
    state.wantsHint = !view.hint;
    if (state.wantsHint) return this.#say("Looking for a good move …");
    state.hint = view.hint;
    if (this.puzzle.hasBrush) state.brush = this.puzzle.colourOf(view.hint.name);
    state.note = this.#hintText(view.hint.name, view.hint.proven);
    this.app.say(state.note);
    this.#draw();
  }
  #hintText(name, isProven) {
    return `Hint: ${this.puzzle.moveText(name)} (${isProven ? "proven" : "best known"}). Press Hint again to play it.`;
  }
  mark() {
    if (!this.state.view || this.films.isOpen) return;
    this.state.isMarked = !this.state.isMarked;
    this.#draw();
    this.app.save();
    if (this.state.isMarked) this.app.say(this.state.view.here);
  }
  #changeObjective(objective) {
    const { objective: _, ...others } = this.state.game.options ?? {};
    const options = objective === "clear" ? others : { ...others, objective };
    this.#changeRules({ options, limit: this.state.game.limit }).catch(this.app.fail);
  }
  /** Opens the same board with other rules. Moves stay if the rules give them the same effect. */
  async #changeRules({ options, limit }) {
    const { game, moves } = this.state;
    const next = { ...game, options, limit };
    const keptMoves = this.puzzle.keepsMoves(game.options ?? {}, options) ? moves : [];
    await this.app.ask({ ask: "view", game: next, moves: keptMoves, known: {}, patience: 0 });
    this.app.open({ ...this.snapshot(), game: next, moves: keptMoves, redo: [], given: null, counted: "" }, true);
  }

  // Cells and keys.

  /** The choice with this name. A move has a name for each of its cells. */
  #choiceOf(name) {
    const { state: { view: { choices } }, puzzle: { colourOf } } = this;
    const [index, colour] = [cellIn(name, this.look.cols), colourOf(name)];
    return choices.find((choice) => choice.name === name)
      ?? choices.find((choice) => colourOf(choice.name) === colour && choice.cells.includes(index));
  }
  /** The choices of clicks on cells; with a brush, only those of its colour. */
  #choices() {
    const { state: { view, brush }, puzzle: { colourOf } } = this;
    return brush === null ? view.choices : view.choices.filter(({ name }) => colourOf(name) === brush);
  }
  #choiceAt(index) {
    return index < 0 || !this.state.view ? undefined : this.#choices().find(({ cells }) => cells.includes(index));
  }
  #chooseBrush(colour) {
    if (this.films.isOpen || !this.state.view) return;
    Object.assign(this.state, { brush: colour, hint: null, note: "" });
    this.#draw();
    this.app.say(`Colour ${colour} is chosen.`);
  }
  /** Plays a cell. The second click of a double click (`isSecond`) is not refused, and does not repeat a flood. */
  #playCell(index, isSecond = false) {
    const { view, moves } = this.state;
    if (index < 0 || !view || this.films.isOpen) return;
    const choice = this.#choiceAt(index);
    if (isSecond && (!choice || (this.puzzle.isFlood && choice.name === moves.at(-1)))) return;
    if (choice) this.play(choice.name);
    else this.#refuse(this.look.labels[this.state.view.cells[index]] ?? "");
  }
  #hover(index) {
    if (this.films.isOpen || !this.state.view) return;
    const takes = this.#choiceAt(index)?.takes ?? [];
    this.#showTip(index);
    this.board.canvas.classList.toggle("can-play", takes.length > 0);
    if (takes === this.state.hover || (!takes.length && !this.state.hover.length)) return;
    this.state.hover = takes;
    this.#highlight();
  }
  /** The size of the group at a cell, and its points. */
  #sizeText({ takes, points }) {
    return plural(takes.length, "cells") + (points === undefined ? "" : `, ${plural(points, "points")}`);
  }
  #showTip(index) {
    const choice = this.puzzle.isFlood ? undefined : this.#choiceAt(index);
    this.board.showTip(index, choice && this.#sizeText(choice));
  }
  #moveCursor(index) {
    this.state.cursor = index;
    if (!this.state.view || this.films.isOpen) return;
    this.#showTip(index);
    this.state.hover = this.#choiceAt(index)?.takes ?? [];
    this.#highlight();
    if (index < 0) return;
    const { view, isMarked } = this.state;
    const choice = this.#choiceAt(index);
    const colour = view.cells[index] === EMPTY ? "empty" : `colour ${this.look.labels[view.cells[index]]}`;
    const verdict = isMarked && choice ? `, ${choice.text}` : "";
    const size = choice ? `, ${this.#sizeText(choice)}${verdict}` : view.marks[index] ? ", flood" : "";
    const { cols } = this.look;
    this.app.say(`Row ${Math.floor(index / cols) + 1}, column ${(index % cols) + 1}: ${colour}${size}`);
  }
  #boardKey(event) {
    if (this.films.isOpen || !this.look || event.ctrlKey || event.metaKey || event.altKey) return;
    const cell = cellOfKey(event, this.state.cursor, this.look);
    if (cell !== undefined) this.#moveCursor(cell);
    else if (event.key === "Enter" || event.key === " ") this.#playCell(this.state.cursor);
    else return;
    event.preventDefault();
  }
  #key(event) {
    const { target, key, ctrlKey, metaKey, altKey, shiftKey } = event;
    if (!this.element.isConnected || altKey || document.querySelector("dialog[open]") || isForTyping(target)) return;
    if (this.films.isOpen) return ctrlKey || metaKey ? undefined : this.films.onKey(event);
    const name = key.toLowerCase();
    if (ctrlKey || metaKey) {
      if (name === "z" && !shiftKey) this.undo();
      else if (name === "y" || name === "z") this.redo();
      else return;
      return void event.preventDefault();
    }
    if (key === "Enter" && target === document.body && this.state.view?.over) return this.next();
    const actions = { u: () => this.undo(), r: () => this.redo(), y: () => this.redo(), a: () => this.again(), h: () => this.hint(),
      o: () => this.mark(), w: () => this.watchOptimum(), s: () => this.watchSearch(), n: () => this.newBoard() };
    const colour = this.colours && /^[0-9]$/.test(key) ? colourOfKey(this.look.labels, key) : undefined;
    if (colour !== undefined) this.puzzle.hasBrush ? this.#chooseBrush(colour) : this.play(colour);
    else if (actions[name]) actions[name]();
    else return;
    event.preventDefault();
  }

  // Films.

  #solution() {
    return this.thinking.solution([]);
  }
  /** Shows the best solution from the start as a film, or with `fromHere` the best continuation. */
  watchOptimum(fromHere = false) {
    const { view, moves } = this.state;
    if (!view) return;
    const solution = this.#solution();
    const note = view.proven ? "No solution is better: proven." : "The best solution known so far.";
    const hasContinuation = view.hint && moves.length > 0;
    if (solution?.moves?.length && !(fromHere && hasContinuation)) {
      const other = hasContinuation && { text: "From my position", click: () => this.watchOptimum(true) };
      const title = view.proven ? "The optimum" : "The best solution so far";
      return this.#watchMoves(title, solution.moves, { note, other, isShown: true });
    }
    if (!view.hint) return this.#say("No solution is known yet.");
    const other = solution && { text: "From the start", click: () => this.watchOptimum() };
    const hintNote = view.hint.proven ? "No continuation is better: proven." : "The best continuation known so far.";
    this.#watchMoves("The best continuation", view.hint.moves, { before: moves, note: hintNote, other, isShown: true });
  }
  /** Shows a film of moves. With `isShown` the player did not find them: playing on from them counts as help. */
  #watchMoves(title, moves, { before = [], note = "", other = null, isShown = false } = {}) {
    const { films } = this;
    const adopt = (path) => {
      if (isShown) this.#noteShown(path, before.length);
      this.#adopt(path);
    };
    films.open(movesFilm({ title, note, before, moves, other, show: (path) => films.show(path),
      close: () => films.close(), adopt }), this.look);
  }
  watchSearch() {
    const { films, state: { view, moves, game } } = this;
    if (!view || films.isOpen) return;
    const seconds = this.patience();
    // At the end of a game, the search from the start is shown.
    const from = view.over ? [] : moves;
    films.open(searchFilm({ ask: this.app.ask, game, moves: from, seconds, unit: view.unit,
      show: (path) => films.show(path), close: () => films.close() }), this.look);
  }
  #filmClosed() {
    if (this.state.view) this.#draw();
    this.board.canvas.focus({ preventScroll: true });
  }
  #adopt(path) {
    this.films.close();
    this.state.redo = [];
    this.#setMoves(path);
  }
}
