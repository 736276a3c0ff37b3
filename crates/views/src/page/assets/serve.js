// Entry of the served page: which view the address asks for, and the events that keep the view up to date.
// Addresses: #/, #/runs/ID, #/runs/ID/boards/N.

import { el, pageText, setText, show } from "./dom.js";
import { ask, follow } from "./api.js";
import { runList } from "./list.js";
import { runView } from "./run.js";
import { comparisons } from "./steps.js";
import { huntControl, runControl } from "./control.js";

/** The parts of an address. */
function placeOf(hash) {
  const [, runs, id, boards, number] = hash.replace(/^#/, "").split("/");
  if (runs !== "runs" || !id) return { view: "list", key: "list" };
  const run = /%(?![0-9a-f]{2})/i.test(id) ? id : decodeURIComponent(id);
  const board = boards === "boards" && /^\d+$/.test(number ?? "") ? Number(number) : undefined;
  return { view: "run", key: `run ${run}`, run, board };
}

function runHref(run) {
  return `#/runs/${encodeURIComponent(run)}`;
}

function runPath(run, rest = "") {
  return `/api/runs/${encodeURIComponent(run)}${rest}`;
}

/** The page around the views. */
function frame() {
  const trail = el("ol", { class: "trail" });
  const link = el("p", { class: "link" });
  const main = el("main");
  const lost = el("p", { class: "lost", role: "alert", hidden: true });
  const head = el("header", {}, el("a", { class: "brand", href: "#/" }, "gridhunt"),
    el("nav", { "aria-label": "Place" }, trail), link);
  /** Says whether events arrive. */
  function connection(isConnected) {
    setText(link, isConnected ? "live" : "connection lost");
    link.classList.toggle("off", !isConnected);
    show(lost, !isConnected);
    setText(lost, isConnected ? "" : "Connection lost. The page shows its last state, and tries again.");
  }
  /** Shows where the reader is: pairs of text and address. */
  function place(parts) {
    trail.replaceChildren(...parts.map(([text, href], index) => {
      const isLast = index === parts.length - 1;
      return el("li", {}, el("a", { href, "aria-current": isLast ? "page" : null }, text));
    }));
    document.title = [...parts.map(([text]) => text).slice(1).reverse(), "gridhunt"].join(" - ");
  }
  return { element: [head, lost, main], main, connection, place };
}

/** The runs that have searched the same board as another run. */
function rivals(runs) {
  const byBoard = Map.groupBy(runs.filter(({ board, error }) => board && !error), ({ board }) => board);
  return [...byBoard.values()].filter((several) => several.length > 1).flat();
}

/** The current state of a run; null if it cannot be read. */
function glance(run) {
  return new Promise((done) => {
    const ended = (view) => { end(); done(view); };
    const end = follow(runPath(run, "/events"), "run", ended, (isFine) => { if (!isFine) ended(null); });
  });
}

/** Charts of the boards that several runs have searched; drawn when they are asked for. */
function sideBySide() {
  const [box, now] = [el("div"), { runs: [] }];
  const element = el("details", { hidden: true }, el("summary", {}, "Runs of one board in one chart"), box);
  async function draw() {
    if (!element.open) return;
    const views = [];
    for (const { id } of now.runs) views.push(await glance(id));
    box.replaceChildren(...comparisons(views.filter(Boolean)));
  }
  element.addEventListener("toggle", draw);
  return { element, update: ({ runs = [] }) => { now.runs = rivals(runs); show(element, now.runs.length > 0); } };
}

function listView(page) {
  const control = huntControl((config) => ask("/api/hunts", { config }));
  const list = runList({ hrefOf: runHref, actions: control.element });
  const charts = sideBySide();
  list.element.append(charts.element);
  const take = (runs) => {
    list.update(runs);
    charts.update(runs);
    control.update(runs.configs ?? [], Boolean(runs.control));
  };
  control.update([], false);
  const end = follow("/api/events", "runs", take, page.connection);
  return { element: list.element, open: () => page.place([["runs", "#/"]]), end };
}

function liveRun(page, { run }) {
  const state = { isAllowed: false, run: null, board: undefined };
  const control = runControl((what) => ask(runPath(run, `/${what}`), {}));
  const view = runView({
    film: (number) => ask(runPath(run, `/boards/${number}/film`)),
    board: (number) => ask(runPath(run, `/boards/${number}`)),
    hrefOf: (number) => `${runHref(run)}/boards/${number}`,
    lastHref: runHref(run),
    actions: control.element,
  });
  function draw() {
    if (state.run) control.update(state.run, state.isAllowed);
    else show(control.element, false);
    const board = state.board === undefined ? [] : [[`board ${state.board}`, `${runHref(run)}/boards/${state.board}`]];
    page.place([["runs", "#/"], [state.run?.name ?? "run", runHref(run)], ...board]);
    const range = state.board === undefined && state.run?.board?.number !== undefined ? state.run.board.range : undefined;
    if (range) document.title = pageText(`${range} - ${document.title}`);
  }
  ask("/api/runs").then((list) => {
    state.isAllowed = Boolean(list.control);
    if (list.runs.some(({ id }) => id === run)) return draw();
    // An address of another session of the server.
    end();
    page.connection(true);
    const back = el("a", { href: "#/" }, "The list");
    return view.element.replaceChildren(el("p", {}, "No run has this name. ", back, " shows those that there are."));
  }, () => {});
  const take = (news) => { state.run = news; view.update(news); draw(); };
  const end = follow(runPath(run, "/events"), "run", take, page.connection);
  const open = ({ board }) => { state.board = board; view.choose(board); draw(); };
  return { element: view.element, open, end };
}

/** Starts the served page in an element. */
function startServed(root) {
  const page = frame();
  const views = { list: listView, run: liveRun };
  let [shown, key] = [null, ""];
  root.replaceChildren(...page.element);
  if (location.search) history.replaceState(null, "", location.pathname + location.hash);
  function route(event) {
    const place = placeOf(location.hash);
    if (place.key !== key) {
      shown?.end();
      shown = views[place.view](page, place);
      key = place.key;
      page.main.replaceChildren(shown.element);
    }
    shown.open(place);
    if (!event) return;
    window.scrollTo(0, 0);
    page.main.querySelector("h1")?.focus({ preventScroll: true });
  }
  /** A lone run is what the reader came for. The list of it is behind the name of the program. */
  function openLone({ runs }) {
    if (!location.hash && runs.length === 1) location.replace(runHref(runs[0].id));
  }
  addEventListener("hashchange", route);
  route();
  if (!location.hash) ask("/api/runs").then(openLone, () => {});
}

const served = document.getElementById("served");
if (served) startServed(served);
