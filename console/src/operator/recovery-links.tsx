import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { Answers } from "../generated/answers.ts";
import { useChange } from "../parts/change.ts";
import { Facts } from "../parts/facts.tsx";
import { Failure, isForbidden } from "../parts/feedback.tsx";
import { useAddress } from "../parts/filters.tsx";
import { showDayTime, showInFull } from "../parts/instant.ts";
import { Section } from "../parts/page.tsx";
import { Panel } from "../parts/panel.tsx";
import { State } from "../parts/state.tsx";
import { type Column, Table } from "../parts/table.tsx";
import { callConsole } from "../session/calls.ts";
import { useSession } from "../session/session.tsx";
import type { Member } from "../team/people.tsx";
import { decides } from "./deciding.ts";

export type RecoveryLink = Answers["listRecoveryLinks"]["items"][number];
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

/** Whose links they are, and what they open; each opens into revoking it, for who may. */
function Open({ items, mayChange }: { items: readonly RecoveryLink[]; mayChange: boolean }) {
  const { t } = useTranslation();
  const address = useAddress();
  const columns = useColumns();
  const close = () => address.change({ recovery: null });
  const one = mayChange ? items.find(({ linkId }) => linkId === address.get("recovery")) : undefined;
  return (
    <>
      <Table
        caption={t("team.recoveryLinks")}
        rows={items}
        keyOf={({ linkId }) => linkId}
        {...(mayChange && { onOpen: ({ linkId }: RecoveryLink) => address.change({ recovery: linkId }) })}
        columns={columns}
      />
      <Panel title={t("team.recoveryLink")} opened={one !== undefined} onClose={close}>
        {one && <Revoke link={one} onDone={close} />}
      </Panel>
    </>
  );
}

/** A link, and revoking it. */
function Revoke({ link, onDone }: { link: RecoveryLink; onDone: () => void }) {
  const { t, i18n } = useTranslation();
  const { session } = useSession();
  const { linkId, name, email, madeBy, expiresAt } = link;
  const revoke = useChange(
    () => callConsole<void>("DELETE", `${PATH}/${linkId}`, undefined, session.csrfToken),
    onDone,
  );
  return (
    <>
      <Facts
        facts={[
          [t("team.name"), name],
          [t("signIn.email"), email],
          [t("team.madeBy"), madeBy],
          [t("team.expires"), showInFull(new Date(expiresAt), i18n.language)],
        ]}
      />
      <p className="note">{t("team.revokeText", { name })}</p>
      {revoke.error && <Failure error={revoke.error} />}
      <Button color="red" loading={revoke.isPending} onClick={() => revoke.mutate()}>
        {t("team.revokeSure", { name })}
      </Button>
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
        if (role !== undefined) return t(`team.roles.${role}`);
        return decidesOf(link) ? t("team.decidesInAccount") : "–";
      },
      corner: "amount",
      phone: (link) => {
        const role = roleOf(link);
        return <span className="small second">{role !== undefined && t(`team.roles.${role}`)}</span>;
      },
    },
    { key: "by", title: t("team.madeBy"), className: "second", cell: ({ madeBy }) => madeBy },
    {
      key: "until",
      title: t("team.expires"),
      cell: (link) => (
        <State shape={shapeOf(link)}>
          <span className="num">{until(link)}</span>
        </State>
      ),
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
