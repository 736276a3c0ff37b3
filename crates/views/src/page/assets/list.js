// The list of runs.

import { el, setText, show, reconcile } from "./dom.js";
import { clock } from "./format.js";
import { sortable } from "./table.js";

const RUN_COLUMNS = [
  ["run", null], ["state", "state"], ["board", null], ["proven range", "found"], ["boards done", "n"],
  ["proven", "n"], ["rate", "n"], ["time", "n"],
];

/** The cells of a run, as texts. */
function cellsOf(run) {
  const done = run.boards === undefined ? run.done : `${run.done ?? 0} of ${run.boards}`;
  return [run.name, run.state, run.board, run.error ?? run.range, done, run.proven, run.rate,
    run.elapsed === undefined ? "" : clock(run.elapsed)];
}

function runRow(hrefOf) {
  const link = el("a", {});
  const cells = RUN_COLUMNS.map(([name, kind], column) => {
    const role = column ? "cell" : "rowheader";
    const props = { class: kind, "data-name": name, role, scope: column ? null : "row" };
    return el(column ? "td" : "th", props, column ? "" : link);
  });
  const texts = [link, ...cells.slice(1)];
  const node = el("tr", { role: "row" }, ...cells);
  function update(run) {
    cellsOf(run).forEach((value, column) => setText(texts[column], String(value ?? "")));
    link.setAttribute("href", hrefOf(run.id));
    cells[1].classList.toggle("active", Boolean(run.active));
    cells[3].classList.toggle("problem", Boolean(run.error));
  }
  return { node, update };
}

/**
 * The list of runs. `update` takes the list of the API.
 * @param {{hrefOf: (id: string) => string, actions: HTMLElement}} options
 * @returns {{element: HTMLElement, update: (runs: {runs: object[]}) => void}}
 */
export function runList({ hrefOf, actions }) {
  // Narrow pages show rows as blocks, so the roles of the table are named.
  const body = el("tbody", { role: "rowgroup" });
  const heads = RUN_COLUMNS.map(([name, kind]) =>
    el("th", { scope: "col", class: kind, role: "columnheader" }, name));
  const top = el("thead", { role: "rowgroup" }, el("tr", { role: "row" }, ...heads));
  const table = el("table", { class: "data runs", role: "table", "aria-label": "Runs" }, top, body);
  const empty = el("p", { class: "empty", hidden: true }, "There is no run.");
  const head = el("div", { class: "run-head" }, el("h1", { tabindex: "-1" }, "Runs"), actions);
  const element = el("div", {}, head, table, empty);
  const state = { runs: [] };
  const sorted = sortable(table, () => draw());
  const draw = () => reconcile(body, sorted(state.runs, cellsOf), ({ id }) => id, () => runRow(hrefOf));
  function update({ runs = [] }) {
    state.runs = runs;
    draw();
    show(table, runs.length > 0);
    show(empty, runs.length === 0);
  }
  return { element, update };
}
