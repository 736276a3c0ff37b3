// Requests to the program, and its stream of events.

const [FIRST_WAIT, LONGEST_WAIT] = [1000, 30000];

async function request(path, body) {
  const headers = { "content-type": "application/json" };
  const options = body === undefined ? {} : { method: "POST", headers, body: JSON.stringify(body) };
  let answer;
  try {
    answer = await fetch(path, { credentials: "same-origin", ...options });
  } catch {
    throw Object.assign(new Error("gridhunt serve does not answer"), { isLost: true });
  }
  const data = await answer.json().catch(() => ({}));
  if (answer.ok) return data;
  throw new Error(data.error ?? `the program answered with status ${answer.status}`);
}

/**
 * The JSON that a path of the API gives. With `body`, the request is a POST.
 * @param {string} path
 * @param {object} [body]
 * @returns {Promise<any>}
 */
export function ask(path, body) {
  return request(path, body);
}

/**
 * Follows a stream of events, and reconnects when it is lost.
 * @param {string} path
 * @param {string} name of the events
 * @param {(data: any) => void} take an event
 * @param {(isConnected: boolean) => void} say whether the stream is connected
 * @returns {() => void} ends it
 */
export function follow(path, name, take, say) {
  let [source, timer, wait] = [null, 0, FIRST_WAIT];
  function open() {
    source = new EventSource(path);
    source.addEventListener("open", () => say(true));
    source.addEventListener(name, (event) => {
      wait = FIRST_WAIT;
      say(true);
      take(JSON.parse(event.data));
    });
    source.addEventListener("error", () => {
      say(false);
      // While the browser tries again by itself, the source is not closed.
      if (source.readyState !== EventSource.CLOSED) return;
      timer = setTimeout(open, wait);
      wait = Math.min(2 * wait, LONGEST_WAIT);
    });
  }
  open();
  return () => {
    clearTimeout(timer);
    source.close();
  };
}
