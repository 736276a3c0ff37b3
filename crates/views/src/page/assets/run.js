// The view of a run, live or in a report: the state, the board that is shown, results of all boards, events.

import { el, setText, show, reconcile, factList, panel, scroller, tableOf } from "./dom.js";
import { clock, count, valueOf } from "./format.js";
import { batchView } from "./batch.js";
import { boardView } from "./board.js";
import { dataTable } from "./table.js";

const SHOWN_EVENTS = 200;
const HEAD = ["board", "name", "status", "value", "proven", "expanded", "seconds", "stopped by"];
const NUMBERS = [true, false, false, true, true, true, true, false];

/** The events, newest first. */
function eventList() {
  const body = el("tbody");
  const table = tableOf("events", ["time", "event"], (column) => column === 0, body);
  const state = { events: [], isAll: false };
  const more = el("button", { type: "button", on: { click: () => { state.isAll = true; draw(); } } });
  const element = el("div", {}, scroller("Events", table), more);
  const make = ([at, text]) =>
    ({ node: el("tr", {}, el("td", { class: "n" }, clock(at)), el("td", {}, text)) });
  function draw() {
    const { events, isAll } = state;
    const rows = (isAll ? events.slice() : events.slice(-SHOWN_EVENTS)).reverse();
    reconcile(body, rows, ([at, text]) => `${at} ${text}`, make);
    show(more, rows.length < events.length);
    setText(more, `show all ${events.length} events`);
  }
  const update = (events) => { state.events = events; draw(); };
  return { element, update };
}

/** Rows of the table of boards: results, and searches that have not ended. */
function boardRows(run, hrefOf, current) {
  const ended = run.results.map((result) => ({
    number: result.number, status: result.status,
    cells: [result.number, result.board, result.status, valueOf(result), result.upper_score ?? result.lower_bound,
      result.expanded === undefined ? "" : count(result.expanded),
      result.seconds === undefined ? "" : result.seconds.toFixed(2), result.stopped],
  }));
  const done = new Set(ended.map(({ number }) => number));
  const begun = (run.begun ?? []).filter(({ number }) => !done.has(number)).map(({ number, name, range }) => ({
    number, status: "not ended", cells: [number, name, `not ended: ${range ?? "nothing proven"}`],
  }));
  const all = [...ended, ...begun].sort((a, b) => a.number - b.number);
  return all.map((row) => ({ ...row, key: String(row.number), href: hrefOf(row.number),
    isCurrent: row.number === current }));
}

/** The key of a film: if it changes, the film is read again. */
function filmKey(board) {
  return JSON.stringify([board.number, board.best?.at(-1)?.[1], board.ended]);
}

/**
 * The view of a run. `options` says where its data comes from:
 * `film(number)` and `board(number)` give promises, `hrefOf(number)` an address or nothing,
 * `lastHref` the address of the board that was searched last, `actions` an element with buttons.
 * `update` takes a RunView, `choose` the number of a board, or nothing for the board that was searched last.
 * @param {object} options
 * @returns {{element: HTMLElement, update: (run: object) => void, choose: (number?: number) => void}}
 */
export function runView(options) {
  const state = { run: null, wanted: undefined, boardKey: "", filmKey: "" };
  const [name, word] = [el("h1", { tabindex: "-1" }), el("span", { class: "state" })];
  const announced = el("span", { class: "aside", role: "status" });
  const error = el("p", { class: "problem", role: "alert", hidden: true });
  const facts = factList();
  const [board, events] = [boardView(), eventList()];
  const empty = el("p", { class: "empty" }, "No board has been searched yet.");
  const table = dataTable({ label: "Boards", head: HEAD, numbers: NUMBERS, linked: 1 });
  const batch = batchView();
  const batchPanel = panel("Optima and times", "wide", batch.element);
  const tablePanel = panel("Boards of the run", "wide", table.element);
  const eventPanel = panel("Events", "wide", events.element);
  const title = el("div", {}, el("div", { class: "title" }, name, word), facts.element);
  const element = el("div", { class: "run" },
    el("div", { class: "run-head" }, title, options.actions), announced, error, empty,
    board.element, batchPanel, tablePanel, eventPanel);
  const last = el("a", { class: "button", href: options.lastHref }, "the board searched last");
  board.actions.append(last);
  show(board.element, false);

  function draw(view) {
    show(board.element, true);
    show(empty, false);
    board.update({ ...view, isLive: Boolean(state.run.active) && !view.ended });
    const isOther = state.run.board?.number !== undefined && state.run.board.number !== view.number;
    show(last, isOther);
    const key = filmKey(view);
    if (key === state.filmKey) return;
    state.filmKey = key;
    if (view.number === undefined) return;
    // After a lost connection, the next event asks again.
    board.film(options.film(view.number)).catch(() => { state.filmKey = ""; });
  }
  /** A board of which a result alone is known: there may be a film. */
  function drawResult(result) {
    const [{ number, board: name, status }, value] = [result, valueOf(result)];
    draw({ number, name, ended: status, range: value === undefined ? status : `${status}: ${value}` });
  }
  async function drawOther(number) {
    const { results, begun } = state.run;
    const [result, open] = [results, begun ?? []].map((list) => list.find((item) => item.number === number));
    const key = JSON.stringify([number, result, open]);
    if (key === state.boardKey) return;
    state.boardKey = key;
    try {
      const view = await options.board(number);
      if (state.boardKey === key) draw(view);
    } catch (problem) {
      if (state.boardKey !== key) return;
      if (problem.isLost) state.boardKey = "";
      if (result && !problem.isLost) drawResult(result);
      else complain(problem.message);
    }
  }
  function complain(text) {
    setText(error, text);
    show(error, Boolean(text));
  }
  function drawBoard() {
    const { run, wanted } = state;
    if (wanted !== undefined && wanted !== run.board?.number) return drawOther(wanted);
    state.boardKey = "";
    if (run.board && (run.active || run.board.number !== undefined)) return draw(run.board);
    show(board.element, false);
    show(empty, run.results.length === 0);
  }
  function drawTable() {
    const { run, wanted } = state;
    const rows = boardRows(run, options.hrefOf, wanted ?? run.board?.number);
    table.update(rows);
    show(batchPanel, batch.update(run.results));
    show(tablePanel, rows.length > 1 || (rows.length === 1 && rows[0].number !== run.board?.number));
  }
  function update(news) {
    // A stream of views leaves out results that have not changed.
    const run = { ...news, results: news.results ?? state.run?.results ?? [] };
    if (state.run && state.run.state !== run.state) setText(announced, `${run.name}: ${run.state}`);
    state.run = run;
    setText(name, run.name);
    setText(word, run.state);
    word.classList.toggle("active", Boolean(run.active));
    const done = run.boards === undefined ? String(run.done ?? 0) : `${run.done ?? 0} of ${run.boards}`;
    facts.update([
      ["elapsed", run.elapsed ? clock(run.elapsed) : undefined], ["session", run.session || undefined],
      ["boards done", done], ["proven optimal", run.proven ?? 0],
    ]);
    complain(run.error ?? "");
    drawBoard();
    drawTable();
    events.update(run.events ?? []);
    show(eventPanel, (run.events ?? []).length > 0);
  }
  function choose(number) {
    state.wanted = number;
    if (!state.run) return;
    complain(state.run.error ?? "");
    drawBoard();
    drawTable();
  }
  return { element, update, choose };
}
