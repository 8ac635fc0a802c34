import { formatTimestamp } from "../lib/timestamp.ts";

/** The address that a BR Code points at, where a payer's bank reads the terms of the charge that stands on it. */
export type Location = {
  id: number;
  /** Without scheme, at most 77 characters. */
  location: string;
  createdAt: number;
  /** The charge that stands on it. Absent: none does. */
  txid?: string;
};

/** The last part of a location, by which it is fetched. */
export const tokenOf = (location: string): string => location.slice(location.lastIndexOf("/") + 1);

/** PayloadLocationCompleta. */
export function presentLocation({ id, txid, location, createdAt }: Location): Record<string, unknown> {
  const shown = {
    id,
    location,
    tipoCob: location.includes("/cobv/") ? "cobv" : "cob",
    criacao: formatTimestamp(createdAt),
  };
  return txid === undefined ? shown : { ...shown, txid };
}
