import type { Pixgate } from "@pixgate/sdk";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { TFunction } from "i18next";
import { useTranslation } from "react-i18next";
import { Link } from "wouter";
import { undelivered, waitingBlocks, waitingWithdrawals } from "../app/waiting.tsx";
import { showBrl } from "../parts/amount.ts";
import { Loading, NotRead, useUnread } from "../parts/feedback.tsx";
import { showDayTime, showElapsed, showWhen } from "../parts/instant.ts";
import { Section } from "../parts/page.tsx";
import { Mark, type Shape } from "../parts/state.tsx";
import { unlessForbidden } from "../session/calls.ts";
import { useSession } from "../session/session.tsx";

type Need = {
  readonly key: string;
  readonly shape: Shape;
  readonly title: string;
  readonly text: string;
  readonly href: string;
};

/** What waits for a person: contested payments, withdrawals to approve or paid to another name, deliveries that were given up. `most` of them are shown. */
export function NeedsYou({ needs, most }: { needs: readonly Need[] | null; most?: number }) {
  const { t } = useTranslation();
  const error = useUnread(useWaiting());
  return (
    <Section title={t("needs.title")} end={needs === null || needs.length > (most ?? 99) ? null : needs.length}>
      <div className="need-list">
        {needs === null && error !== null ? (
          <NotRead error={error} />
        ) : needs === null ? (
          <Loading lines={2} />
        ) : needs.length === 0 ? (
          <p className="small quiet pad-top">{t("needs.nothing")}</p>
        ) : (
          <Needs needs={needs.slice(0, most)} />
        )}
      </div>
    </Section>
  );
}

/** Those after the first: on a phone it stands above the figures, which further ones do not move. */
export function FurtherNeeds({ needs }: { needs: readonly Need[] }) {
  const { t } = useTranslation();
  if (needs.length < 2) return null;
  return (
    <Section title={t("needs.further")}>
      <Needs needs={needs.slice(1)} />
    </Section>
  );
}

function Needs({ needs }: { needs: readonly Need[] }) {
  return needs.map(({ key, shape, title, text, href }) => (
    <Link key={key} href={href} className="need">
      <Mark shape={shape} />
      <span>
        <strong>{title}</strong>
        <span className="small quiet">{text}</span>
      </span>
    </Link>
  ));
}

const hadMoney = async (pixgate: Pixgate): Promise<boolean> =>
  (await pixgate.statement.list({ limit: 1 }).page()).items.length > 0;

/** The queries for what may need this person. */
export function useWaiting() {
  const session = useSession();
  const { pixgate, together, scope, may } = session;
  const queries = useQueryClient();
  return useQuery({
    queryKey: [...scope, "needs"],
    queryFn: async () => {
      const [blocks, withdrawals, deliveries, account] = await Promise.all([
        // The navigation counts these three.
        queries.fetchQuery(waitingBlocks(session)),
        queries.fetchQuery(waitingWithdrawals(session)),
        queries.fetchQuery(undelivered(session)),
        // The figures read it too.
        unlessForbidden(queries.fetchQuery({ queryKey: [...scope, "balance"], queryFn: () => together.account.get() })),
      ]);
      const available = account?.balance.available.amountFormatted ?? null;
      // A wallet that never had money is not drained.
      const isDrained = available !== null && available <= 0 && ((await unlessForbidden(hadMoney(pixgate))) ?? false);
      // What the person may not see or decide is not listed.
      const [defends, approves, replays] = ["BALANCE_BLOCK:WRITE", "WITHDRAWAL:APPROVE", "WEBHOOK:WRITE"].map(may);
      const sends = may("WITHDRAWAL:WRITE") || may("REFUND:WRITE");
      return {
        blocks: (defends && blocks) || [],
        withdrawals: approves ? withdrawals.items : [],
        unchecked: may("WITHDRAWAL:WRITE") ? withdrawals : null,
        drained: sends && isDrained ? available : null,
        failed: replays ? deliveries : null,
      };
    },
  });
}

