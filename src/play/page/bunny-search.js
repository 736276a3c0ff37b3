// Searches for the shortest program of a board while the player plays.

import { grouped } from "./dialog.js";
import { merge } from "./thinking.js";

/** The factor from the time limit of a search to that of the next one. */
const FACTOR = 4;

const keyOf = ({ rows, cols, cells, symbols, start }) => JSON.stringify([rows, cols, cells, symbols, start]);
const isSettled = ({ bound, held, never }) => Boolean(never) || (bound !== undefined && bound === held);

/** `onChange(isNews)` is called when the state of the search changes; `isNews` if more is known of the shortest
 * program, or the search has ended. */
export class ShortestSearch {
  constructor({ ask, patience, onChange, onError }) {
    Object.assign(this, { ask, patience, onChange, onError, kept: new Map(), known: {}, progressText: "", isSearching: false, hasEnded: false,
      game: null, control: null, timer: 0, began: 0 });
  }
  /** Searches for a game's shortest program, if it is not known. */
  open(game) {
    this.close();
    this.game = game;
    Object.assign(this, { known: this.kept.get(keyOf(game)) ?? {}, seconds: this.patience(), hasEnded: false });
    if (!isSettled(this.known)) this.#run();
  }
  close() {
    clearTimeout(this.timer);
    this.control?.abort();
    Object.assign(this, { control: null, isSearching: false, progressText: "" });
  }
  /** The player's patience has changed. If it is shorter, the search ends at the new limit, counted from its beginning. */
  applyPatience() {
    const before = this.seconds;
    this.seconds = this.patience();
    if (!this.isSearching || this.seconds >= before) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.close();
      this.hasEnded = true;
      this.onChange(true);
    }, this.began + 1000 * this.seconds - performance.now());
  }
  continue() {
    if (this.isSearching || isSettled(this.known)) return;
    this.seconds *= FACTOR;
    this.#run();
  }
  async #run() {
    const { game } = this;
    const control = new AbortController();
    Object.assign(this, { control, isSearching: true, hasEnded: false, progressText: "", began: performance.now() });
    const isMine = () => this.control === control;
    try {
      const asked = { ask: "solve", game, seconds: this.seconds, watch: true };
      const { known } = await this.ask(asked, { signal: control.signal, onEvent: (event) => isMine() && this.#onEvent(event) });
      if (!isMine()) return;
      this.#learn(known);
    } catch (error) {
      if (error.name === "AbortError" || !isMine()) return;
      this.onError(error);
    }
    clearTimeout(this.timer);
    Object.assign(this, { isSearching: false, hasEnded: true, progressText: "" });
    this.onChange(true);
  }
  #learn(finding) {
    this.known = merge(this.known, finding);
    this.kept.set(keyOf(this.game), this.known);
  }
  #onEvent(event) {
    switch (event.event) {
      case "bound": this.#learn({ bound: event.value }); return this.onChange(true);
      case "held": this.#learn({ held: event.value, moves: event.moves }); return this.onChange(true);
      case "layer": this.progressText = `Searching programs of ${event.f} tokens …`; break;
      case "stage": this.progressText = `Searching: ${event.text}, ${grouped(event.done)} of ${grouped(event.total)} …`; break;
      default: return undefined;
    }
    return this.onChange(false);
  }
}
