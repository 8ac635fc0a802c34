/** What a person does about a case that somebody else has proposed something in: reads it, and decides about what was read. */
import type { Client } from "./client.ts";

type Read = { readonly proposal?: { readonly id: string } };
/** Of no proposal. */
const NONE = "00000000-0000-7000-8000-000000000000";

/** The id of the proposal that a person reads in a case; one that does not exist where there is none. */
export const readProposal = async (who: Client, caseId: string): Promise<string> =>
  (await who.get<Read>(`/cases/${caseId}`)).body.proposal?.id ?? NONE;

/** Approves what the person has just read. */
export const approveCase = async <T>(who: Client, caseId: string) =>
  who.post<T>(`/cases/${caseId}/approve`, { proposalId: await readProposal(who, caseId) });

/** Rejects what the person has just read. */
export const rejectCase = async <T>(who: Client, caseId: string, reason?: string) =>
  who.post<T>(`/cases/${caseId}/reject`, { proposalId: await readProposal(who, caseId), ...(reason && { reason }) });
