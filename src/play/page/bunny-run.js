// The controls of a run of a program: run, pause, step, back, stop, to the end, speed.

import { el, setText } from "./dom.js";
import { grouped, icon, iconButton, plural } from "./dialog.js";
import { load, save } from "./storage.js";

/** Steps per second, for each value of the speed slider. */
const RATES = [1, 2, 3, 5, 8, 12, 25, 60, 240, 1000];
const MIN_TICK_MILLISECONDS = 16;
/** Above this rate (steps per second), steps are not animated. */
const MAX_ANIMATED_RATE = 12;

/**
 * The controls of a run. `onStep(at, milliseconds, isRunning)` is called with the step to show, and the duration of its
 * animation (0: none).
 * @param {{onStep: Function, onEnd: () => void}} options
 */
export function runBar({ onStep, onEnd }) {
  const state = { at: 0, last: 0, timer: 0, isRunning: false, hasTotal: false };
  const button = (name, text, key, act) => {
    const node = iconButton(name, text, act, { isBare: true });
    node.setAttribute("aria-keyshortcuts", key);
    node.title = `${text} (${key})`;
    return node;
  };
  const runButton = button("play", "Run", "p", toggle);
  runButton.classList.add("strong");
  runButton.id = "run";
  const buttons = {
    stop: button("stop", "Stop: back to the start", "s", () => seek(0)),
    back: button("back", "One step back", ",", () => seek(state.at - 1)),
    step: button("forward", "One step", ".", () => seek(state.at + 1, true)),
    end: button("end", "To the end", "e", () => seek(state.last)),
  };
  const slider = el("input", { type: "range", min: 0, max: 0, step: 1, value: 0, "aria-label": "Step", class: "run-step",
    on: { input: () => seek(Number(slider.value)) } });
  const place = el("span", { class: "place", id: "run-place" });
  const speed = el("input", { type: "range", min: 0, max: RATES.length - 1, step: 1, id: "speed",
    value: load("bunny.speed") ?? 3, on: { input: onSpeed } });
  const element = el("div", { class: "run-bar", role: "group", "aria-label": "Run" },
    el("div", { class: "run-buttons" }, buttons.stop, buttons.back, runButton, buttons.step, buttons.end),
    el("label", { class: "run-speed" }, el("span", { class: "label" }, "Speed"), speed),
    el("div", { class: "run-place" }, slider, place));
  const rate = () => RATES[Number(speed.value)];

  function onSpeed() {
    speed.setAttribute("aria-valuetext", `${plural(rate(), "steps")} a second`);
    speed.title = speed.getAttribute("aria-valuetext");
    save("bunny.speed", Number(speed.value));
  }
  /** Sets whether the number of all steps is shown beside the current step. */
  function showTotal(hasTotal) {
    state.hasTotal = hasTotal;
    setText(place, [state.at, ...(hasTotal ? [state.last] : [])].map(grouped).join(" / "));
  }
  function enable() {
    showTotal(state.hasTotal);
    runButton.replaceChildren(icon(state.isRunning ? "pause" : "play"));
    runButton.setAttribute("aria-label", state.isRunning ? "Pause" : "Run");
    const allowed = { stop: state.at > 0, back: state.at > 0, step: state.at < state.last, end: state.at < state.last };
    for (const [name, isAllowed] of Object.entries(allowed)) buttons[name].setAttribute("aria-disabled", String(!isAllowed));
    runButton.setAttribute("aria-disabled", String(state.last === 0));
  }
  function go(at, milliseconds) {
    state.at = Math.max(0, Math.min(state.last, at));
    slider.value = String(state.at);
    enable();
    onStep(state.at, milliseconds, state.isRunning);
  }
  function pause() {
    clearTimeout(state.timer);
    state.isRunning = false;
    enable();
  }
  function seek(at, isHop = false) {
    pause();
    if (at !== state.at) go(at, isHop ? 180 : 0);
  }
  function tick() {
    if (!state.isRunning) return;
    if (!element.isConnected) return pause();
    const wait = Math.max(MIN_TICK_MILLISECONDS, 1000 / rate());
    const steps = Math.max(1, Math.round((rate() * wait) / 1000));
    if (state.at + steps >= state.last) state.isRunning = false;
    go(state.at + steps, rate() <= MAX_ANIMATED_RATE ? Math.min(260, wait * 0.8) : 0);
    if (state.isRunning) state.timer = setTimeout(tick, wait);
    else onEnd();
  }
  function run() {
    if (state.last === 0) return;
    if (state.at === state.last) go(0, 0);
    state.isRunning = true;
    enable();
    clearTimeout(state.timer);
    tick();
  }
  function toggle() {
    if (state.isRunning) pause();
    else run();
  }
  /** Sets the number of steps, and goes to the start. */
  function reset(last) {
    pause();
    state.last = last;
    slider.max = String(last);
    go(0, 0);
  }
  const actions = { p: toggle, " ": toggle, s: () => seek(0), ",": () => seek(state.at - 1), ".": () => seek(state.at + 1, true),
    e: () => seek(state.last) };
  /** Handles a key. @returns {boolean} whether the key has an action here */
  function onKey({ key }) {
    const act = actions[key.toLowerCase()];
    act?.();
    return Boolean(act);
  }
  onSpeed();
  enable();
  return { element, reset, showTotal, run, pause, seek, onKey, at: () => state.at };
}
