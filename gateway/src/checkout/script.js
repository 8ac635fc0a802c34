import { copyOnClick, countDown } from "./parts.js";

const status = document.querySelector("[role=status]");
const offline = document.querySelector(".offline");
const path = location.pathname.replace(/\/$/, "");
const POLL_EVERY = 5_000;
/** Longer than two beats of a stream (every 15 s): without one for so long, something holds the stream back. */
const BEAT_WITHIN = 35_000;
const READ_WITHIN = 15_000;
let stop = () => {};
/** Sets the countdown to the seconds that the server says are left. */
let setLeft = () => {};

const find = (selector) => document.querySelector(selector);
const show = (selector) => find(selector)?.removeAttribute("hidden");

/** The answer, within a bounded time; null without one, which the page then says. */
async function read(url) {
  try {
    const answer = await fetch(url, { cache: "no-store", signal: AbortSignal.timeout?.(READ_WITHIN) });
    const text = await answer.text();
    offline.hidden = answer.status < 500;
    return answer.ok ? text : null;
  } catch {
    offline.hidden = false;
    return null;
  }
}

/** Reads the page anew; shows it where its state is another one, else takes its time that is left. */
async function update() {
  const text = await read(path);
  if (text === null) return;
  const page = new DOMParser().parseFromString(text, "text/html");
  const [before, main] = [find("main"), page.querySelector("main")];
  if (main === null) return;
  if (main.dataset.state === before.dataset.state) {
    const time = main.querySelector("time");
    if (time !== null) setLeft(time.dataset.left);
    return;
  }
  before.replaceWith(main);
  document.title = page.title;
  begin();
  status.textContent = main.dataset.said;
}

/** Reads the state alone, and the page where it is another one; nothing while nobody sees the page. */
async function poll() {
  if (document.hidden) return;
  const text = await read(`${path}/state`);
  if (text !== null && JSON.parse(text).state !== find("main").dataset.state) await update();
}

/** Learns of a change by server-sent events, and by polling as long as no stream gives a sign of life. */
function watch() {
  let heardAt = Number.NEGATIVE_INFINITY;
  const polling = setInterval(() => {
    if (performance.now() - heardAt > BEAT_WITHIN) poll().catch(() => {});
  }, POLL_EVERY);
  const stream = new EventSource(`${path}/events?shown=${find("main").dataset.state}`);
  stream.addEventListener("beat", () => {
    heardAt = performance.now();
    // Only an answer shows that the connection is back.
    if (!offline.hidden) update();
  });
  stream.addEventListener("change", () => {
    stream.close();
    heardAt = Number.NEGATIVE_INFINITY;
    update();
  });
  stream.onerror = () => {
    heardAt = Number.NEGATIVE_INFINITY;
  };
  return () => {
    stream.close();
    clearInterval(polling);
  };
}

/** Goes back to the merchant when the time is over, unless the visitor does something on the page. */
function goBack(link) {
  const soon = find(".soon");
  let left = Number(link.dataset.after);
  const tick = () => {
    soon.textContent = link.dataset.soon.replace("{seconds}", left);
    soon.hidden = false;
    if (left === 0) location.assign(link.href);
    left -= 1;
    if (left < 0) stay();
  };
  const timer = setInterval(() => document.hidden || tick(), 1_000);
  const stay = () => {
    clearInterval(timer);
    if (left >= 0) soon.hidden = true;
    for (const kind of ["pointerdown", "keydown", "beforeprint"]) removeEventListener(kind, stay);
  };
  for (const kind of ["pointerdown", "keydown", "beforeprint"]) addEventListener(kind, stay);
  return stay;
}

/** Makes what the server has sent live. */
function begin() {
  stop();
  show(".print");
  show(".watched");
  const life = new AbortController();
  const button = find(".copy");
  if (button) copyOnClick(button, find("textarea"), status, life.signal);
  find(".print")?.addEventListener("click", () => print());
  const link = find("[data-after]");
  const stay = link ? goBack(link) : () => {};
  const time = find("time");
  if (time) setLeft = countDown(time, find(".pay"), update, life.signal);
  const isWatched = !("last" in find("main").dataset) && find("main").dataset.state !== "error";
  const unwatch = isWatched ? watch() : () => {};
  // What was seen last may be old: the phone slept, another page was in front, there was no connection.
  const look = () => {
    if (isWatched && !document.hidden) update();
  };
  document.addEventListener("visibilitychange", look);
  addEventListener("online", look);
  const lose = () => {
    offline.hidden = !isWatched;
  };
  addEventListener("offline", lose);
  stop = () => {
    life.abort();
    stay();
    unwatch();
    document.removeEventListener("visibilitychange", look);
    removeEventListener("online", look);
    removeEventListener("offline", lose);
  };
}

document.documentElement.className = "js";
begin();
