/** A notification that the receiver has not acknowledged yet. */
export type Callback = {
  id: string;
  chave: string;
  /** What it tells of, for the log: `{ e2eId, txid, returnId }`. */
  about: { e2eId: string; txid: string; returnId?: string }[];
  /** Each Pix as the JSON text that will be sent, fixed when the callback was made. */
  pix: string[];
  /** Attempts made so far. */
  attempts: number;
  /** Not sent before this moment, milliseconds since 1970. */
  dueAt: number;
  /** Sent even while the PUT of its charge is still unanswered (fault `early`). */
  early?: true;
};
