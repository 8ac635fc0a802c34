import { requireReturnHost } from "../accounts/checkout-settings/return-host.ts";
import { requireProject } from "../accounts/projects/project.ts";
import type { Context } from "../context.ts";
import { sql } from "../db/sql.ts";
import { Answered } from "../http/answer.ts";
import type { Caller } from "../http/auth.ts";
import { ApiError, invalid } from "../http/errors.ts";
import type { KeyedCall } from "../http/idempotency.ts";
import { readMetadata } from "../http/metadata.ts";
import { awaitKey } from "../http/run-keyed.ts";
import { takesAmount } from "../institutions/config.ts";
import type { Institution } from "../institutions/registry.ts";
import { storedRouting } from "../institutions/routing.ts";
import { orderByShare } from "../institutions/share.ts";
import { txidFor } from "../lib/ids.ts";
import { fromBrl } from "../lib/money.ts";
import { attemptedInstitutions } from "./attempt.ts";
import type { ChargeIntent, ChargeRequest } from "./charge.ts";
import type { CreateCall } from "./create-call.ts";
import { customerIdOf } from "./customer-id.ts";
import type { IntentWriter } from "./intent.ts";
import { issue } from "./issue.ts";
import { presentState, readIntent, unavailable } from "./present.ts";
import { findTill } from "./qr-codes/find.ts";
import type { QrCodeColumns } from "./qr-codes/qr-code.ts";
import { createRoute, type Route } from "./route.ts";
import { acceptSplit } from "./split.ts";
import { acceptTerms, kindOf, noCharges, noDueDates, tooMuch } from "./terms.ts";

/**
 * `POST /pix`. Stores an intent with our txid, calls the PSP, and stores the outcome with the answer. After a crash or
 * silence at any step, the same steps run again under the same key and never make a second charge.
 */
export async function createCharge(ctx: Context, writer: IntentWriter, call: CreateCall): Promise<Answered> {
  for (;;) {
    const prepared = await prepare(ctx, call);
    const { intent, institution, route } = prepared;
    const stored = await writer.store({ intent, keyed: call.keyed });
    if (stored === "stored") {
      ctx.tracing.begin(intent.chargeId);
      return issue(ctx, writer, call, intent, { institution, route, mayHaveBeenSent: false });
    }
    const resumed = await resume(ctx, writer, call, call.keyed!);
    if (resumed) return resumed;
    // The key was freed meanwhile, because its intent was refused. This call counts as the first one then.
  }
}

type Prepared = { readonly intent: ChargeIntent; readonly institution: Institution; readonly route: Route };

/** Does all checks that need no stored intent, and makes the intent. A refusal here leaves the key free. */
async function prepare(ctx: Context, call: CreateCall): Promise<Prepared> {
  const { caller, wallet, body } = call;
  const amount = fromBrl(body.amount)!;
  const now = ctx.clock.date();
  const terms = acceptTerms(body, amount, now);
  const originator = { accountId: caller.accountId, walletId: wallet.walletId };
  if (body.projectId !== undefined) await requireProject(ctx.db, originator, body.projectId);
  const till = body.qrCodeId === undefined ? null : await findTill(ctx.db, originator, body.qrCodeId);
  if (till && body.due !== undefined) throw invalid("due", "is not taken by a till");
  const projectId = body.projectId ?? till?.projectId ?? null;
  const [candidates, split, returnUrl] = await Promise.all([
    till ? findInstitutionOf(ctx, caller, till, body.pspCredentialId) : findCandidates(ctx, caller, body),
    acceptSplit(ctx.db, originator, amount, body.split),
    body.returnUrl === undefined ? null : requireReturnHost(ctx.db, originator, projectId, body.returnUrl),
  ]);
  const pinned = body.pspCredentialId !== undefined;
  if (!candidates.some(({ can }) => takesAmount(can, amount))) throw tooMuch(candidates);
  const chargeId = ctx.ids.uuid();
  // A till's printed code is its institution's, so no other institution can take the charge.
  const isBound = pinned || till !== null;
  const linked = isBound ? candidates : (await ctx.psps.linked(caller.accountId)).filter(issuesCharges);
  const ordered = isBound ? candidates : orderByShare(linked, chargeId);
  const route = createRoute(ordered, { accountId: caller.accountId, amount, kind: kindOf(terms), pinned: isBound });
  const choice = route.next();
  if (choice === null) throw unavailable("the institution is down or out of capacity");
  const { institution, routing } = choice;

  const document = body.customer?.document;
  return {
    institution,
    route,
    intent: {
      accountId: caller.accountId,
      chargeId,
      walletId: wallet.walletId,
      amount,
      description: body.description,
      externalReference: body.externalReference ?? null,
      idempotencyKey: call.keyed?.key ?? null,
      projectId,
      qrCodeId: till?.qrCodeId ?? null,
      customerId: document ? customerIdOf(caller.accountId, document) : null,
      customer: body.customer ?? null,
      metadata: readMetadata(body.metadata),
      split,
      returnUrl,
      paymentLinkId: call.paymentLinkId ?? null,
      institutionId: institution.institutionId,
      pinned,
      routing: till ? null : storedRouting(routing),
      txid: txidFor(caller.accountNumber, chargeId),
      ...terms,
      createdAt: now,
    },
  };
}

