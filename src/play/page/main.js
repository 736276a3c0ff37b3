// The shell of the page: tabs of the puzzles, boards that are opened, shared or of the day, settings, what is announced.
//
// The table of puzzles.js makes the component of each puzzle. A component has
//   element          what the page shows
//   open(shared, isMine)  shows a game: {game, moves, best}. From a link, `moves` and `best` are a friend's, to be
//                    beaten; with `isMine`, `shared` is what `state` gave before the page was left
//   close()          the component is hidden: its searches end
//   share()          {game, moves, best} for a link
//   state()          what to keep for the next visit
//   newBoard()       lets the player choose a new board
//   result()         optional: {result, isHelped} of the finished game that is shown, or `null`
//   first()          optional: the game of a first visit; without it, the board of the day
// and `app` has
//   ask(question, {onEvent, signal})   asks the solver; fails with an error whose message says why
//   solver           the solver
//   puzzle(id)       a puzzle: {id, title, hasPrograms, kinds} as the solver says, and the fields of puzzles.js
//   say(text)        announces a text to assistive software
//   store            the player's best results: best(game), finished(game, moves, value, isBetter)
//   settings         get(name), changed(listener)
//   share()          lets the player share the game that is shown
//   changed()        to be called when what `state` gives has changed
//   open(shared, isMine)  shows a game of any puzzle. `shared.note` says why a part of a link was dropped, and
//                    `shared.said` how a text was read

import { el, setText, show } from "./dom.js";
import { iconButton } from "./dialog.js";
import { AskError, isServed, Solver } from "./solver.js";
import { bestResults, loadOfTab, saveOfTab } from "./storage.js";
import { settings } from "./settings.js";
import { openBoards, takeTransfers } from "./open.js";
import { shareDialog } from "./share.js";
import { boardOfDay } from "./days.js";
import { puzzleOf } from "./puzzles.js";

/** The page. */
function page(root) {
  const live = el("p", { class: "aside", role: "status", "aria-live": "polite", id: "live" });
  const problem = el("p", { class: "problem banner", role: "alert", hidden: true });
  const notice = el("p", { class: "note notice", role: "status", id: "notice", hidden: true });
  const main = el("main", { id: "main" }, el("p", { class: "note loading" }, "The solver is being loaded …"));
  const puzzles = [];
  const parts = new Map();
  const now = { puzzle: null, isGone: false };

  const solver = new Solver();
  const app = {
    solver,
    puzzle: (id) => puzzles.find((one) => one.id === id) ?? puzzles[0],
    ask,
    say: (text) => setText(live, text),
    store: bestResults(),
    settings: settings(),
    changed: () => keep(),
    open: (shared, isMine) => openGame(shared, isMine),
    share: () => shareDialog(app, component(now.puzzle)).catch(fail),
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
    const left = component.state();
    saveOfTab(now.puzzle, left);
    saveOfTab("tab", now.puzzle);
    history.replaceState({ left }, "");
  }

  function component(id) {
    if (!parts.has(id)) parts.set(id, app.puzzle(id).component(app, app.puzzle(id)));
    return parts.get(id);
  }

  function turnTo(id) {
    if (now.puzzle === id) return component(id);
    if (now.puzzle) component(now.puzzle).close();
    now.puzzle = id;
    const shown = component(id);
    main.replaceChildren(shown.element);
    for (const tab of tabs.children) tab.setAttribute("aria-current", tab.value === id ? "page" : "false");
    document.title = `${app.puzzle(id).title} · gridhunt`;
    return shown;
  }

  /** Shows a game. Of the one that is shown by now, the browser keeps an entry: Back returns to it. With `isEntry`, the
   * new one has an entry already. */
  function openGame(shared, isMine = false, isEntry = isMine) {
    tell(problem, shared.note ?? "");
    tell(notice, shared.said ?? "");
    if (!isEntry && parts.get(now.puzzle)?.state().game) history.pushState(null, "");
    turnTo(app.puzzle(shared.game.puzzle).id).open(shared, isMine);
    keep();
  }

  /** Shows the puzzle with the game that was left there, or with the board of the day. */
  async function visit(id) {
    for (const place of [problem, notice]) tell(place, "");
    const kept = loadOfTab(id);
    const shown = turnTo(id);
    const left = shown.state();
    if (left.game) return openGame(left, true);
    const game = kept?.game && await checked(kept.game).catch(() => null);
    if (now.puzzle !== id) return;
    if (game) return openGame({ ...kept, game }, true);
    const first = await shown.first?.();
    if (now.puzzle !== id) return;
    if (first) return openGame({ game: first, moves: [], best: null });
    return openDaily();
  }

  /** A game that was kept, as the solver gives it. */
  async function checked(game) {
    const { link } = await app.ask({ ask: "link", game });
    return (await app.ask({ ask: "open", link })).game;
  }

  async function openDaily() {
    openGame({ game: await boardOfDay(app, now.puzzle), moves: [], best: null });
  }

  /** Opens the game in the address. The address then loses it, so that the next visit shows the game as it was left. */
  async function openLink() {
    const { hash, pathname, search } = location;
    if (!hash.includes("p=")) return false;
    history.replaceState(null, "", pathname + search);
    openGame(await app.ask({ ask: "open", link: hash }), false, true);
    return true;
  }

  const guard = (act) => () => Promise.resolve().then(act).catch(fail);
  const tabs = el("nav", { class: "tabs", "aria-label": "Puzzles" });
  const tabOf = ({ id, title }) =>
    el("button", { type: "button", class: "tab", value: id, on: { click: guard(() => visit(id)) } }, title);
  const actions = {
    newBoard: iconButton("add", "New", guard(() => component(now.puzzle).newBoard())),
    daily: iconButton("day", "Today", guard(openDaily)),
    open: iconButton("open", "Open", guard(() => openBoards(app, now.puzzle))),
    share: iconButton("share", "Share", () => app.share()),
    settings: iconButton("settings", "Settings", guard(app.settings.dialog), { isBare: true }),
  };
  const header = el("header", {}, el("a", { class: "brand", href: "./" }, "gridhunt"),
    tabs, el("div", { class: "header-actions" }, ...Object.values(actions)));
  root.replaceChildren(header, problem, notice, main, live);
  takeTransfers(app, () => now.puzzle, main);

  addEventListener("hashchange", guard(openLink));
  addEventListener("popstate", ({ state }) => {
    if (state?.left?.game) openGame(state.left, true);
  });
  guard(async () => {
    puzzles.push(...(await ask({ ask: "puzzles" })).puzzles.map(puzzleOf));
    tabs.replaceChildren(...puzzles.map(tabOf));
    const first = app.puzzle(loadOfTab("tab")).id;
    try {
      if (await openLink()) return;
    } catch (error) {
      await visit(first);
      throw error;
    }
    await visit(first);
  })();
}

/** The static page works without a network from the second visit on, and can be installed. */
function keepForOffline() {
  if (isServed() || !navigator.serviceWorker) return;
  document.head.append(el("link", { rel: "manifest", href: "./manifest.webmanifest" }));
  // A browser that refuses shows the page as long as there is a network.
  navigator.serviceWorker.register("./sw.js").catch(() => {});
}

page(document.getElementById("page"));
keepForOffline();
