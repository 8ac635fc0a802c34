/** Waits inside a bounded call. Longer waits are rows that a loop finds when they are due. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
