// Asks the solver: the module in workers of this page, or the server of this page.

/** The error of a question without an answer. `readings`: those of an ambiguous input; `at`: the place of a fault in a
 * program, in characters from 1; `isGone`: gridhunt has ended. */
export class AskError extends Error {
  constructor({ error, readings = [], at, isGone = false }) {
    super(error);
    Object.assign(this, { readings, at, isGone });
  }
}

/** Whether `gridhunt play` serves the page, and also solves. Otherwise the module in the page solves. */
export const isServed = () => document.documentElement.dataset.solver === "server";

function parseAnswer(text) {
  const answer = JSON.parse(text);
  if (answer.error !== undefined) throw new AskError(answer);
  return answer;
}

const abortError = () => new DOMException("The request was cancelled.", "AbortError");

/** The memory limit of a search in bytes: a quarter of the memory that the browser reports, at most 1 GiB. */
const MEMORY = Math.min(4, navigator.deviceMemory ?? 2) * 2 ** 28;

/** A worker; it answers questions one after the other. */
class WorkerClient {
  constructor(module) {
    this.worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
    this.pending = new Map();
    this.lastId = 0;
    this.worker.addEventListener("message", ({ data }) => this.#onMessage(data));
    this.worker.addEventListener("error", () => this.#failAll("The solver could not be started. Load the page again."));
    this.worker.postMessage({ module });
  }
  #onMessage({ id, event, answer, fault }) {
    const request = this.pending.get(id);
    if (!request) return;
    if (event !== undefined) return void request.onEvent?.(JSON.parse(event));
    this.pending.delete(id);
    if (fault !== undefined) return request.fail(new AskError({ error: `The solver failed: ${fault}` }));
    try {
      request.done(parseAnswer(answer));
    } catch (error) {
      request.fail(error);
    }
  }
  #failAll(error) {
    for (const { fail } of this.pending.values()) fail(new AskError({ error }));
    this.pending.clear();
  }
  ask(question, onEvent) {
    this.lastId += 1;
    const id = this.lastId;
    return new Promise((done, fail) => {
      this.pending.set(id, { done, fail, onEvent });
      this.worker.postMessage({ id, question: JSON.stringify(question) });
    });
  }
  close() {
    this.worker.terminate();
  }
}

async function compileModule() {
  const response = await fetch(new URL("./gridhunt.wasm", import.meta.url));
  if (!response.ok) throw new AskError({ error: `The solver's module cannot be loaded: ${response.status}.` });
  const isTyped = response.headers.get("content-type") === "application/wasm";
  return isTyped ? WebAssembly.compileStreaming(response) : WebAssembly.compile(await response.arrayBuffer());
}

/** The module in workers: one for quick questions, one for each search, and a spare one for the next search. */
class Workers {
  constructor() {
    this.module = compileModule();
    this.quick = null;
    this.spare = null;
  }
  async ask(question, { onEvent, signal }) {
    const module = await this.module;
    if (signal?.aborted) throw abortError();
    if (["solve", "certify", "count"].includes(question.ask)) return this.#search(module, { memory: MEMORY, ...question }, onEvent, signal);
    this.quick ??= new WorkerClient(module);
    this.spare ??= new WorkerClient(module);
    return this.quick.ask(question, onEvent);
  }
  async #search(module, question, onEvent, signal) {
    const client = this.spare ?? new WorkerClient(module);
    this.spare = null;
    let abort;
    const aborted = new Promise((_, fail) => {
      abort = () => fail(abortError());
      signal?.addEventListener("abort", abort);
    });
    try {
      const answer = await Promise.race([client.ask(question, onEvent), aborted]);
      this.#putBack(client);
      return answer;
    } catch (error) {
      client.close();
      this.spare ??= new WorkerClient(module);
      throw error;
    } finally {
      signal?.removeEventListener("abort", abort);
    }
  }
  #putBack(client) {
    if (this.spare) client.close();
    else this.spare = client;
  }
}

/** Replaces the TypeError of a broken connection by an `AskError` for the player. */
const orFailAsGone = (promise) => promise.catch((error) => {
  if (!(error instanceof TypeError)) throw error;
  throw new AskError({ error: "The program behind this page has ended: start gridhunt play again.", isGone: true });
});

async function* linesOf(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let partialLine = "";
  for (;;) {
    const { done, value = "" } = await orFailAsGone(reader.read());
    const lines = (partialLine + value).split("\n");
    partialLine = lines.pop();
    for (const line of lines) if (line) yield line;
    if (done) break;
  }
  if (partialLine) yield partialLine;
}

/** Why the server refused a question. Status 401: the page belongs to an earlier `gridhunt play`. */
async function refusalOf(response) {
  if (response.status === 401) return "This page belongs to an earlier gridhunt play: open the address that the running one printed.";
  const { error } = await response.json().catch(() => ({}));
  return error ?? `The server answered ${response.status}.`;
}

/** The server. It answers a question with JSON lines: first the events, then the answer. */
class Server {
  async ask(question, { onEvent, signal }) {
    const headers = { "content-type": "application/json" };
    const body = JSON.stringify(question);
    const response = await orFailAsGone(fetch("api/ask", { method: "POST", headers, body, signal }));
    if (!response.ok) throw new AskError({ error: await refusalOf(response) });
    for await (const line of linesOf(response.body)) {
      const answer = parseAnswer(line);
      if (answer.event === undefined) return answer;
      onEvent?.(answer);
    }
    throw new AskError({ error: "The server's answer was cut off." });
  }
}

/** The solver. `src/play/mod.rs` lists the questions. */
export class Solver {
  constructor() {
    this.backend = isServed() ? new Server() : new Workers();
  }
  /**
   * Answers a question. The promise fails with an `AskError` if there is no answer, and with an `AbortError` if
   * `signal` aborts the question; this also ends its search.
   * @param {{ask: string}} question
   * @param {{onEvent?: (event: object) => void, signal?: AbortSignal}} [options]
   * @returns {Promise<object>}
   */
  ask(question, options = {}) {
    return this.backend.ask(question, options);
  }
}
