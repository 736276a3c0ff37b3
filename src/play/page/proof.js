// The certificate of an optimum: made and checked on the page, with the file to keep.

import { el, setText, show } from "./dom.js";

/** How long making a certificate may take, in seconds. */
const PATIENCE = 120;

const bytesOf = (hex) => Uint8Array.from(hex.match(/../g), (byte) => parseInt(byte, 16));

/** A line that offers the proof of a board's optimum. `ask` asks the solver. */
export function proofLine(ask) {
  const button = el("button", { type: "button", class: "button small", on: { click: () => prove() } }, "Check the proof");
  const [said, file] = [el("span"), el("a", { hidden: true })];
  const element = el("p", { class: "note", id: "proof", hidden: true }, button, said, file);
  let shown = null;

  async function prove() {
    const asked = shown;
    show(button, false);
    setText(said, "Making a certificate …");
    try {
      const { claim, seconds, certificate } = await ask({ ask: "certify", ...asked, seconds: PATIENCE });
      if (asked !== shown) return;
      setText(said, `Proven, checked here in ${Math.max(1, Math.round(seconds * 1000))} ms: `);
      const name = `${(asked.game.name || "board").replace(/[^\w.#-]/g, "_")}.cert`;
      Object.assign(file, { href: URL.createObjectURL(new Blob([bytesOf(certificate)])), download: name, title: claim });
      setText(file, name);
      show(file, true);
    } catch (error) {
      if (asked === shown) setText(said, error.message);
    }
  }
  /** Offers the proof of what is known of the board of a game; of nothing without `known`. */
  function update(game, known) {
    if (shown?.game === game && shown.known.held === known?.held) return;
    if (file.href) URL.revokeObjectURL(file.href);
    file.removeAttribute("href");
    shown = known && { game, known };
    setText(said, "");
    show(file, false);
    show(button, true);
    show(element, Boolean(known));
  }
  return { element, update };
}
