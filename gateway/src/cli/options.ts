import { InvalidArgumentError, Option } from "commander";

/** An option with a value out of a few, which the shell can complete. */
export const choice = (flags: string, description: string, choices: readonly string[]): Option =>
  new Option(flags, description).choices([...choices]);

/** An option with a number, or `none`. */
export const number = (flags: string, description: string): Option =>
  new Option(flags, description).argParser((text) => {
    if (text === "none" || /^-?\d+(?:\.\d+)?$/.test(text)) return text;
    throw new InvalidArgumentError("It must be a number such as 25.90, or none.");
  });
