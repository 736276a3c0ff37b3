// Start, stop and resume of hunts. Each asks first, in the page.

import { el, setText, show, reconcile, uniqueId } from "./dom.js";

/**
 * Asks whether something shall be done.
 * @param {string} question
 * @param {string} yes what the button that does it says
 * @returns {Promise<boolean>}
 */
export function confirmed(question, yes) {
  return new Promise((resolve) => {
    const id = uniqueId("question");
    const no = el("button", { type: "button", on: { click: () => dialog.close() } }, "no");
    const does = el("button", { type: "button", class: "strong", on: { click: () => dialog.close("yes") } }, yes);
    const dialog = el("dialog", { "aria-labelledby": id },
      el("p", { id }, question), el("p", { class: "row" }, no, does));
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(dialog.returnValue === "yes");
    });
    document.body.append(dialog);
    dialog.showModal();
    no.focus();
  });
}

/** A message about the result of an order. */
function outcome() {
  const element = el("p", { class: "outcome", role: "status" });
  async function of(work) {
    setText(element, "...");
    try {
      setText(element, (await work()).message ?? "done");
      element.classList.remove("problem");
    } catch (error) {
      setText(element, error.message);
      element.classList.add("problem");
    }
  }
  return { element, of };
}

/**
 * Buttons of a run: stop while a process searches, resume otherwise.
 * @param {(what: "stop"|"resume") => Promise<{message: string}>} act
 * @returns {{element: HTMLElement, update: (run: object, isAllowed: boolean) => void}}
 */
export function runControl(act) {
  const said = outcome();
  const name = { text: "" };
  const wish = (what, question) => async () => {
    if (await confirmed(question(), what)) await said.of(() => act(what));
  };
  const stop = el("button", { type: "button", on: { click: wish("stop",
    () => `Stop ${name.text}? The search ends with a last checkpoint.`) } }, "stop");
  const resume = el("button", { type: "button", on: { click: wish("resume",
    () => `Resume ${name.text}? The search goes on from its last checkpoint.`) } }, "resume");
  const element = el("div", { class: "actions" }, stop, resume, said.element);
  function update(run, isAllowed) {
    name.text = run.name;
    show(stop, isAllowed && Boolean(run.active));
    show(resume, isAllowed && !run.active && run.state !== "finished" && !run.error);
    show(element, isAllowed);
  }
  return { element, update };
}

/**
 * A choice of configurations, and a button that begins a hunt with one.
 * @param {(config: string) => Promise<{message: string}>} begin
 * @returns {{element: HTMLElement, update: (configs: string[], isAllowed: boolean) => void}}
 */
export function huntControl(begin) {
  const said = outcome();
  const choices = el("select", {});
  async function click() {
    const config = choices.value;
    if (config && await confirmed(`Begin a hunt with ${config}?`, "begin")) await said.of(() => begin(config));
  }
  const button = el("button", { type: "button", on: { click } }, "begin");
  const label = el("label", {}, "new hunt ", choices);
  const element = el("div", { class: "actions" }, label, button, said.element);
  function update(configs, isAllowed) {
    reconcile(choices, configs, (name) => name, (name) => ({ node: el("option", { value: name }, name) }));
    show(element, isAllowed && configs.length > 0);
  }
  return { element, update };
}
