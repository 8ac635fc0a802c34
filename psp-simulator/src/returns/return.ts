/** EM_PROCESSAMENTO → DEVOLVIDO or NAO_REALIZADO. */
type ReturnStatus = "EM_PROCESSAMENTO" | "DEVOLVIDO" | "NAO_REALIZADO";

/** A return (devolução) of a Pix, whole or in part. */
export type Return = {
  /** Chosen by the client, or by the PSP for one that it makes itself; unique within its Pix. */
  id: string;
  rtrId: string;
  /** When clients begin to see its `rtrId`, milliseconds since 1970. Absent: at once. */
  rtrIdShownFrom?: number;
  amountCentavos: number;
  natureza: "ORIGINAL" | "RETIRADA" | "MED_FRAUDE";
  descricao?: string;
  requestedAt: number;
  settledAt?: number;
  status: ReturnStatus;
  motivo?: string;
};

/** Sum of what was returned for good, in centavos. */
export function returnedCentavos(returns: readonly Return[] | undefined): number {
  let sum = 0;
  for (const item of returns ?? []) if (item.status === "DEVOLVIDO") sum += item.amountCentavos;
  return sum;
}

/** Sum of what is or may yet be returned; a return that failed frees its amount again. */
export function claimedCentavos(returns: readonly Return[] | undefined): number {
  let sum = 0;
  for (const item of returns ?? []) if (item.status !== "NAO_REALIZADO") sum += item.amountCentavos;
  return sum;
}
