// Searches for the shortest program of a board while the player plays.

import { grouped, plural } from "./dialog.js";
import { merge } from "./thinking.js";

/** The factor from the time limit of a search to that of the next one. */
const FACTOR = 4;

const keyOf = ({ rows, cols, cells, symbols, start }) => JSON.stringify([rows, cols, cells, symbols, start]);
const isSettled = ({ bound, held, never }) => Boolean(never) || (bound !== undefined && bound === held);

/** Searches for the shortest program. `onChange(isNews)` is called when the state of the search changes; `isNews` if a
 * limit of the shortest length has changed, or the search has ended. */
export class ShortestSearch {
  constructor({ ask, patience, onChange, onError }) {
    Object.assign(this, { ask, patience, onChange, onError, knownOfBoards: new Map(), known: {}, progressText: "", isSearching: false, hasEnded: false,
      game: null, controller: null, timer: 0, startTime: 0 });
  }
  /** Opens a game, and searches for its shortest program unless it is known. */
  open(game) {
    this.close();
    this.game = game;
    Object.assign(this, { known: this.knownOfBoards.get(keyOf(game)) ?? {}, seconds: this.patience(), hasEnded: false });
    if (!isSettled(this.known)) this.#run();
  }
  close() {
    clearTimeout(this.timer);
    this.controller?.abort();
    Object.assign(this, { controller: null, isSearching: false, progressText: "" });
  }
  /** Applies a changed time limit. If it is lower, the search ends when it has run for the new limit. */
  applyPatience() {
    const before = this.seconds;
    this.seconds = this.patience();
    if (!this.isSearching || this.seconds >= before) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.close();
      this.hasEnded = true;
      this.onChange(true);
    }, this.startTime + 1000 * this.seconds - performance.now());
  }
  continue() {
    if (this.isSearching || isSettled(this.known)) return;
    this.seconds *= FACTOR;
    this.#run();
  }
  async #run() {
    const { game } = this;
    const controller = new AbortController();
    Object.assign(this, { controller, isSearching: true, hasEnded: false, progressText: "", startTime: performance.now() });
    const isCurrent = () => this.controller === controller;
    try {
      const question = { ask: "solve", game, seconds: this.seconds, watch: true };
      const { known } = await this.ask(question, { signal: controller.signal, onEvent: (event) => isCurrent() && this.#onEvent(event) });
      if (!isCurrent()) return;
      this.#learn(known);
    } catch (error) {
      if (error.name === "AbortError" || !isCurrent()) return;
      this.onError(error);
    }
    clearTimeout(this.timer);
    Object.assign(this, { isSearching: false, hasEnded: true, progressText: "" });
    this.onChange(true);
  }
  #learn(finding) {
    this.known = merge(this.known, finding);
    this.knownOfBoards.set(keyOf(this.game), this.known);
  }
  #onEvent(event) {
    switch (event.event) {
      case "bound": this.#learn({ bound: event.value }); return this.onChange(true);
      case "held": this.#learn({ held: event.value, moves: event.moves }); return this.onChange(true);
      case "layer": this.progressText = `Searching programs of ${plural(event.f, "tokens")} …`; break;
      case "stage": this.progressText = `Searching: ${event.text}, ${grouped(event.done)} of ${grouped(event.total)} …`; break;
      default: return undefined;
    }
    return this.onChange(false);
  }
}