/** What waits for a person, in the order in which it is shown; null: not yet known. */
export function useNeeds(): readonly Need[] | null {
  const { t, i18n } = useTranslation();
  const query = useWaiting();
  if (query.data === undefined) return null;
  const { blocks, withdrawals, unchecked, failed, drained } = query.data;
  return [
    ...blocks
      .toSorted((a, b) => deadlineOf(a) - deadlineOf(b))
      .map(
        ({ id, amount, respondBy }): Need => ({
          key: id,
          shape: "needs",
          title: t("needs.block", { amount: showBrl(amount) }),
          text:
            respondBy === undefined
              ? t("needs.blockText")
              : t("needs.blockUntil", {
                  when: showDayTime(new Date(respondBy), i18n.language),
                  left: showElapsed(new Date(respondBy).getTime() - Date.now(), i18n.language).replaceAll(
                    " ",
                    "\u00a0",
                  ),
                }),
          href: `/blocks/${id}`,
        }),
      ),
    ...withdrawals.map(
      ({ id, amount, createdAt, snapshotHolderName }): Need => ({
        key: id,
        shape: "needs",
        title: t("needs.approval", { amount: showBrl(amount) }),
        text: t("needs.approvalText", {
          name: snapshotHolderName,
          when: showWhen(new Date(createdAt), i18n.language),
        }),
        href: `/withdrawals?open=${id}`,
      }),
    ),
    ...(unchecked === null || unchecked.unchecked.length === 0 ? [] : [receiversNeed(unchecked, t)]),
    ...(drained === null ? [] : [drainedBalance(drained, t)]),
    ...(failed === null || failed.items.length === 0 ? [] : [undeliveredNeed(failed, t)]),
  ];
}

/** When a block must be answered, milliseconds; one without a deadline comes last. */
const deadlineOf = ({ respondBy }: { readonly respondBy?: string | undefined }): number =>
  respondBy === undefined ? Number.POSITIVE_INFINITY : new Date(respondBy).getTime();

/** Of withdrawals that were paid to another name: one by itself, several as a list. */
function receiversNeed(
  { unchecked, moreUnchecked: more }: Awaited<ReturnType<ReturnType<typeof waitingWithdrawals>["queryFn"]>>,
  t: TFunction,
): Need {
  const [one, ...others] = unchecked;
  if (one === undefined || others.length > 0 || more) {
    const shown = more ? `${unchecked.length}+` : unchecked.length;
    const [title, text] = [t("needs.receivers", { shown }), t("needs.receiversText")];
    return { key: "receivers", shape: "needs", title, text, href: "/withdrawals?state=completed&waits=person" };
  }
  const names = { name: one.receiverName, asked: one.snapshotHolderName };
  return {
    key: one.id,
    shape: "needs",
    title: t("needs.receiver", { amount: showBrl(one.amount) }),
    text: t("needs.receiverText", names),
    href: `/withdrawals?open=${one.id}`,
  };
}

/** Of events that a receiver did not take: one by itself, several as a list. */
function undeliveredNeed({ items, more }: { items: readonly { id: string }[]; more: boolean }, t: TFunction): Need {
  const { length: count } = items;
  return {
    key: "undelivered",
    shape: "failed",
    title: t("needs.delivery", { count, shown: more ? `${count}+` : count }),
    text: t("needs.deliveryText"),
    href: `/developers/webhooks?status=failed${count === 1 ? `&delivery=${items[0]?.id}` : ""}`,
  };
}

/** Of a wallet with `available` BRL, zero or less: requests to pay out of it are refused. */
function drainedBalance(available: number, t: TFunction): Need {
  const key = available < 0 ? "negative" : "drained";
  return {
    key: "drained",
    shape: "needs",
    title: t(`needs.${key}`, { amount: showBrl(-available) }),
    text: t(`needs.${key}Text`),
    href: "/statement",
  };
}
