import { InvalidArgumentError, Option } from "commander";

/** An option with a value out of a few, which the shell can complete. */
export const choice = (flags: string, says: string, choices: readonly string[]): Option =>
  new Option(flags, says).choices([...choices]);

/** An option with a number, or `none`. */
export const number = (flags: string, says: string): Option =>
  new Option(flags, says).argParser((text) => {
    if (text === "none" || /^-?\d+(?:\.\d+)?$/.test(text)) return text;
    throw new InvalidArgumentError("It must be a number such as 25.90, or none.");
  });
