/** What one item of a callback reports: a received Pix (or a return of it), or a payout (or a return of that). */
export type About = { e2eId: string; txid?: string; idEnvio?: string; returnId?: string };

/** Callbacks wait under this name while the PUT of what they report is unanswered. */
export function heldBy(about: Pick<About, "txid" | "idEnvio">): string {
  return about.idEnvio === undefined ? `charge ${about.txid}` : `payout ${about.idEnvio}`;
}

/** A notification that the receiver has not acknowledged yet. */
export type Callback = {
  id: string;
  chave: string;
  /** For the log. */
  about: About[];
  /** Each Pix as the JSON text that will be sent, fixed when the callback was made. */
  pix: string[];
  /** Attempts made so far. */
  attempts: number;
  /** Not sent before this moment, milliseconds since 1970. */
  dueAt: number;
  /** Sent even while the PUT of its charge or payout is still unanswered (fault `early`). */
  early?: true;
};
