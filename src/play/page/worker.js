// Runs the solver's module in a worker. The first message holds the compiled module; every further message holds a
// question as text. A search is ended by ending the worker.

/** A module that has grown beyond this size is started anew for the next question: memory never shrinks. */
const MOST_BYTES = 200 * 2 ** 20;

const [decoder, encoder] = [new TextDecoder(), new TextEncoder()];
const now = { module: null, solver: null, id: 0, panic: "" };

function textAt(address, length) {
  return decoder.decode(new Uint8Array(now.solver.memory.buffer, address, length));
}

const page = {
  now: () => performance.timeOrigin + performance.now(),
  tell: (address, length) => postMessage({ id: now.id, event: textAt(address, length) }),
  panicked: (address, length) => {
    now.panic = textAt(address, length);
  },
};

async function solver() {
  const isLarge = now.solver && now.solver.memory.buffer.byteLength > MOST_BYTES;
  if (!now.solver || isLarge) now.solver = (await WebAssembly.instantiate(now.module, { page })).exports;
  return now.solver;
}

async function answer(question) {
  const { reserve, ask, answer_len: answerLength, memory } = await solver();
  const bytes = encoder.encode(question);
  const room = reserve(bytes.length);
  new Uint8Array(memory.buffer, room, bytes.length).set(bytes);
  const address = ask(bytes.length);
  return textAt(address, answerLength());
}

async function take({ module, id, question }) {
  if (module) {
    now.module = module;
    await solver();
    return;
  }
  [now.id, now.panic] = [id, ""];
  try {
    postMessage({ id, answer: await answer(question) });
  } catch (error) {
    now.solver = null;
    postMessage({ id, fault: now.panic || String(error) });
  }
}

// One message after the other: a question may arrive while the module is still being started.
let queue = Promise.resolve();
addEventListener("message", ({ data }) => {
  queue = queue.then(() => take(data));
});
