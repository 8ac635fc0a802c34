import type { Answer } from "../http/answer.ts";
import { problem } from "../http/problem.ts";
import { formatTimestamp } from "../lib/timestamp.ts";

/** A request for a charge in a batch. It is worked on at once: `EM_PROCESSAMENTO` is seen only after a crash in between. */
type Requested = {
  txid: string;
  status: "EM_PROCESSAMENTO" | "CRIADA" | "NEGADA";
  /** Why it was refused: the body of the refusal that `PUT /cobv` would have been answered with. */
  problema?: unknown;
  /** When its charge was made. */
  chargedAt?: number;
};

/** Charges with a due date that were asked for together (lotecobv). Its charges are for ever those of its first request. */
export type Batch = { id: string; descricao: string; createdAt: number; requested: Requested[] };

/** The standard shows the id as a number, so no other is taken. */
export const BATCH_ID = /^\d{1,15}$/;

export const noBatch = (): Answer => problem("LoteCobVNaoEncontrado", "Lote não encontrado para o id informado.");

/** LoteCobVConsultado. */
export function presentBatch({ id, descricao, createdAt, requested }: Batch): Record<string, unknown> {
  return {
    id: Number(id),
    descricao,
    criacao: formatTimestamp(createdAt),
    cobsv: requested.map(({ chargedAt, ...shown }) => ({
      ...shown,
      ...(chargedAt !== undefined && { criacao: formatTimestamp(chargedAt) }),
    })),
  };
}
