// Builds elements and keeps lists of them up to date without replacing what has not changed, so that focus, scroll
// and selections stay while events arrive.

const SVG = "http://www.w3.org/2000/svg";
const partsOf = new WeakMap();
let ids = 0;

/** A text of the program, as pages write it. */
export function pageText(text) {
  return text.replaceAll("<=", "≤").replaceAll(">=", "≥");
}

function fill(node, props, children) {
  for (const [name, value] of Object.entries(props ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name === "on") for (const [event, act] of Object.entries(value)) node.addEventListener(event, act);
    else node.setAttribute(name, value === true ? "" : value);
  }
  const parts = children.flat().filter((child) => child !== undefined && child !== null && child !== false);
  node.append(...parts.map((part) => (typeof part === "string" ? pageText(part) : part)));
  return node;
}

/**
 * An HTML element. `props` are attributes; `on` holds listeners by event. Children are nodes or texts.
 * @param {string} tag
 * @param {Object<string, any>} [props]
 * @param {...(Node|string)} children
 * @returns {HTMLElement}
 */
export function el(tag, props, ...children) {
  return fill(document.createElement(tag), props, children);
}

/**
 * An SVG element, as `el`.
 * @param {string} tag
 * @param {Object<string, any>} [props]
 * @param {...(Node|string)} children
 * @returns {SVGElement}
 */
export function svg(tag, props, ...children) {
  return fill(document.createElementNS(SVG, tag), props, children);
}

/** An identifier that no other element has. @param {string} stem @returns {string} */
export function uniqueId(stem) {
  ids += 1;
  return `${stem}-${ids}`;
}

/** Sets the text of a node if it differs. @param {Node} node @param {string} [text] */
export function setText(node, text = "") {
  const shown = pageText(text);
  if (node.textContent !== shown) node.textContent = shown;
}

/** Shows or hides an element. @param {HTMLElement} node @param {boolean} isShown */
export function show(node, isShown) {
  if (node.hidden === isShown) node.hidden = !isShown;
}

/**
 * Makes the children of `parent` those of `items`, in this order. `make` gives `{node, update}`; a child whose key
 * was there before stays, and only its `update` is called.
 * @param {Element} parent whose children all come from this function
 * @param {any[]} items
 * @param {(item: any) => string} keyOf
 * @param {(item: any) => {node: Element, update?: (item: any) => void}} make
 */
export function reconcile(parent, items, keyOf, make) {
  const before = partsOf.get(parent) ?? new Map();
  const after = new Map();
  for (const item of items) {
    let key = keyOf(item);
    while (after.has(key)) key += "+";
    const part = before.get(key) ?? make(item);
    part.update?.(item);
    after.set(key, part);
  }
  for (const [key, part] of before) if (!after.has(key)) part.node.remove();
  let at = parent.firstElementChild;
  for (const { node } of after.values()) {
    if (node === at) at = at.nextElementSibling;
    else parent.insertBefore(node, at);
  }
  partsOf.set(parent, after);
}

/**
 * A list of names and values. `update` takes pairs; pairs without a value are left out.
 * @returns {{element: HTMLElement, update: (pairs: [string, any][]) => void}}
 */
export function factList() {
  const element = el("dl", { class: "facts" });
  const make = ([name]) => {
    const value = el("dd");
    return { node: el("div", {}, el("dt", {}, name), value), update: (pair) => setText(value, String(pair[1])) };
  };
  const isKnown = ([, value]) => ![undefined, null, false, ""].includes(value);
  return { element, update: (pairs) => reconcile(element, pairs.filter(isKnown), ([name]) => name, make) };
}

/**
 * A table with a head and a body.
 * @param {string} name class
 * @param {string[]} head
 * @param {(column: number) => boolean} isNumber
 * @param {Element} body
 * @returns {HTMLElement}
 */
export function tableOf(name, head, isNumber, body) {
  const heads = head.map((text, column) => el("th", { scope: "col", class: isNumber(column) ? "n" : null }, text));
  return el("table", { class: name }, el("thead", {}, el("tr", {}, ...heads)), body);
}

/**
 * A table of numbers. `update` takes items, of which `textsOf` gives the cells.
 * @param {string[]} head
 * @param {(item: any, index: number) => string[]} textsOf
 * @returns {{element: HTMLElement, update: (items: any[]) => void}}
 */
export function numberTable(head, textsOf) {
  const body = el("tbody");
  function row() {
    const cells = head.map(() => el("td", { class: "n" }));
    const update = ({ texts }) => texts.forEach((text, column) => setText(cells[column], text));
    return { node: el("tr", {}, ...cells), update };
  }
  const update = (items) =>
    reconcile(body, items.map((item, at) => ({ at, texts: textsOf(item, at) })), ({ at }) => String(at), row);
  return { element: tableOf("", head, () => true, body), update };
}

/**
 * A section with a heading.
 * @param {string} title
 * @param {string} [name] class
 * @param {...(Node|string)} children
 * @returns {HTMLElement}
 */
export function panel(title, name, ...children) {
  const id = uniqueId("h");
  return el("section", { class: `panel ${name ?? ""}`, "aria-labelledby": id }, el("h3", { id }, title), ...children);
}

/**
 * A box that scrolls by itself and that the keyboard reaches.
 * @param {string} label
 * @param {...Node} children
 * @returns {HTMLElement}
 */
export function scroller(label, ...children) {
  return el("div", { class: "scroller", tabindex: "0", role: "region", "aria-label": label }, ...children);
}

/**
 * Remembers a choice of the reader, as far as the browser allows it.
 * @param {string} name
 * @param {string} [value] to be stored; without one, the stored value is only read
 * @returns {string|null}
 */
export function choice(name, value) {
  try {
    if (value !== undefined) localStorage.setItem(`gridhunt.${name}`, value);
    return localStorage.getItem(`gridhunt.${name}`);
  } catch {
    return null;
  }
}
