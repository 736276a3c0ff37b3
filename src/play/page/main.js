// The shell of the page: tabs of the puzzles, boards that are opened, shared or of the day, settings, what is announced.
//
// The table of puzzles.js names the component of each puzzle. A component has
//   element          what the page shows
//   open(shared, isMine)  shows a game: {game, moves, best}. From a link, `moves` and `best` are a friend's, to be
//                    beaten; with `isMine`, `shared` is what `snapshot` gave before the page was left
//   close()          the component is hidden: its searches end
//   share()          {game, moves, best} for a link
//   snapshot()       what to keep for the next visit
//   newBoard()       lets the player choose a new board
//   result()         optional: {result, isHelped} of the finished game that is shown, or `null`
//   first()          optional: the game of a first visit; without it, the board of the day
// and `app` has
//   ask(question, {onEvent, signal})   asks the solver; fails with an error whose message says why
//   puzzle(id)       a puzzle: {id, title, hasPrograms, kinds} as the solver says, and the fields of puzzles.js
//   say(text)        announces a text to assistive software
//   store            the player's best results: best(game), addResult(game, moves, value, isBetter)
//   settings         get(name), onChange(listener)
//   share()          lets the player share the game that is shown
//   fail(error)      shows why something has failed
//   save()           to be called when what `snapshot` returns has changed
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
  const announcer = el("p", { class: "aside", role: "status", "aria-live": "polite", id: "live" });
  const problem = el("p", { class: "problem banner", role: "alert", hidden: true });
  const notice = el("p", { class: "note notice", role: "status", id: "notice", hidden: true });
  const main = el("main", { id: "main" }, el("p", { class: "note loading" }, "The solver is being loaded …"));
  const puzzles = [];
  const components = new Map();
  const state = { puzzle: null, isGone: false };

  const solver = new Solver();
  const app = {
    puzzle: (id) => puzzles.find((one) => one.id === id) ?? puzzles[0],
    ask,
    say: (text) => setText(announcer, text),
    store: bestResults(),
    settings: settings(),
    save,
    open: (shared, isMine) => openGame(shared, isMine),
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
    const left = component.snapshot();
    saveOfTab(state.puzzle, left);
    saveOfTab("tab", state.puzzle);
    history.replaceState({ left }, "");
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

  /** Shows a game. Back returns to the game before, which keeps its entry in the history. With `isEntry`, the new game has
   * an entry already. */
  function openGame(shared, isMine = false, isEntry = isMine) {
    showText(problem, shared.note ?? "");
    showText(notice, shared.said ?? "");
    if (!isEntry && components.get(state.puzzle)?.snapshot().game) history.pushState(null, "");
    showPuzzle(app.puzzle(shared.game.puzzle).id).open(shared, isMine);
    save();
  }

  /** Shows the puzzle with the game that was left there, or with the board of the day. */
  async function visit(id) {
    for (const place of [problem, notice]) showText(place, "");
    const kept = loadOfTab(id);
    const shown = showPuzzle(id);
    const left = shown.snapshot();
    if (left.game) return openGame(left, true);
    const game = kept?.game && await validGame(kept.game).catch(() => null);
    if (state.puzzle !== id) return;
    if (game) return openGame({ ...kept, game }, true);
    const first = await shown.first?.();
    if (state.puzzle !== id) return;
    if (first) return openGame({ game: first, moves: [], best: null });
    return openDaily();
  }

  /** A stored game, checked by the solver. */
  async function validGame(game) {
    const { link } = await app.ask({ ask: "link", game });
    return (await app.ask({ ask: "open", link })).game;
  }

  async function openDaily() {
    openGame({ game: await boardOfDay(app, state.puzzle), moves: [], best: null });
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

/** The static page works without a network from the second visit on, and can be installed. */
function keepForOffline() {
  if (isServed() || !navigator.serviceWorker) return;
  document.head.append(el("link", { rel: "manifest", href: "./manifest.webmanifest" }));
  // Without a service worker, the page needs a network.
  navigator.serviceWorker.register("./sw.js").catch(() => {});
}

page(document.getElementById("page"));
keepForOffline();
