// The controls of a run: run, pause, step, back, stop, to the end, speed.

import { el, setText, svg } from "./dom.js";
import { iconButton } from "./dialog.js";
import { load, save } from "./storage.js";

const ICONS = {
  run: "M4.5 2.5v11L13 8z", pause: "M5 3v10M11 3v10", stop: "M3 3h10v10H3z", back: "M12 3v10L5 8zM3.5 3v10",
  step: "M4 3v10l7-5zM12.5 3v10", end: "M2.5 3.5v9L7 8zM7.5 3.5v9L12 8zM13.5 3.5v9",
};
const face = (name) => svg("svg", { class: "icon", viewBox: "0 0 16 16", "aria-hidden": "true" },
  svg("path", { d: ICONS[name] }));

/** Steps a second, by the place of the speed slider. */
const RATES = [1, 2, 3, 5, 8, 12, 25, 60, 240, 1000];
const LEAST_TICK = 16;
/** Above this rate, steps are not animated. */
const MOST_HOPS = 12;

/**
 * The controls of a run. `shows(at, milliseconds, isRunning)` is called with the step to be shown, and the time that a
 * hop may take.
 * @param {{shows: Function, ends: () => void}} options
 */
export function runBar({ shows, ends }) {
  const now = { at: 0, last: 0, timer: 0, isRunning: false, isTold: false };
  const button = (name, text, key, act) => {
    const node = iconButton("play", text, act, { isBare: true });
    node.replaceChildren(face(name));
    node.setAttribute("aria-keyshortcuts", key);
    node.title = `${text} (${key})`;
    return node;
  };
  const runButton = button("run", "Run", "p", toggle);
  runButton.classList.add("strong");
  runButton.id = "run";
  const buttons = {
    stop: button("stop", "Stop: back to the start", "s", () => seek(0)),
    back: button("back", "One step back", ",", () => seek(now.at - 1)),
    step: button("step", "One step", ".", () => seek(now.at + 1, true)),
    end: button("end", "To the end", "e", () => seek(now.last)),
  };
  const slider = el("input", { type: "range", min: 0, max: 0, step: 1, value: 0, "aria-label": "Step", class: "run-step",
    on: { input: () => seek(Number(slider.value)) } });
  const place = el("span", { class: "place", id: "run-place" });
  const speed = el("input", { type: "range", min: 0, max: RATES.length - 1, step: 1, id: "speed",
    value: load("bunny.speed") ?? 3, on: { input: tellSpeed } });
  const element = el("div", { class: "run-bar", role: "group", "aria-label": "Run" },
    el("div", { class: "run-buttons" }, buttons.stop, buttons.back, runButton, buttons.step, buttons.end),
    el("label", { class: "run-speed" }, el("span", { class: "label" }, "Speed"), speed),
    el("div", { class: "run-place" }, slider, place));
  const rate = () => RATES[Number(speed.value)];

  function tellSpeed() {
    speed.setAttribute("aria-valuetext", `${rate()} ${rate() === 1 ? "step" : "steps"} a second`);
    speed.title = speed.getAttribute("aria-valuetext");
    save("bunny.speed", Number(speed.value));
  }
  /** Whether the number of all steps shows. */
  function tell(isTold) {
    now.isTold = isTold;
    setText(place, [now.at, ...(isTold ? [now.last] : [])].map((number) => number.toLocaleString("en-GB")).join(" / "));
  }
  function enable() {
    tell(now.isTold);
    runButton.replaceChildren(face(now.isRunning ? "pause" : "run"));
    runButton.setAttribute("aria-label", now.isRunning ? "Pause" : "Run");
    const allowed = { stop: now.at > 0, back: now.at > 0, step: now.at < now.last, end: now.at < now.last };
    for (const [name, isAllowed] of Object.entries(allowed)) buttons[name].setAttribute("aria-disabled", String(!isAllowed));
    runButton.setAttribute("aria-disabled", String(now.last === 0));
  }
  function go(at, milliseconds) {
    now.at = Math.max(0, Math.min(now.last, at));
    slider.value = String(now.at);
    enable();
    shows(now.at, milliseconds, now.isRunning);
  }
  function pause() {
    clearTimeout(now.timer);
    now.isRunning = false;
    enable();
  }
  function seek(at, isHop = false) {
    pause();
    if (at !== now.at) go(at, isHop ? 180 : 0);
  }
  function tick() {
    if (!now.isRunning) return;
    if (!element.isConnected) return pause();
    const wait = Math.max(LEAST_TICK, 1000 / rate());
    const many = Math.max(1, Math.round((rate() * wait) / 1000));
    if (now.at + many >= now.last) now.isRunning = false;
    go(now.at + many, rate() <= MOST_HOPS ? Math.min(260, wait * 0.8) : 0);
    if (now.isRunning) now.timer = setTimeout(tick, wait);
    else ends();
  }
  function run() {
    if (now.last === 0) return;
    if (now.at === now.last) go(0, 0);
    now.isRunning = true;
    enable();
    clearTimeout(now.timer);
    tick();
  }
  function toggle() {
    if (now.isRunning) pause();
    else run();
  }
  /** Takes a run of so many steps; shows its start. */
  function take(last) {
    pause();
    now.last = last;
    slider.max = String(last);
    go(0, 0);
  }
  const acts = { p: toggle, " ": toggle, s: () => seek(0), ",": () => seek(now.at - 1), ".": () => seek(now.at + 1, true),
    e: () => seek(now.last) };
  /** Does what a key means. @returns {boolean} whether the key means anything here */
  function onKey({ key }) {
    const act = acts[key.toLowerCase()];
    act?.();
    return Boolean(act);
  }
  tellSpeed();
  enable();
  return { element, take, tell, run, pause, seek, onKey, at: () => now.at };
}
