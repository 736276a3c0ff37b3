// Entry of the report: one file that holds its data, and needs no network.

import { el, show } from "./dom.js";
import { runView } from "./run.js";
import { comparisons } from "./steps.js";

function reportRun(data, run, index) {
  const [films, boards] = [data.films ?? {}, data.boards ?? {}];
  const view = runView({
    film: async (number) => films[`${index}/${number}`]
      ?? Promise.reject(new Error("The report has no picture of this board.")),
    board: async (number) => boards[`${index}/${number}`]
      ?? Promise.reject(new Error("The report has no curves of this board.")),
    hrefOf: (number) => (boards[`${index}/${number}`] || films[`${index}/${number}`] || run.board?.number === number
      ? `#run-${index}/board-${number}` : undefined),
    lastHref: `#run-${index}`,
  });
  view.update(run);
  view.element.id = `run-${index}`;
  return view;
}

function contents(data) {
  const entry = (id, text) => el("li", {}, el("a", { href: `#${id}` }, text));
  const runs = (data.runs ?? []).map((run, index) => entry(`run-${index}`, run.name));
  return runs.length > 1 && el("nav", { class: "contents", "aria-label": "Runs" }, el("ol", {}, ...runs));
}

/** Shows the board that the address names. */
function routeReport(views) {
  const [, run, board] = /^#run-(\d+)(?:\/board-(\d+))?$/.exec(location.hash) ?? [];
  const view = views[Number(run)];
  if (run === undefined || !view) return;
  view.choose(board === undefined ? undefined : Number(board));
  const place = board === undefined ? view.element : view.element.querySelector(".board");
  place.scrollIntoView();
  view.element.querySelector("h1")?.focus({ preventScroll: true });
}

/** In the frame of a notebook, an address such as `#run-0` is one of the page around it: here it stays in the report. */
function keepInFrame(event) {
  const address = event.target.closest?.("a[href^='#']")?.getAttribute("href");
  if (!address) return;
  event.preventDefault();
  location.hash = address;
}

/** Draws a report into an element. */
function startReport(root, data) {
  document.title = data.title;
  const views = (data.runs ?? []).map((run, index) => reportRun(data, run, index));
  const isLone = views.length === 1 && data.runs[0].name === data.title;
  const title = el("div", { class: "report-head" }, el("p", { class: "brand" }, "gridhunt"),
    el("h1", {}, data.title), el("p", { class: "note" }, data.made ?? ""));
  show(title.children[1], !isLone);
  const notes = (data.notes ?? []).map((text) => el("p", { class: "report-note" }, text));
  root.replaceChildren(title, ...notes, contents(data) || "", ...comparisons(data.runs ?? []), ...views.map(({ element }) => element));
  addEventListener("hashchange", () => routeReport(views));
  if (location.protocol === "about:") addEventListener("click", keepInFrame);
  routeReport(views);
}

const reported = document.getElementById("data");
if (reported) {
  const root = document.querySelector("main") ?? document.body.appendChild(document.createElement("main"));
  startReport(root, JSON.parse(reported.textContent));
}
