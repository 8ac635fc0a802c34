/** What the page and `<pixgate-checkout>` share. Each has this text before its own (frame.ts). */

/**
 * What a copy button does: copies the field's text, and says so for four seconds.
 *
 * @param signal ends with what is shown.
 */
export function copyOnClick(button, field, status, signal) {
  const words = button.textContent;
  let timer;
  const rest = () => {
    clearTimeout(timer);
    button.textContent = words;
    status.textContent = "";
  };
  button.addEventListener("click", async () => {
    let isCopied = true;
    try {
      await navigator.clipboard.writeText(field.value);
    } catch {
      // Over http there is no clipboard.
      field.focus();
      field.select();
      isCopied = document.execCommand("copy");
    }
    if (signal.aborted) return;
    clearTimeout(timer);
    button.textContent = status.textContent = isCopied ? button.dataset.done : button.dataset.failed;
    timer = setTimeout(rest, 4_000);
  });
  signal.addEventListener("abort", rest);
  button.hidden = false;
}

/**
 * Counts down what the gateway says is left, whatever the visitor's clock says; at the end hides the code, and asks anew.
 *
 * @returns sets the seconds that are left.
 */
export function countDown(time, pay, update, signal) {
  const until = time.textContent;
  const two = (number) => String(number).padStart(2, "0");
  let [end, tryAt, pause] = [0, 0, 1_000];
  const tick = () => {
    const now = performance.now();
    const left = Math.max(0, Math.ceil((end - now) / 1_000));
    const [hours, minutes] = [Math.floor(left / 3_600), Math.floor(left / 60) % 60];
    pay.classList.toggle("over", left === 0);
    time.title = hours < 24 ? until : "";
    if (left === 0) time.textContent = time.dataset.over;
    else if (hours >= 24) time.textContent = until;
    else {
      const shown = hours > 0 ? `${hours} h ${minutes} min` : `${two(minutes)}:${two(left % 60)}`;
      // A page of 0.1.0, which an upgrade's other process may give, has the bare time.
      time.textContent = (time.dataset.in ?? "{time}").replace("{time}", shown);
    }
    if (left > 0 || now < tryAt) return;
    // After 1, 2, 4 seconds and so on, once a minute at last.
    tryAt = now + pause;
    pause = Math.min(2 * pause, 60_000);
    update();
  };
  const setLeft = (seconds) => {
    end = performance.now() + Number(seconds) * 1_000;
    if (seconds > 0) [tryAt, pause] = [0, 1_000];
    tick();
  };
  const timer = setInterval(tick, 1_000);
  signal.addEventListener("abort", () => clearInterval(timer));
  setLeft(time.dataset.left);
  return setLeft;
}
