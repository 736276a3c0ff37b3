// Makes and checks the certificate of an optimum on the page, and offers the file.

import { el, setText, show } from "./dom.js";

/** The time limit for making a certificate, in seconds. */
const TIME_LIMIT = 120;

const bytesOf = (hex) => Uint8Array.from(hex.match(/../g), (byte) => parseInt(byte, 16));

/** A line that makes, checks and offers the certificate of a board. */
export function proofLine(ask) {
  const button = el("button", { type: "button", class: "button small", on: { click: () => prove() } }, "Check the proof");
  const [text, file] = [el("span"), el("a", { hidden: true })];
  const element = el("p", { class: "note", id: "proof", hidden: true }, button, text, file);
  let board = null;

  async function prove() {
    const provedBoard = board;
    show(button, false);
    setText(text, "Making a certificate …");
    try {
      const { claim, seconds, certificate } = await ask({ ask: "certify", ...provedBoard, seconds: TIME_LIMIT });
      if (provedBoard !== board) return;
      setText(text, `Proven, checked here in ${Math.max(1, Math.round(seconds * 1000))} ms: `);
      const name = `${(provedBoard.game.name || "board").replace(/[^\w.#-]/g, "_")}.cert`;
      Object.assign(file, { href: URL.createObjectURL(new Blob([bytesOf(certificate)])), download: name, title: claim });
      setText(file, name);
      show(file, true);
    } catch (error) {
      if (provedBoard === board) setText(text, error.message);
    }
  }
  /** Offers the certificate of a game's optimum `known`; hides the line if there is none. */
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
