// Asks the solver: a module in workers of this page, or the server that the page comes from.

/** An answer that says why there is no answer. `readings` are offered if an input has several; `at` is the place of
 * the fault in a program, in characters from 1; `isGone` says that nobody answers any more. */
export class AskError extends Error {
  constructor({ error, readings = [], at, isGone = false }) {
    super(error);
    Object.assign(this, { readings, at, isGone });
  }
}

/** Whether the page comes from the program, which also solves. Otherwise a module in the page solves. */
export const isServed = () => document.documentElement.dataset.solver === "server";

function parsed(text) {
  const answer = JSON.parse(text);
  if (answer.error !== undefined) throw new AskError(answer);
  return answer;
}

const aborted = () => new DOMException("The question was taken back.", "AbortError");

/** The memory of a search, in bytes: a part of what the device has, as far as the browser says it. */
const MEMORY = Math.min(4, navigator.deviceMemory ?? 2) * 2 ** 28;

/** A worker that answers one question after the other. */
class Desk {
  constructor(module) {
    this.worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
    this.open = new Map();
    this.ids = 0;
    this.worker.addEventListener("message", ({ data }) => this.#take(data));
    this.worker.addEventListener("error", () => this.#failAll("The solver could not be started. Load the page again."));
    this.worker.postMessage({ module });
  }
  #take({ id, event, answer, fault }) {
    const asked = this.open.get(id);
    if (!asked) return;
    if (event !== undefined) return void asked.onEvent?.(JSON.parse(event));
    this.open.delete(id);
    if (fault !== undefined) return asked.fail(new AskError({ error: `The solver failed: ${fault}` }));
    try {
      asked.done(parsed(answer));
    } catch (error) {
      asked.fail(error);
    }
  }
  #failAll(error) {
    for (const { fail } of this.open.values()) fail(new AskError({ error }));
    this.open.clear();
  }
  ask(question, onEvent) {
    this.ids += 1;
    const id = this.ids;
    return new Promise((done, fail) => {
      this.open.set(id, { done, fail, onEvent });
      this.worker.postMessage({ id, question: JSON.stringify(question) });
    });
  }
  close() {
    this.worker.terminate();
  }
}

async function compiled() {
  const response = await fetch(new URL("./gridhunt.wasm", import.meta.url));
  if (!response.ok) throw new AskError({ error: `The solver's module cannot be loaded: ${response.status}.` });
  const isTyped = response.headers.get("content-type") === "application/wasm";
  return isTyped ? WebAssembly.compileStreaming(response) : WebAssembly.compile(await response.arrayBuffer());
}

/** The module in workers: one for quick questions, others for searches. A spare worker waits for the next search. */
class Workers {
  constructor() {
    this.module = compiled();
    this.quick = null;
    this.spare = null;
  }
  async ask(question, { onEvent, signal }) {
    const module = await this.module;
    if (signal?.aborted) throw aborted();
    if (["solve", "certify", "count"].includes(question.ask)) return this.#search(module, { memory: MEMORY, ...question }, onEvent, signal);
    this.quick ??= new Desk(module);
    this.spare ??= new Desk(module);
    return this.quick.ask(question, onEvent);
  }
  async #search(module, question, onEvent, signal) {
    const desk = this.spare ?? new Desk(module);
    this.spare = null;
    let end;
    const ended = new Promise((_, fail) => {
      end = () => fail(aborted());
      signal?.addEventListener("abort", end);
    });
    try {
      const answer = await Promise.race([desk.ask(question, onEvent), ended]);
      this.#putBack(desk);
      return answer;
    } catch (error) {
      desk.close();
      this.spare ??= new Desk(module);
      throw error;
    } finally {
      signal?.removeEventListener("abort", end);
    }
  }
  #putBack(desk) {
    if (this.spare) desk.close();
    else this.spare = desk;
  }
}

/** Browsers report every broken connection as a TypeError with a text of their own. */
const orGone = (promise) => promise.catch((error) => {
  if (!(error instanceof TypeError)) throw error;
  throw new AskError({ error: "The program behind this page has ended: start gridhunt play again.", isGone: true });
});

async function* linesOf(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value = "" } = await orGone(reader.read());
    const lines = (rest + value).split("\n");
    rest = lines.pop();
    for (const line of lines) if (line) yield line;
    if (done) break;
  }
  if (rest) yield rest;
}

/** Why the server refuses a question. The server of a later `gridhunt play` does not know an older page. */
async function refusalOf(response) {
  if (response.status === 401) return "This page is of an earlier gridhunt play: open the address that the running one has printed.";
  const { error } = await response.json().catch(() => ({}));
  return error ?? `The server answered ${response.status}.`;
}

/** The server: the answer to a question is a body of JSON lines, the events first. */
class Server {
  async ask(question, { onEvent, signal }) {
    const headers = { "content-type": "application/json" };
    const body = JSON.stringify(question);
    const response = await orGone(fetch("api/ask", { method: "POST", headers, body, signal }));
    if (!response.ok) throw new AskError({ error: await refusalOf(response) });
    for await (const line of linesOf(response.body)) {
      const told = parsed(line);
      if (told.event === undefined) return told;
      onEvent?.(told);
    }
    throw new AskError({ error: "The server's answer was cut off." });
  }
}

/** The solver. `src/play/mod.rs` of the program lists the questions. */
export class Solver {
  constructor() {
    this.way = isServed() ? new Server() : new Workers();
  }
  /**
   * Answers a question. The promise fails with an `AskError` if there is no answer, and with an `AbortError` if
   * `signal` ends the question; a search ends with it.
   * @param {{ask: string}} question
   * @param {{onEvent?: (event: object) => void, signal?: AbortSignal}} [options]
   * @returns {Promise<object>}
   */
  ask(question, options = {}) {
    return this.way.ask(question, options);
  }
}
