// The panels of Hopping Bunny: what is known of the shortest program, hints, results of the player and of a friend.

import { el, reconcile, setText, show } from "./dom.js";
import { iconButton, plural } from "./dialog.js";
import { parseProgram } from "./bunny-program.js";
import { stillTiles } from "./bunny-tiles.js";

const tokens = (number) => plural(number, "tokens");

/** The list of program sizes: each refuted, being searched, open or proven. */
function sizeRow() {
  const element = el("ol", { class: "sizes", "aria-label": "Sizes of programs" });
  function make({ size }) {
    const node = el("li", {}, el("span", { "aria-hidden": "true" }, String(size)));
    const update = ({ style, words }) => {
      node.className = style;
      node.title = words;
      node.setAttribute("aria-label", words);
    };
    return { node, update };
  }
  /** @param {{bound?: number, held?: number}} known @param {boolean} isSearching */
  function update({ bound = 0, held, never }, isSearching) {
    const isProven = bound > 0 && bound === held;
    const sizes = Array.from({ length: never ? 0 : bound }, (_, index) => index + 1);
    const item = (size) => {
      if (size < bound) return { size, style: "refuted", words: `${tokens(size)}: no program, proven` };
      if (isProven) return { size, style: "proven", words: `${tokens(size)}: the shortest, proven` };
      return { size, style: isSearching ? "searched" : "open", words: `${tokens(size)}: ${isSearching ? "searched now" : "not known"}` };
    };
    reconcile(element, sizes.map(item), ({ size }) => String(size), make);
  }
  return { element, update };
}

/**
 * The panel of what is known of the shortest program.
 * @param {{hint: () => void, reveal: () => void, continueSearch: () => void}} actions
 */
export function bunnyStatus(actions) {
  const optimum = el("p", { class: "optimum", id: "optimum" });
  const standing = el("p", { class: "standing", id: "standing" });
  const search = el("p", { class: "searching", id: "searching" });
  const sizes = sizeRow();
  const shownProgram = el("div", { class: "shown-program", id: "shown-program", hidden: true });
  const buttons = {
    hint: iconButton("hint", "Hint", actions.hint),
    reveal: iconButton("marks", "Show the shortest", actions.reveal),
    continueSearch: iconButton("search", "Search on", actions.continueSearch),
  };
  buttons.reveal.id = "reveal";
  buttons.hint.setAttribute("aria-keyshortcuts", "h");
  buttons.hint.title = "Show one more tile of the shortest program (h)";
  const element = el("section", { class: "status bunny-status", "aria-label": "What is known" },
    el("p", { class: "label" }, "Shortest program"), optimum, sizes.element, standing, search,
    el("div", { class: "actions" }, buttons.hint, buttons.reveal, buttons.continueSearch), shownProgram);

  /**
   * @param {{view: ?object, note: string, known: object, isSearching: boolean, work: string, hasEnded: boolean}} state
   */
  function update({ view, note, known, optimumText, isSearching, work, hasEnded }) {
    const isProven = known.never || (known.bound !== undefined && known.bound === known.held);
    setText(optimum, optimumText.replace(/^shortest /, ""));
    optimum.classList.toggle("proven", isProven);
    setText(standing, note || view?.standing || "");
    standing.classList.toggle("good", !note && Boolean(view?.solved));
    sizes.update(known, isSearching);
    const end = hasEnded && !isProven ? "The search has reached its limit of time or memory." : "";
    setText(search, isSearching ? work || "Searching …" : end);
    search.classList.toggle("active", isSearching);
    const hasProgram = (known.moves ?? []).length > 0;
    buttons.hint.setAttribute("aria-disabled", String(!hasProgram));
    buttons.reveal.setAttribute("aria-disabled", String(!hasProgram));
    setText(buttons.reveal.querySelector("span"), isProven ? "Show the shortest" : "Show the best known");
    show(buttons.continueSearch, hasEnded && !isProven);
  }
  /**
   * Shows the first `count` tokens of a program, or all of it (`Infinity`); without an argument, hides it.
   * @param {?{program: string, count: number, isProven: boolean, adopt: () => void}} shown
   */
  function reveal(shown) {
    show(shownProgram, Boolean(shown));
    if (!shown) return shownProgram.replaceChildren();
    const { program, count, isProven, adopt } = shown;
    const isWhole = count === Infinity;
    const title = isWhole ? (isProven ? "The shortest program" : "The best program known") : `Hint: first ${count === 1 ? "token" : tokens(count)}`;
    shownProgram.replaceChildren(el("p", { class: "label" }, title), stillTiles(parseProgram(program), count),
      ...(isWhole ? [el("code", { id: "shortest" }, program), iconButton("play", "Run it", adopt, { name: "small" })] : []));
    return undefined;
  }
  /** Scrolls the program of `reveal` into the window. */
  const scrollToHint = () => shownProgram.scrollIntoView({ block: "nearest" });
  return { element, update, reveal, scrollToHint };
}

/** The results on this board: the player's best one, and a friend's. */
export function bunnyResults({ runMine, runFriend }) {
  const [mineText, friendText] = [el("span", { id: "best" }), el("span", { id: "friend" })];
  const rows = {
    mine: el("div", { class: "result" }, mineText, iconButton("play", "Run", runMine, { name: "small" })),
    friend: el("div", { class: "result" }, friendText, iconButton("play", "Run", runFriend, { name: "small" })),
  };
  const element = el("section", { class: "results", "aria-label": "Results" }, rows.mine, rows.friend);
  /** @param {{best: ?object, friend: ?{view: ?object}}} results `view`: the solver's verdict on the friend's program */
  function update({ best, friend }) {
    const value = best?.value ?? null;
    show(rows.mine, value !== null);
    setText(mineText, value === null ? "" : `Your best: ${tokens(value)}`);
    show(rows.friend, Boolean(friend?.view));
    show(element, value !== null || Boolean(friend?.view));
    if (!friend?.view) return;
    const { solved, tokens: theirTokens, left } = friend.view;
    const result = solved ? `Your friend: ${tokens(theirTokens)}` : `Your friend's program leaves ${plural(left, "squares")}`;
    const verdict = !solved || value === null ? (solved ? ", to be beaten" : "")
      : value < theirTokens ? ": beaten" : value === theirTokens ? ": equal" : ", still ahead";
    setText(friendText, result + verdict);
  }
  return { element, update };
}
