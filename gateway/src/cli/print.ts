/** A line for whoever runs the command. */
export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
