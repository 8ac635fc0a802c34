import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Answers } from "../generated/answers.ts";
import { useChange } from "../parts/change.ts";
import { Failure, isForbidden } from "../parts/feedback.tsx";
import { showDayTime } from "../parts/instant.ts";
import { Section } from "../parts/page.tsx";
import { State } from "../parts/state.tsx";
import { AskIfSure } from "../parts/sure.tsx";
import { type Column, Table } from "../parts/table.tsx";
import { callConsole } from "../session/calls.ts";
import { useSession } from "../session/session.tsx";
import type { Member } from "../team/people.tsx";
import { decides } from "./deciding.ts";

type RecoveryLink = Answers["listRecoveryLinks"]["items"][number];
const PATH = "/recovery-links";

/** Links that let somebody in again, which nobody has used yet. */
export const useRecoveryLinks = () =>
  useQuery({
    queryKey: [PATH],
    queryFn: () => callConsole<Answers["listRecoveryLinks"]>("GET", PATH),
  });

/** Whose links they are, and what they open: nothing where there is none. */
export function RecoveryLinks({ mayChange }: { mayChange: boolean }) {
  const { t } = useTranslation();
  const links = useRecoveryLinks();
  const items = links.data?.items ?? [];
  const title = t("team.recoveryLinks");
  const failed = links.data === undefined && links.error !== null && !isForbidden(links.error);
  if (failed) {
    return (
      <Section title={title}>
        <Failure error={links.error} retry={() => void links.refetch()} />
      </Section>
    );
  }
  if (items.length === 0) return null;
  return (
    <Section title={title}>
      <p className="small second pad-top gap-below">{t("team.recoveryText")}</p>
      <Open items={items} mayChange={mayChange} />
    </Section>
  );
}

/** Whose links they are, and what they open; revoking one asks first. */
function Open({ items, mayChange }: { items: readonly RecoveryLink[]; mayChange: boolean }) {
  const { t } = useTranslation();
  const { session } = useSession();
  const [asked, setAsked] = useState<string | null>(null);
  const revoke = useChange((linkId: string) =>
    callConsole<void>("DELETE", `${PATH}/${linkId}`, undefined, session.csrfToken),
  );
  const columns = useColumns();
  const act = ({ linkId }: RecoveryLink) => (
    <button type="button" className="act" disabled={revoke.isPending} onClick={() => setAsked(linkId)}>
      {t("team.revokeLink")}
    </button>
  );
  const actOnPhone = ({ linkId }: RecoveryLink) => (
    <Button size="xs" variant="default" loading={revoke.isPending} onClick={() => setAsked(linkId)}>
      {t("team.revokeLink")}
    </Button>
  );
  const one = items.find(({ linkId }) => linkId === asked);
  return (
    <>
      {revoke.error && <Failure error={revoke.error} />}
      <Table
        caption={t("team.recoveryLinks")}
        rows={items}
        keyOf={({ linkId }) => linkId}
        columns={[
          ...columns,
          ...(mayChange
            ? [
                {
                  key: "act",
                  title: t("team.revokeLink"),
                  isTitleHidden: true,
                  end: true,
                  cell: act,
                  corner: "amount",
                  phone: actOnPhone,
                } as const,
              ]
            : []),
        ]}
      />
      {one && (
        <AskIfSure
          note={t("team.revokeText", { name: one.name })}
          sure={t("team.revokeSure", { name: one.name })}
          onAnswer={(isSure) => {
            setAsked(null);
            if (isSure) revoke.mutate(one.linkId);
          }}
        />
      )}
    </>
  );
}

/** The role of whom a link lets in: undefined while it is read, and of somebody without one in the installation. */
function useRoleOf(): (link: RecoveryLink) => Member["role"] | undefined {
  const { data } = useQuery({
    queryKey: ["/people"],
    queryFn: () => callConsole<Answers["listPeople"]>("GET", "/people"),
  });
  return ({ personId }) => data?.items.find((member) => member.personId === personId)?.role;
}

/** Whether whoever opens a link decides about money, in an account too; a process of an earlier version knows only their role here. */
export function useDecidesOf(): (link: RecoveryLink) => boolean {
  const roleOf = useRoleOf();
  return (link) => (link as Partial<RecoveryLink>).decides ?? decides(roleOf(link));
}

/** A link of somebody who decides about money is marked: whoever opens it decides in their place. */
function useColumns(): readonly Column<RecoveryLink>[] {
  const { t, i18n } = useTranslation();
  const [roleOf, decidesOf] = [useRoleOf(), useDecidesOf()];
  const shapeOf = (link: RecoveryLink) => (decidesOf(link) ? "needs" : "waiting");
  const until = ({ expiresAt }: RecoveryLink) => showDayTime(new Date(expiresAt), i18n.language);
  return [
    { key: "name", title: t("team.name"), className: "lead link-name", cell: ({ name }) => name, corner: "who" },
    {
      key: "email",
      title: t("signIn.email"),
      className: "second link-email",
      cell: ({ email }) => email ?? "–",
    },
    {
      key: "role",
      title: t("team.role"),
      cell: (link) => {
        const role = roleOf(link);
        if (role !== undefined) return <State shape={shapeOf(link)}>{t(`team.roles.${role}`)}</State>;
        return decidesOf(link) ? <State shape="needs">{t("team.decidesInAccount")}</State> : "–";
      },
    },
    { key: "by", title: t("team.madeBy"), className: "second", cell: ({ madeBy }) => madeBy },
    {
      key: "until",
      title: t("team.expires"),
      cell: (link) => <span className="num">{until(link)}</span>,
      corner: "state",
      phone: (link) => (
        <State shape={shapeOf(link)}>
          <span className="whole">
            {t("team.until")} {until(link)} · {t("team.madeByName", { name: link.madeBy })}
          </span>
        </State>
      ),
    },
  ];
}
