// Films: the board shows moves, or a search, instead of the game.

import { show } from "./dom.js";
import { Frames } from "./thinking.js";

/** The cells that the click called `name` removes; `null` if there is no such click. */
function clickedCells(view, cols, name) {
  const [row, col] = name.split(",").map(Number);
  return view.choices.find(({ cells }) => cells.includes((row - 1) * cols + col - 1))?.cells ?? null;
}

const isStep = (before, after) =>
  before.length + 1 === after.length && before.every((name, index) => name === after[index]);

/** Shows the films of a game, at most one at a time. */
export class Films {
  /**
   * @param {object} parts `board`, `side` and `help` (both hidden during a film), `host` (gets the panel of the film),
   *   `hasGravity`, `ask`, `fail(error)`, `onClose()`
   */
  constructor(parts) {
    Object.assign(this, parts, { film: null, frames: null, look: null, requested: null, shown: null });
  }
  get isOpen() {
    return this.film !== null;
  }
  /** Closes the film, and sets the game of later ones. */
  setGame(game) {
    this.close();
    this.frames = new Frames(this.ask, game);
  }
  /** Opens a film: {element, bar, start(), end()}. */
  open(film, look) {
    this.close();
    Object.assign(this, { film, look, shown: null });
    this.board.setMarks({ highlighted: [], badges: [], cursor: -1 });
    this.host.replaceChildren(film.element);
    for (const part of [this.side, this.help]) show(part, false);
    show(this.host, true);
    film.element.querySelector(".play-button").focus();
    film.start();
  }
  close() {
    const { film } = this;
    if (!film) return;
    film.bar.stop();
    film.end?.();
    this.film = null;
    this.host.replaceChildren();
    show(this.host, false);
    for (const part of [this.side, this.help]) show(part, true);
    this.onClose();
  }
  /** Handles a key while a film is shown. */
  onKey({ key, target }) {
    if (key === "Escape") this.close();
    else if (target instanceof Element && target.closest("input")) return;
    else if (key === "ArrowLeft") this.film.bar.step(-1);
    else if (key === "ArrowRight") this.film.bar.step(1);
  }
  /** Shows the position after some moves. A view that arrives after another request is dropped. */
  async show(path) {
    const { film, look, hasGravity } = this;
    this.requested = path;
    const view = await this.frames.at(path).catch(this.fail);
    if (!view || this.film !== film || this.requested !== path) return null;
    const isNext = Boolean(this.shown) && isStep(this.shown.path, path);
    const removed = isNext && hasGravity ? clickedCells(this.shown.view, look.cols, path.at(-1)) : null;
    this.board.show({ look, cells: view.cells, marks: view.marks, isNext, removed });
    this.shown = { path, view };
    return view;
  }
}
