// Searches for the shortest program of a board while the player plays.

/** The time of the first search, in seconds, if the player has no more patience. */
const SECONDS = 60;
/** Each further search may take so many times as long. */
const MORE = 4;

const keyOf = ({ rows, cols, cells, symbols, start }) => JSON.stringify([rows, cols, cells, symbols, start]);
const count = (number) => number.toLocaleString("en-GB");
const isSettled = ({ bound, held, never }) => Boolean(never) || (bound !== undefined && bound === held);

/** `tells(isNews)` is called when something has happened; `isNews` if more is known of the shortest program. */
export class ShortestSearch {
  constructor({ ask, patience, tells, fails }) {
    Object.assign(this, { ask, patience, tells, fails, kept: new Map(), known: {}, work: "", isSearching: false, hasEnded: false,
      game: null, control: null });
  }
  /** Searches for a game's shortest program, if it is not known. */
  open(game) {
    this.close();
    this.game = game;
    Object.assign(this, { known: this.kept.get(keyOf(game)) ?? {}, seconds: Math.max(SECONDS, this.patience()), hasEnded: false });
    if (!isSettled(this.known)) this.#run();
  }
  close() {
    this.control?.abort();
    Object.assign(this, { control: null, isSearching: false, work: "" });
  }
  searchOn() {
    if (this.isSearching || isSettled(this.known)) return;
    this.seconds *= MORE;
    this.#run();
  }
  async #run() {
    const { game } = this;
    const control = new AbortController();
    Object.assign(this, { control, isSearching: true, hasEnded: false, work: "" });
    const isMine = () => this.control === control;
    try {
      const asked = { ask: "solve", game, seconds: this.seconds, watch: true };
      const { known } = await this.ask(asked, { signal: control.signal, onEvent: (event) => isMine() && this.#take(event) });
      if (!isMine()) return;
      this.#learn(known);
    } catch (error) {
      if (error.name === "AbortError" || !isMine()) return;
      this.fails(error);
    }
    Object.assign(this, { isSearching: false, hasEnded: true, work: "" });
    this.tells(true);
  }
  /** What was known before stays known. */
  #learn(known) {
    const before = this.known;
    const isBetter = before.held === undefined || (known.held !== undefined && known.held <= before.held);
    const best = isBetter ? { held: known.held, moves: known.moves ?? [] } : { held: before.held, moves: before.moves };
    const bound = Math.max(before.bound ?? 0, known.bound ?? 0) || undefined;
    this.#keep({ bound, ...best, never: known.never });
  }
  #keep(known) {
    this.known = known;
    this.kept.set(keyOf(this.game), known);
  }
  #take(event) {
    const { known } = this;
    switch (event.event) {
      case "bound":
        this.#keep({ ...known, bound: Math.max(known.bound ?? 0, event.value) });
        return this.tells(true);
      case "held":
        if (known.held === undefined || event.value < known.held) {
          this.#keep({ ...known, held: event.value, moves: event.moves });
        }
        return this.tells(true);
      case "layer": this.work = `Searching programs of ${event.f} tokens …`; break;
      case "stage": this.work = `Searching: ${event.text}, ${count(event.done)} of ${count(event.total)} …`; break;
      default: return undefined;
    }
    return this.tells(false);
  }
}
