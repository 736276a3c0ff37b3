// Shows moves one after the other: play, pause, step, slider, speed.

import { el, setText } from "./dom.js";
import { icon, iconButton, select } from "./dialog.js";

const SPEEDS = [["0.5", "½×"], ["1", "1×"], ["2", "2×"], ["4", "4×"], ["8", "8×"]];

/**
 * The controls of a film. `shows(at)` is called with the frame to be shown.
 * @param {{milliseconds: number, shows: (at: number) => void}} options
 * @returns {{element: HTMLElement, extend: (last: number, isEnded?: boolean) => void, play: () => void,
 *   stop: () => void, step: (by: number) => void}}
 */
export function playerBar({ milliseconds, shows }) {
  const now = { at: 0, last: 0, timer: 0, isPlaying: false, waits: false };
  const playButton = iconButton("play", "Play", toggle, { isBare: true, name: "play-button" });
  const slider = el("input", { type: "range", min: 0, max: 0, step: 1, value: 0, "aria-label": "Step",
    on: { input: () => seek(Number(slider.value)) } });
  const place = el("span", { class: "place" });
  const speed = select(SPEEDS, "1");
  speed.setAttribute("aria-label", "Speed");
  const element = el("div", { class: "player" },
    iconButton("back", "One step back", () => step(-1), { isBare: true }), playButton,
    iconButton("forward", "One step on", () => step(1), { isBare: true }), slider, place, speed);

  function face() {
    playButton.replaceChildren(icon(now.isPlaying ? "pause" : "play"));
    playButton.setAttribute("aria-label", now.isPlaying ? "Pause" : "Play");
  }
  function go(at) {
    now.at = Math.max(0, Math.min(now.last, at));
    slider.value = String(now.at);
    setText(place, `${now.at} / ${now.last}`);
    shows(now.at);
  }
  function seek(at) {
    stop();
    go(at);
  }
  function step(by) {
    seek(now.at + by);
  }
  function stop() {
    clearTimeout(now.timer);
    Object.assign(now, { isPlaying: false, waits: false });
    face();
  }
  function tick() {
    if (!now.isPlaying) return;
    if (!element.isConnected) return stop();
    if (now.at < now.last) go(now.at + 1);
    now.waits = now.at === now.last;
    if (!now.waits) now.timer = setTimeout(tick, milliseconds / Number(speed.value));
    else if (now.isEnded) stop();
  }
  function play() {
    if (now.at === now.last && now.isEnded) go(0);
    Object.assign(now, { isPlaying: true, waits: false });
    face();
    clearTimeout(now.timer);
    now.timer = setTimeout(tick, milliseconds / Number(speed.value));
  }
  function toggle() {
    if (now.isPlaying) stop();
    else play();
  }
  /** The film has frames up to `last`. Until `isEnded`, a film that plays waits for more. */
  function extend(last, isEnded = true) {
    Object.assign(now, { last, isEnded });
    slider.max = String(last);
    setText(place, `${now.at} / ${last}`);
    if (now.isPlaying && now.waits) tick();
  }
  return { element, extend, play, stop, step };
}

/**
 * The panel of a film of moves.
 * @param {{title: string, note: string, before: string[], moves: string[], show: (moves: string[]) => Promise<object>,
 *   close: () => void, adopt: (moves: string[]) => void, other: ?{text: string, click: () => void}}} film `other` is a
 *   film to be watched instead
 */
export function movesFilm({ title, note, before, moves, other, show, close, adopt }) {
  const caption = el("p", { class: "caption", role: "status" });
  const [made, rest] = [el("span", { class: "made" }), el("span", {}, moves.join(" "))];
  const now = { at: 0 };
  const upTo = (at) => [...before, ...moves.slice(0, at)];
  const bar = playerBar({ milliseconds: 520, shows });
  async function shows(at) {
    now.at = at;
    setText(made, moves.slice(0, at).join(" "));
    setText(rest, `${at > 0 && at < moves.length ? " " : ""}${moves.slice(at).join(" ")}`);
    const view = await show(upTo(at));
    if (view && now.at === at) setText(caption, view.caption);
  }
  const element = el("section", { class: "film", "aria-label": title },
    el("h2", {}, title), el("p", { class: "note" }, note), bar.element, caption,
    el("p", { class: "film-moves", id: "film-moves" }, made, rest),
    el("div", { class: "actions" },
      iconButton("close", "Back to my game", () => close(), { key: "Esc" }),
      iconButton("play", "Go on from here", () => adopt(upTo(now.at))),
      other ? iconButton("again", other.text, other.click) : null));
  bar.extend(moves.length);
  const start = () => {
    shows(0);
    bar.play();
  };
  return { element, bar, start };
}
