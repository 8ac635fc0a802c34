import type { Behaviour, Route } from "./behaviour/behaviour.ts";
import type { Drawer } from "./behaviour/draw.ts";
import type { Books } from "./books/journal.ts";
import type { Sender } from "./callbacks/sender.ts";
import type { Connections } from "./http/reset.ts";
import type { Log } from "./log/log.ts";
import type { VerifiedTokens } from "./oauth/verified-tokens.ts";
import type { Credentials } from "./start/credentials.ts";

/** What every part of the simulator is given, made once at its start. */
export type Context = {
  credentials: Credentials;
  /** No call needs a token: the TLS handshake has required a certificate. */
  certificateOnly: boolean;
  /** The program's own folder. */
  folder: string;
  /** Where it is called, known once it listens: `host:port`. Locations begin with it. */
  scheme: "http" | "https";
  host: string;
  /** Where a payer's phone opens the page of one charge; null: nowhere. */
  payerUrl: string | null;
  books: Books;
  /** The behaviour before anybody asked for another. */
  standard: Behaviour;
  log: Log;
  /** Draws the faults and keeps their counts. */
  drawer: Drawer;
  /** When the calls of the last minute came, by route, where the behaviour limits them. */
  recentCalls: Map<Route, number[]>;
  sender: Sender;
  connections: Connections;
  verifiedTokens: VerifiedTokens;
  /** Milliseconds since 1970; the control API may set it. */
  now: () => number;
  /** One JSON line on stderr; never a secret. */
  report: (message: string, fields?: Record<string, unknown>) => void;
};
