import type { Page } from "playwright-core";
import { FEW, type Look } from "./looks.ts";

/** A screen that has more to it than an address. */
export type Staged = {
  readonly name: string;
  /** Below the console's address, or an address of its own. */
  readonly path: string;
  /** In which looks it is taken, where not in all. */
  readonly looks?: readonly Look[];
  /** What is arranged before the screen is opened. */
  readonly before?: (page: Page) => Promise<unknown>;
  /** What the reader does until the screen is there. */
  readonly reach?: (page: Page) => Promise<unknown>;
  /** It is taken while it still waits for what it shows. */
  readonly isLoading?: boolean;
  /** Something lies over the page, of which the rest is not taken. */
  readonly isOver?: boolean;
};

/** A screen that an address opens, in few looks. */
export const inFew = (name: string, path: string, more: Partial<Staged> = {}): Staged => ({
  ...{ name, path, looks: FEW },
  ...more,
});
