import type { Drawer } from "./behaviour/draw.ts";
import type { Books } from "./books/journal.ts";
import type { Sender } from "./callbacks/send.ts";
import type { Log } from "./log/log.ts";
import type { VerifiedTokens } from "./oauth/token.ts";
import type { Credentials } from "./start/credentials.ts";

/** What every part of the simulator is given, made once in main. */
export type Context = {
  credentials: Credentials;
  books: Books;
  log: Log;
  /** Draws the faults and keeps their counts. */
  drawer: Drawer;
  sender: Sender;
  verifiedTokens: VerifiedTokens;
  /** Milliseconds since 1970. */
  now: () => number;
  /** One JSON line on stderr; never a secret. */
  report: (message: string, fields?: Record<string, unknown>) => void;
};
