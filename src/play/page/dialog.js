// Makes the dialogs, forms and buttons of the page.

import { el, svg, uniqueId } from "./dom.js";

const ICONS = {
  close: "M3.5 3.5l9 9M12.5 3.5l-9 9",
  undo: "M6 3L2.5 6.5 6 10M2.5 6.5H10a3.5 3.5 0 0 1 0 7H7",
  redo: "M10 3l3.5 3.5L10 10M13.5 6.5H6a3.5 3.5 0 0 0 0 7h3",
  again: "M13 8a5 5 0 1 1-1.6-3.7M13 2v3h-3",
  hint: "M6 13.5h4M6.5 11.5C6.5 9.5 4.5 9 4.5 6.2a3.5 3.5 0 0 1 7 0c0 2.8-2 3.3-2 5.3z",
  marks: "M2 8s2.2-4 6-4 6 4 6 4-2.2 4-6 4-6-4-6-4zM8 6.4a1.6 1.6 0 1 1 0 3.2 1.6 1.6 0 0 1 0-3.2z",
  play: "M4.5 2.5v11L13 8z",
  pause: "M5 3v10M11 3v10",
  back: "M12 3v10L5 8zM3.5 3v10",
  previous: "M10 3L5 8l5 5",
  next: "M6 3l5 5-5 5",
  rules: "M5.5 4h8.5M5.5 8h8.5M5.5 12h8.5M2 4h1M2 8h1M2 12h1",
  forward: "M4 3v10l7-5zM12.5 3v10",
  stop: "M3 3h10v10H3z",
  end: "M2.5 3.5v9L7 8zM7.5 3.5v9L12 8zM13.5 3.5v9",
  search: "M7 2.5a4.5 4.5 0 1 1 0 9 4.5 4.5 0 0 1 0-9zM10.5 10.5L14 14",
  add: "M8 3v10M3 8h10",
  day: "M2.5 3.5h11v10h-11zM2.5 6.5h11M5.5 2v3M10.5 2v3",
  open: "M2.5 12.5v-9h4l1.5 2h5.5v7z",
  share: "M8 10V2M5 4.5L8 2l3 2.5M3.5 7.5v6h9v-6",
  settings: "M2 4.5h7M12 4.5h2M9 3v3M2 11.5h2M7 11.5h7M5.5 10v3",
};

/** @param {string} path in a square of 16 x 16 @returns {SVGElement} */
export const outline = (path) => svg("svg", { class: "icon", viewBox: "0 0 16 16", "aria-hidden": "true" }, svg("path", { d: path }));

/** @param {string} name @returns {SVGElement} */
export const icon = (name) => outline(ICONS[name]);

/**
 * A button with an icon and words. `key` is shown and announced, not handled. With `aria-disabled`, clicks do nothing.
 * @param {string} name of the icon
 * @param {string} text
 * @param {() => void} click
 * @param {{key?: string, name?: string, isBare?: boolean}} [options] `name`: a further class; `isBare`: only the icon
 * @returns {HTMLElement}
 */
export function iconButton(name, text, click, { key, name: style = "", isBare = false } = {}) {
  const label = key ? `${text} (${key})` : text;
  const words = isBare ? null : el("span", {}, text);
  const hint = key && !isBare ? el("kbd", { "aria-hidden": "true" }, key) : null;
  const act = (event) => {
    if (event.currentTarget.getAttribute("aria-disabled") !== "true") click();
  };
  return el("button", {
    type: "button", class: `button ${isBare ? "bare" : ""} ${style}`, title: isBare ? label : null,
    "aria-label": isBare ? text : null, "aria-keyshortcuts": key, on: { click: act },
  }, icon(name), words, hint);
}

/** A number with its digits in groups of three. @param {number} number @returns {string} */
export const grouped = (number) => number.toLocaleString("en-GB");

/** A number with its unit. @param {number} number @param {string} unit in the plural @returns {string} */
export const plural = (number, unit) =>
  `${grouped(number)} ${number === 1 ? unit.replace(/^(\w+)s\b/, "$1") : unit}`;

/** Whether a node uses the keys that are pressed in it, as a text field does. @param {EventTarget} node */
export const isForTyping = (node) => node instanceof Element && node.closest("input:not([type=range]), textarea, select, dialog");

/**
 * Focuses the first field, so that Enter submits the form. Touch screens are excepted: their keyboard would cover the
 * dialog.
 */
function focusFirst(body) {
  if (matchMedia("(pointer: coarse)").matches) return;
  [...body.querySelectorAll("input, select, textarea")].find((node) => node.checkVisibility())?.focus();
}

/**
 * Opens a dialog over the page. A click outside, its close button and Escape close it.
 * @param {string} title
 * @param {(close: () => void) => (Node|string)[]} contentOf
 * @returns {HTMLDialogElement}
 */
export function openDialog(title, contentOf) {
  const id = uniqueId("dialog");
  const close = () => element.close();
  const head = el("div", { class: "dialog-head" }, el("h2", { id }, title),
    iconButton("close", "Close", close, { isBare: true }));
  const element = el("dialog", { "aria-labelledby": id }, el("div", { class: "dialog-body" }, head, ...contentOf(close).filter(Boolean)));
  element.addEventListener("click", (event) => event.target === element && close());
  element.addEventListener("close", () => element.remove());
  document.body.append(element);
  element.showModal();
  focusFirst(element);
  return element;
}

/** @param {string} label @param {HTMLElement} input @param {string} [note] @returns {HTMLElement} */
export function field(label, input, note) {
  return el("label", { class: "field" }, el("span", { class: "field-name" }, label), input,
    note ? el("span", { class: "field-note" }, note) : null);
}

/** @param {Object<string, any>} props @returns {HTMLInputElement} */
export function numberInput(props) {
  return el("input", { type: "number", inputmode: "numeric", step: 1, required: true, ...props });
}

/**
 * @param {[string, string][]} options values and texts
 * @param {string} value
 * @param {(value: string) => void} [change]
 * @returns {HTMLSelectElement}
 */
export function select(options, value, change) {
  const element = el("select", {}, ...options.map(([code, text]) => el("option", { value: code }, text)));
  element.value = value;
  if (change) element.addEventListener("change", () => change(element.value));
  return element;
}

/**
 * A form that shows the error if its action fails.
 * @param {(Node|string)[]} children
 * @param {string} action the text of its button
 * @param {() => Promise<void>} act
 * @returns {HTMLElement}
 */
export function form(children, action, act) {
  const problem = el("p", { class: "problem", role: "alert", hidden: true });
  async function submit(event) {
    event.preventDefault();
    try {
      await act();
      problem.hidden = true;
    } catch (error) {
      problem.textContent = error.message;
      problem.hidden = false;
    }
  }
  return el("form", { on: { submit } }, ...children, problem,
    el("div", { class: "dialog-actions" }, el("button", { type: "submit", class: "button strong" }, action)));
}
