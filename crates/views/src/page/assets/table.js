// Tables of results: filter by status, a search for text, and a copy as TSV.

import { el, setText, show, reconcile, scroller, tableOf } from "./dom.js";
import { plural } from "./format.js";

/** Copies a text, also where the page has no access to the clipboard. */
async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = el("textarea", { class: "aside", readonly: true });
    area.value = text;
    document.body.append(area);
    area.select();
    const isDone = document.execCommand("copy");
    area.remove();
    return isDone;
  }
}

/** A cell without characters that end a cell of a TSV. */
function tsvCell(text) {
  return String(text ?? "").replace(/[\t\r\n]+/g, " ");
}

/** The factors of the units of numbers and times in cells. */
const UNITS = { k: 1e3, M: 1e6, G: 1e9, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30, TiB: 2 ** 40, ms: 1e-3, m: 60, h: 3600, d: 86400 };

/** The sort key of a cell: a number with its unit, a clock, or a text. */
function orderOf(cell) {
  const text = String(cell ?? "").replaceAll(",", "");
  if (/^\d+(:\d\d)+$/.test(text)) return text.split(":").reduce((sum, part) => 60 * sum + Number(part), 0);
  const [, number, unit] = text.match(/^([-+]?[\d.]+(?:e[-+]?\d+)?) ?([A-Za-z]*)/) ?? [];
  return number === undefined ? text : Number(number) * (UNITS[unit] ?? 1);
}

/** Cells without a text come last in either order. */
function compare(one, other, isDown) {
  if (one === "" || other === "") return (one === "") - (other === "");
  const [a, b] = isDown ? [other, one] : [one, other];
  return typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b), "en", { numeric: true });
}

/**
 * Makes the heads of a table buttons that order its rows: rising, falling, as they came.
 * @param {HTMLElement} table
 * @param {() => void} onChange
 * @returns {(rows: any[], cellsOf: (row: any) => any[]) => any[]} rows in the order that was chosen
 */
export function sortable(table, onChange) {
  const sorting = { column: -1, isDown: false };
  const heads = [...table.querySelectorAll("thead th")];
  function choose(column) {
    const isSame = sorting.column === column;
    Object.assign(sorting, isSame && sorting.isDown ? { column: -1, isDown: false } : { column, isDown: isSame });
    heads.forEach((head, at) => {
      if (at === sorting.column) head.setAttribute("aria-sort", sorting.isDown ? "descending" : "ascending");
      else head.removeAttribute("aria-sort");
    });
    onChange();
  }
  heads.forEach((head, column) => head.replaceChildren(
    el("button", { type: "button", class: "sort", on: { click: () => choose(column) } }, head.textContent)));
  return (rows, cellsOf) => {
    if (sorting.column < 0) return rows;
    const keyed = rows.map((row) => ({ row, key: orderOf(cellsOf(row)[sorting.column]) }));
    return keyed.sort((one, other) => compare(one.key, other.key, sorting.isDown)).map(({ row }) => row);
  };
}

/**
 * A table. `update` takes rows `{key, cells, status, href, isCurrent}`: the cells are texts; the cell of column
 * `linked` becomes a link to `href`.
 * @param {{label: string, head: string[], numbers: boolean[], linked?: number}} options
 * @returns {{element: HTMLElement, update: (rows: object[]) => void}}
 */
export function dataTable({ label, head, numbers, linked = -1 }) {
  const state = { rows: [], status: "", find: "" };
  const body = el("tbody");
  const table = tableOf("data", head, (column) => numbers[column], body);
  const sorted = sortable(table, () => draw());
  const choose = (event) => { state.status = event.target.value; draw(); };
  const status = el("select", { on: { change: choose } });
  const find = el("input", { type: "search", on: { input: (event) => { state.find = event.target.value; draw(); } } });
  const message = el("span", { class: "note", role: "status" });
  const copy = el("button", { type: "button", on: { click: copyRows } }, "copy as TSV");
  const statusField = el("label", {}, "status ", status);
  const bar = el("div", { class: "row tools" }, statusField, el("label", {}, "find ", find), copy, message);
  const box = scroller(label, table);
  const element = el("div", {}, bar, box);

  function shownRows() {
    const word = state.find.toLowerCase();
    const isFound = ({ cells }) => !word || cells.some((text) => String(text ?? "").toLowerCase().includes(word));
    return sorted(state.rows.filter((row) => (!state.status || row.status === state.status) && isFound(row)), ({ cells }) => cells);
  }
  async function copyRows() {
    const rows = shownRows();
    const lines = [head, ...rows.map(({ cells }) => cells)].map((cells) => cells.map(tsvCell).join("\t"));
    const isDone = await copyText(`${lines.join("\n")}\n`);
    setText(message, isDone ? `copied ${plural(rows.length, "row")}` : "the browser does not allow copying");
  }
  function rowOf(row) {
    const link = row.href && linked >= 0 ? el("a", {}) : null;
    const cells = head.map((_, column) => el(column === linked ? "th" : "td", {
      class: numbers[column] ? "n" : null, scope: column === linked ? "row" : null,
    }, column === linked && link ? link : ""));
    const node = el("tr", {}, ...cells);
    const texts = cells.map((cell, column) => (column === linked && link ? link : cell));
    function update(next) {
      next.cells.slice(0, head.length).forEach((text, column) => setText(texts[column], String(text ?? "")));
      if (link && link.getAttribute("href") !== next.href) link.setAttribute("href", next.href);
      if (link) link[next.isCurrent ? "setAttribute" : "removeAttribute"]("aria-current", "true");
      node.dataset.status = next.status ?? "";
    }
    return { node, update };
  }
  function statuses() {
    const counts = new Map();
    for (const row of state.rows) if (row.status) counts.set(row.status, (counts.get(row.status) ?? 0) + 1);
    const items = [["", state.rows.length], ...[...counts].sort(([a], [b]) => (a < b ? -1 : 1))];
    const option = ([name]) => {
      const node = el("option", { value: name });
      return { node, update: ([, number]) => setText(node, `${name || "all"} (${number})`) };
    };
    reconcile(status, items, ([name]) => name, option);
    if (state.status && !counts.has(state.status)) [state.status, status.value] = ["", ""];
    show(statusField, counts.size > 1);
  }
  function draw() {
    const rows = shownRows();
    reconcile(body, rows, ({ key, href }) => `${key}${href ? "@" : ""}`, rowOf);
    const isFiltered = rows.length < state.rows.length;
    setText(message, isFiltered ? `${rows.length} of ${state.rows.length} rows` : "");
  }
  function update(rows) {
    state.rows = rows;
    statuses();
    show(bar, rows.length > 3);
    draw();
  }
  return { element, update };
}
