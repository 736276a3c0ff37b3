// The certificate of an optimum: made and checked on the page, with the file to keep.

import { el, setText, show } from "./dom.js";

/** The time limit for making a certificate, in seconds. */
const SECONDS = 120;

const bytesOf = (hex) => Uint8Array.from(hex.match(/../g), (byte) => parseInt(byte, 16));

/** A line that makes, checks and offers the certificate of a board. */
export function proofLine(ask) {
  const button = el("button", { type: "button", class: "button small", on: { click: () => prove() } }, "Check the proof");
  const [text, file] = [el("span"), el("a", { hidden: true })];
  const element = el("p", { class: "note", id: "proof", hidden: true }, button, text, file);
  let board = null;

  async function prove() {
    const asked = board;
    show(button, false);
    setText(text, "Making a certificate …");
    try {
      const { claim, seconds, certificate } = await ask({ ask: "certify", ...asked, seconds: SECONDS });
      if (asked !== board) return;
      setText(text, `Proven, checked here in ${Math.max(1, Math.round(seconds * 1000))} ms: `);
      const name = `${(asked.game.name || "board").replace(/[^\w.#-]/g, "_")}.cert`;
      Object.assign(file, { href: URL.createObjectURL(new Blob([bytesOf(certificate)])), download: name, title: claim });
      setText(file, name);
      show(file, true);
    } catch (error) {
      if (asked === board) setText(text, error.message);
    }
  }
  /** Offers the certificate of what is `known` of a game's board; hides the line if nothing is. */
  function update(game, known) {
    if (board?.game === game && board.known.held === known?.held) return;
    if (file.href) URL.revokeObjectURL(file.href);
    file.removeAttribute("href");
    board = known && { game, known };
    setText(text, "");
    show(file, false);
    show(button, true);
    show(element, Boolean(known));
  }
  return { element, update };
}
