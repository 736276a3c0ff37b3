// Plays a film: play, pause, step, slider, speed; and the panel of a film of moves.

import { el, setText } from "./dom.js";
import { icon, iconButton, select } from "./dialog.js";

const SPEEDS = [["0.5", "½×"], ["1", "1×"], ["2", "2×"], ["4", "4×"], ["8", "8×"]];

/**
 * The controls of a film. `onFrame(at)` is called with the index of the frame to show.
 * @param {{milliseconds: number, onFrame: (at: number) => void}} options
 * @returns {{element: HTMLElement, extend: (last: number, isEnded?: boolean) => void, play: () => void,
 *   stop: () => void, step: (by: number) => void}}
 */
export function playerBar({ milliseconds, onFrame }) {
  const state = { at: 0, last: 0, timer: 0, isPlaying: false, waits: false };
  const playButton = iconButton("play", "Play", toggle, { isBare: true, name: "play-button" });
  const slider = el("input", { type: "range", min: 0, max: 0, step: 1, value: 0, "aria-label": "Step",
    on: { input: () => seek(Number(slider.value)) } });
  const place = el("span", { class: "place" });
  const speed = select(SPEEDS, "1");
  speed.setAttribute("aria-label", "Speed");
  const element = el("div", { class: "player" },
    iconButton("back", "One step back", () => step(-1), { isBare: true }), playButton,
    iconButton("forward", "One step on", () => step(1), { isBare: true }), slider, place, speed);

  function showButton() {
    playButton.replaceChildren(icon(state.isPlaying ? "pause" : "play"));
    playButton.setAttribute("aria-label", state.isPlaying ? "Pause" : "Play");
  }
  function go(at) {
    state.at = Math.max(0, Math.min(state.last, at));
    slider.value = String(state.at);
    setText(place, `${state.at} / ${state.last}`);
    onFrame(state.at);
  }
  function seek(at) {
    stop();
    go(at);
  }
  function step(by) {
    seek(state.at + by);
  }
  function stop() {
    clearTimeout(state.timer);
    Object.assign(state, { isPlaying: false, waits: false });
    showButton();
  }
  function tick() {
    if (!state.isPlaying) return;
    if (!element.isConnected) return stop();
    if (state.at < state.last) go(state.at + 1);
    state.waits = state.at === state.last;
    if (!state.waits) state.timer = setTimeout(tick, milliseconds / Number(speed.value));
    else if (state.isEnded) stop();
  }
  function play() {
    if (state.at === state.last && state.isEnded) go(0);
    Object.assign(state, { isPlaying: true, waits: false });
    showButton();
    clearTimeout(state.timer);
    state.timer = setTimeout(tick, milliseconds / Number(speed.value));
  }
  function toggle() {
    if (state.isPlaying) stop();
    else play();
  }
  /** Sets the last frame. Unless `isEnded`, a playing film waits there for more frames. */
  function extend(last, isEnded = true) {
    Object.assign(state, { last, isEnded });
    slider.max = String(last);
    setText(place, `${state.at} / ${last}`);
    if (state.isPlaying && state.waits) tick();
  }
  return { element, extend, play, stop, step };
}

/**
 * The panel of a film of moves.
 * @param {{title: string, note: string, before: string[], moves: string[], show: (moves: string[]) => Promise<object>,
 *   close: () => void, adopt: (moves: string[]) => void, other: ?{text: string, click: () => void}}} film `other`: the
 *   button of another film
 */
export function movesFilm({ title, note, before, moves, other, show, close, adopt }) {
  const caption = el("p", { class: "caption", role: "status" });
  const [played, remaining] = [el("span", { class: "made" }), el("span", {}, moves.join(" "))];
  const state = { at: 0 };
  const upTo = (at) => [...before, ...moves.slice(0, at)];
  const bar = playerBar({ milliseconds: 520, onFrame: showFrame });
  async function showFrame(at) {
    state.at = at;
    setText(played, moves.slice(0, at).join(" "));
    setText(remaining, `${at > 0 && at < moves.length ? " " : ""}${moves.slice(at).join(" ")}`);
    const view = await show(upTo(at));
    if (view && state.at === at) setText(caption, view.caption);
  }
  const element = el("section", { class: "film", "aria-label": title },
    el("h2", {}, title), el("p", { class: "note" }, note), bar.element, caption,
    el("p", { class: "film-moves", id: "film-moves" }, played, remaining),
    el("div", { class: "actions" },
      iconButton("close", "Back to my game", () => close(), { key: "Esc" }),
      iconButton("play", "Go on from here", () => adopt(upTo(state.at))),
      other ? iconButton("again", other.text, other.click) : null));
  bar.extend(moves.length);
  const start = () => {
    showFrame(0);
    bar.play();
  };
  return { element, bar, start };
}
