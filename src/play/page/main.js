// The shell of the page: tabs of the puzzles, buttons of the header, messages, history and storage of games.
//
// The table of puzzles.js names the component of each puzzle. A component has
//   element          the node that the page shows
//   open(shared, isSnapshot)  shows a game: {game, moves, best}. From a link, `moves` and `best` are a friend's result;
//                    with `isSnapshot`, `shared` is a result of `snapshot`
//   close()          called when the component is hidden; ends its searches
//   share()          {game, moves, best} for a link
//   snapshot()       the state to store for the next visit
//   newBoard()       lets the player choose a new board
//   result()         optional: {result, isHelped} of the current game if it is finished, or `null`
//   first()          optional: the game of a first visit (default: the board of the day)
// and `app` has
//   ask(question, {onEvent, signal})   the solver's answer; fails with an error with a message for the player
//   puzzle(id)       a puzzle: {id, title, hasPrograms, kinds} of the solver, and the fields of puzzles.js
//   say(text)        announces a text to assistive software
//   store            the player's best results: best(game), addResult(game, moves, value, isBetter)
//   settings         get(name), onChange(listener)
//   share()          opens the dialog that shares the current game
//   fail(error)      shows the message of an error
//   save()           stores the snapshot; to be called after each change of it
//   open(shared, isSnapshot)  shows a game of any puzzle. `shared.note` says why a part of a link was dropped, and
//                    `shared.readingNotes` how a text was read

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
  const announcer = el("p", { class: "aside", role: "status", "aria-live": "polite", id: "live" });
  const problem = el("p", { class: "problem banner", role: "alert", hidden: true });
  const notice = el("p", { class: "note notice", role: "status", id: "notice", hidden: true });
  const main = el("main", { id: "main" }, el("p", { class: "note loading" }, "The solver is being loaded …"));
  const puzzles = [];
  const components = new Map();
  const state = { puzzle: null, isGone: false };

  const solver = new Solver();
  const app = {
    puzzle: (id) => puzzles.find((puzzle) => puzzle.id === id) ?? puzzles[0],
    ask,
    say: (text) => setText(announcer, text),
    store: bestResults(),
    settings: settings(),
    save,
    open: (shared, isSnapshot) => openGame(shared, isSnapshot),
    share: () => shareDialog(app, component(state.puzzle)).catch(fail),
    fail,
  };

  async function ask(question, options) {
    const answer = await solver.ask(question, options);
    if (state.isGone) showText(problem, "");
    return answer;
  }

  function showText(place, text) {
    state.isGone = false;
    setText(place, text);
    show(place, Boolean(text));
  }

  function fail(error) {
    if (error.name === "AbortError") return;
    showText(problem, error.message);
    state.isGone = Boolean(error.isGone);
    if (!(error instanceof AskError)) console.error(error);
  }

  function save() {
    const component = components.get(state.puzzle);
    if (!component) return;
    const snapshot = component.snapshot();
    saveOfTab(state.puzzle, snapshot);
    saveOfTab("tab", state.puzzle);
    history.replaceState({ left: snapshot }, "");
  }

  function component(id) {
    if (!components.has(id)) components.set(id, new (app.puzzle(id).Component)(app, app.puzzle(id)));
    return components.get(id);
  }

  function showPuzzle(id) {
    if (state.puzzle === id) return component(id);
    if (state.puzzle) component(state.puzzle).close();
    state.puzzle = id;
    const shown = component(id);
    main.replaceChildren(shown.element);
    for (const tab of tabs.children) tab.setAttribute("aria-current", tab.value === id ? "page" : "false");
    document.title = `${app.puzzle(id).title} · gridhunt`;
    return shown;
  }

  /** Shows a game. The previous game keeps its entry in the browser's history; the new game gets one, unless `hasEntry`
   * says that the current entry belongs to it. */
  function openGame(shared, isSnapshot = false, hasEntry = isSnapshot) {
    showText(problem, shared.note ?? "");
    showText(notice, shared.readingNotes ?? "");
    if (!hasEntry && components.get(state.puzzle)?.snapshot().game) history.pushState(null, "");
    showPuzzle(app.puzzle(shared.game.puzzle).id).open(shared, isSnapshot);
    save();
  }

  /** Shows a puzzle with its current or stored game, or else with the game of a first visit. */
  async function visit(id) {
    for (const place of [problem, notice]) showText(place, "");
    const stored = loadOfTab(id);
    const shown = showPuzzle(id);
    const snapshot = shown.snapshot();
    if (snapshot.game) return openGame(snapshot, true);
    const game = stored?.game && await validGame(stored.game).catch(() => null);
    if (state.puzzle !== id) return;
    if (game) return openGame({ ...stored, game }, true);
    const first = await shown.first?.();
    if (state.puzzle !== id) return;
    if (first) return openGame({ game: first, moves: [], best: null });
    return openDaily();
  }

  /** A stored game after a check by the solver; fails if the game is invalid. */
  async function validGame(game) {
    const { link } = await app.ask({ ask: "link", game });
    return (await app.ask({ ask: "open", link })).game;
  }

  async function openDaily() {
    openGame({ game: await boardOfDay(app, state.puzzle), moves: [], best: null });
  }

  /** Opens the game in the address, and removes it there, so that a reload shows the stored game with its moves. */
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
    newBoard: iconButton("add", "New", guard(() => component(state.puzzle).newBoard())),
    daily: iconButton("day", "Today", guard(openDaily)),
    open: iconButton("open", "Open", guard(() => openBoards(app, state.puzzle))),
    share: iconButton("share", "Share", () => app.share()),
    settings: iconButton("settings", "Settings", guard(app.settings.dialog), { isBare: true }),
  };
  const header = el("header", {}, el("a", { class: "brand", href: "./" }, "gridhunt"),
    tabs, el("div", { class: "header-actions" }, ...Object.values(actions)));
  root.replaceChildren(header, problem, notice, main, announcer);
  takeTransfers(app, () => state.puzzle, main);

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

/** Registers the service worker: the static page then works without a network, and can be installed. */
function keepForOffline() {
  if (isServed() || !navigator.serviceWorker) return;
  document.head.append(el("link", { rel: "manifest", href: "./manifest.webmanifest" }));
  // If the registration fails, the page only needs a network.
  navigator.serviceWorker.register("./sw.js").catch(() => {});
}

page(document.getElementById("page"));
keepForOffline();
