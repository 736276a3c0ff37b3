// The shell of the page: tabs of the puzzles, boards that are opened, shared or of the day, settings, what is announced.
//
// A puzzle is a function `(app) => component`. A component has
//   element          what the page shows
//   open(shared, isMine)  shows a game: {game, moves, best}. From a link, `moves` and `best` are a friend's, to be
//                    beaten; with `isMine`, `shared` is what `state` (or `share`) gave before the page was left
//   close()          the component is hidden: its searches end
//   share()          {game, moves, best} for a link
//   state()          optional: what to keep for the next visit, if `share` is not enough
//   newBoard()       optional: lets the player choose a new board
//   first()          optional: the game of a first visit; without it, the board of the day
//   daily            optional: the board of the day, as `day` takes its `board`
//   name             optional: the kind of the boards that `newBoard` makes
// and `app` has
//   ask(question, {onEvent, signal})   asks the solver; fails with an error whose message says why
//   solver           the solver
//   say(text)        announces a text to assistive software
//   store            the player's best results: best(game), finished(game, moves, value, isBetter)
//   settings         get(name), changed(listener)
//   changed()        to be called when what `state` or `share` gives has changed
//   open(shared, isMine)  shows a game of any puzzle. `shared.note` says why a part of a link was dropped, and
//                    `shared.said` how a text was read

import { el, setText, show } from "./dom.js";
import { iconButton } from "./dialog.js";
import { AskError, Solver } from "./solver.js";
import { bestResults, loadOfTab, saveOfTab } from "./storage.js";
import { settings } from "./settings.js";
import { openBoards, takeTransfers } from "./open.js";
import { shareDialog } from "./share.js";
import { clickomaniaGame, floodItGame } from "./game.js";
import { bunnyGame } from "./bunny.js";

const PUZZLES = [
  { id: "flood-it", name: "Flood-It", make: floodItGame },
  { id: "clickomania", name: "Clickomania", make: clickomaniaGame },
  { id: "bunny", name: "Hopping Bunny", make: bunnyGame },
];

const today = () => {
  const now = new Date();
  const two = (number) => String(number).padStart(2, "0");
  return `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`;
};

/** The page. */
function page(root) {
  const live = el("p", { class: "aside", role: "status", "aria-live": "polite", id: "live" });
  const problem = el("p", { class: "problem banner", role: "alert", hidden: true });
  const notice = el("p", { class: "note notice", role: "status", id: "notice", hidden: true });
  const main = el("main", { id: "main" }, el("p", { class: "note loading" }, "The solver is being loaded …"));
  const parts = new Map();
  const now = { puzzle: null, isGone: false };

  const solver = new Solver();
  const app = {
    solver,
    ask,
    say: (text) => setText(live, text),
    store: bestResults(),
    settings: settings(),
    changed: () => keep(),
    open: (shared, isMine) => openGame(shared, isMine),
    fail,
  };

  async function ask(question, options) {
    const answer = await solver.ask(question, options);
    if (now.isGone) tell(problem, "");
    return answer;
  }

  function tell(place, text) {
    now.isGone = false;
    setText(place, text);
    show(place, Boolean(text));
  }

  function fail(error) {
    if (error.name === "AbortError") return;
    tell(problem, error.message);
    now.isGone = Boolean(error.isGone);
    if (!(error instanceof AskError)) console.error(error);
  }

  function keep() {
    const component = parts.get(now.puzzle);
    if (!component) return;
    saveOfTab(now.puzzle, component.state?.() ?? component.share());
    saveOfTab("tab", now.puzzle);
  }

  function component(id) {
    if (!parts.has(id)) parts.set(id, PUZZLES.find((puzzle) => puzzle.id === id).make(app));
    return parts.get(id);
  }

  function turnTo(id) {
    if (now.puzzle === id) return component(id);
    if (now.puzzle) component(now.puzzle).close();
    now.puzzle = id;
    const shown = component(id);
    main.replaceChildren(shown.element);
    for (const { id: other, tab } of tabs) tab.setAttribute("aria-current", other === id ? "page" : "false");
    show(actions.newBoard, Boolean(shown.newBoard));
    show(actions.daily, Boolean(shown.daily));
    document.title = `${PUZZLES.find((puzzle) => puzzle.id === id).name} · gridhunt`;
    return shown;
  }

  function openGame(shared, isMine = false) {
    tell(problem, shared.note ?? "");
    tell(notice, shared.said ?? "");
    const { puzzle } = shared.game;
    const { id } = PUZZLES.find((one) => one.id === puzzle) ?? PUZZLES[0];
    turnTo(id).open(shared, isMine);
    keep();
  }

  /** Shows the puzzle with the game that was left there, or with the board of the day. */
  async function visit(id) {
    for (const place of [problem, notice]) tell(place, "");
    const kept = loadOfTab(id);
    const shown = turnTo(id);
    const isKept = kept?.game && await app.ask({ ask: "link", game: kept.game }).then(() => true, () => false);
    if (now.puzzle !== id) return;
    if (isKept) return openGame(kept, true);
    const first = await shown.first?.();
    if (now.puzzle !== id) return;
    if (first) return openGame({ game: first, moves: [], best: null });
    if (shown.daily) return openDaily();
  }

  async function openDaily() {
    const { daily } = component(now.puzzle);
    const game = await app.ask({ ask: "day", date: today(), board: daily });
    openGame({ game, moves: [], best: null });
  }

  /** Opens the game in the address. The address then loses it, so that the next visit shows the game as it was left. */
  async function openLink() {
    const { hash, pathname, search } = location;
    if (!hash.includes("p=")) return false;
    history.replaceState(null, "", pathname + search);
    openGame(await app.ask({ ask: "open", link: hash }));
    return true;
  }

  const guard = (act) => () => Promise.resolve().then(act).catch(fail);
  const tabs = PUZZLES.map(({ id, name }) =>
    ({ id, tab: el("button", { type: "button", class: "tab", on: { click: guard(() => visit(id)) } }, name) }));
  const actions = {
    newBoard: iconButton("add", "New", guard(() => component(now.puzzle).newBoard())),
    daily: iconButton("day", "Today", guard(openDaily)),
    open: iconButton("open", "Open", guard(() => openBoards(app, now.puzzle))),
    share: iconButton("share", "Share", guard(() => shareDialog(app, component(now.puzzle)))),
    settings: iconButton("settings", "Settings", guard(app.settings.dialog), { isBare: true }),
  };
  const header = el("header", {}, el("a", { class: "brand", href: "./" }, "gridhunt"),
    el("nav", { class: "tabs", "aria-label": "Puzzles" }, ...tabs.map(({ tab }) => tab)),
    el("div", { class: "header-actions" }, ...Object.values(actions)));
  root.replaceChildren(header, problem, notice, main, live);
  takeTransfers(app, () => now.puzzle, main);

  addEventListener("hashchange", guard(openLink));
  guard(async () => {
    const tab = loadOfTab("tab");
    const first = PUZZLES.some(({ id }) => id === tab) ? tab : PUZZLES[0].id;
    try {
      if (await openLink()) return;
    } catch (error) {
      await visit(first);
      throw error;
    }
    await visit(first);
  })();
}

page(document.getElementById("page"));
