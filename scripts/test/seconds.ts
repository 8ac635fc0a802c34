/** A test reporter that prints the seconds of each process of a run, so that the longest are known. */

type Summary = { readonly file?: string; readonly duration_ms: number };
type Event = { readonly type: string; readonly data: unknown };

export default async function* seconds(events: AsyncIterable<Event>): AsyncGenerator<string> {
  for await (const { type, data } of events) {
    if (type !== "test:summary") continue;
    const { file, duration_ms: ms } = data as Summary;
    if (file !== undefined) yield `  ${(ms / 1_000).toFixed(1)} s: ${file}\n`;
  }
}
