// Runs the solver's module in a worker. The first message has the compiled module; each later message has a question as
// text. To end a search, the page terminates the worker.

/** Above this size of memory, the next question gets a new instance of the module, because its memory never shrinks. */
const MAX_BYTES = 200 * 2 ** 20;

const [decoder, encoder] = [new TextDecoder(), new TextEncoder()];
const state = { module: null, solver: null, id: 0, panic: "" };

function textAt(address, length) {
  return decoder.decode(new Uint8Array(state.solver.memory.buffer, address, length));
}

const page = {
  now: () => performance.timeOrigin + performance.now(),
  tell: (address, length) => postMessage({ id: state.id, event: textAt(address, length) }),
  panicked: (address, length) => {
    state.panic = textAt(address, length);
  },
};

async function solver() {
  const isLarge = state.solver && state.solver.memory.buffer.byteLength > MAX_BYTES;
  if (!state.solver || isLarge) state.solver = (await WebAssembly.instantiate(state.module, { page })).exports;
  return state.solver;
}

async function answer(question) {
  const { reserve, ask, answer_len: answerLength, memory } = await solver();
  const bytes = encoder.encode(question);
  const questionAddress = reserve(bytes.length);
  new Uint8Array(memory.buffer, questionAddress, bytes.length).set(bytes);
  const address = ask(bytes.length);
  return textAt(address, answerLength());
}

async function onMessage({ module, id, question }) {
  if (module) {
    state.module = module;
    await solver();
    return;
  }
  [state.id, state.panic] = [id, ""];
  try {
    postMessage({ id, answer: await answer(question) });
  } catch (error) {
    state.solver = null;
    postMessage({ id, fault: state.panic || String(error) });
  }
}

// Messages are handled one after the other: a question may arrive while the module is still starting.
let queue = Promise.resolve();
addEventListener("message", ({ data }) => {
  queue = queue.then(() => onMessage(data));
});
