/** Waits within a bounded call. What is due later is a row that a loop finds. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
