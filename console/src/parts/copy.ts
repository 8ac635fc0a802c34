/** Puts a text on the clipboard. Pages without https have none: there a prompt shows the text, selected. */
export function copy(text: string): void {
  if (navigator.clipboard === undefined) window.prompt("Ctrl-C", text);
  else void navigator.clipboard.writeText(text);
}