/**
 * The institution of a till, as the only candidate: a charge on a till cannot go to another one. Throws where the request
 * pins another one.
 */
async function findInstitutionOf(
  ctx: Context,
  caller: Pick<Caller, "accountId">,
  { institutionId }: Pick<QrCodeColumns, "institutionId">,
  pinned: string | undefined,
): Promise<readonly Institution[]> {
  if (pinned !== undefined && pinned !== institutionId) {
    throw invalid("pspCredentialId", "is another institution than the one of the code");
  }
  const usable = await ctx.psps.forAccount(caller.accountId, ({ institutionId: id }) => id === institutionId);
  if (usable.length === 0) throw unavailable("the institution of the code is not enabled for this account");
  return usable;
}

/** The institutions that may get the charge, by priority: those of the account, or only the pinned one. */
async function findCandidates(
  ctx: Context,
  caller: Pick<Caller, "accountId">,
  { pspCredentialId: pinned, due }: Pick<ChargeRequest, "pspCredentialId" | "due">,
): Promise<readonly Institution[]> {
  const suits = ({ institutionId }: Institution) => pinned === undefined || institutionId === pinned;
  // Selects by kind as well: otherwise an institution that issues no such charge could hide one that does and was linked a
  // moment ago.
  const able = await ctx.psps.forAccount(
    caller.accountId,
    (institution) => suits(institution) && issues(institution, due),
  );
  const usable = able.length > 0 ? able : await ctx.psps.forAccount(caller.accountId, suits);
  if (pinned === undefined) {
    if (usable.length > 0) return requireIssuing(usable, due);
    throw unavailable("no institution is enabled for this account");
  }
  const { rows } = await ctx.db.query<{ institution_choice: boolean }>(
    sql`select institution_choice from accounts where account_id = ${caller.accountId}`,
  );
  if (!rows[0]?.institution_choice) throw new ApiError("INSTITUTION_CHOICE_DISABLED");
  if (usable.length === 0) throw new ApiError("PSP_CREDENTIAL_INVALID", undefined, { field: "pspCredentialId" });
  return requireIssuing(usable, due);
}

/** Whether an institution issues charges; others only pay out. */
const issuesCharges = ({ can }: Institution): boolean => can.charges.length > 0;

const issues = (institution: Institution, due: ChargeRequest["due"]): boolean =>
  due === undefined ? issuesCharges(institution) : institution.can.charges.includes("due");

/** Those that issue charges of the kind that is asked for. */
function requireIssuing(usable: readonly Institution[], due: ChargeRequest["due"]): readonly Institution[] {
  const receiving = usable.filter(issuesCharges);
  if (receiving.length === 0) throw noCharges();
  const able = receiving.filter((institution) => issues(institution, due));
  if (able.length === 0) throw noDueDates();
  return able;
}

/**
 * Continues what the key is bound to: waits for the first call and replays its answer, or continues its intent.
 *
 * @returns null when the key turned out to be free.
 */
async function resume(
  ctx: Context,
  writer: IntentWriter,
  call: CreateCall,
  keyed: KeyedCall,
): Promise<Answered | null> {
  const state = await awaitKey(ctx, keyed);
  if (state === null) return null;
  if (state.answer !== null) return new Answered(state.answer, true);
  const found = await readIntent(ctx, keyed.accountId, state.objectId!);
  if (found === null) throw new Error("a key is bound to a charge that does not exist");
  if (found.status !== "creating") return presentState(ctx, call, keyed.accountId, state.objectId!);
  const { intent } = found;
  ctx.tracing.link(intent.chargeId);
  const institution = await ctx.psps.find(intent.institutionId);
  if (institution === null) throw unavailable("the institution of the charge is gone");
  return issue(ctx, writer, call, intent, {
    institution,
    route: await restOfRoute(ctx, intent),
    mayHaveBeenSent: true,
  });
}

/** The institutions at which the intent was not tried yet. */
async function restOfRoute(ctx: Context, intent: ChargeIntent): Promise<Route | null> {
  if (intent.pinned || intent.qrCodeId !== null) return null;
  const [usable, left] = await Promise.all([
    ctx.psps.forAccount(intent.accountId, issuesCharges),
    attemptedInstitutions(ctx, intent),
  ]);
  const fresh = usable.filter(({ institutionId: id }) => id !== intent.institutionId && !left.has(id));
  const ordered = orderByShare(fresh, intent.chargeId);
  const { accountId, amount } = intent;
  return createRoute(ordered, { accountId, amount, kind: kindOf(intent), pinned: false, tried: true });
}
