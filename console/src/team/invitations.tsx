import "./team.css";
import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { Answers } from "../generated/answers.ts";
import { useChange } from "../parts/change.ts";
import { Facts } from "../parts/facts.tsx";
import { Failure, isForbidden } from "../parts/feedback.tsx";
import { useAddress } from "../parts/filters.tsx";
import { showInFull } from "../parts/instant.ts";
import { Section } from "../parts/page.tsx";
import { Panel } from "../parts/panel.tsx";
import { State } from "../parts/state.tsx";
import { Table } from "../parts/table.tsx";
import { Moment } from "../parts/time.tsx";
import { callConsole, SessionError } from "../session/calls.ts";
import { useSession } from "../session/session.tsx";

type Invitation = Answers["listPeopleInvitations"]["items"][number];

type Place = {
  /** Path of the routes of its invitations. */
  readonly invitations: string;
  readonly mayChange: boolean;
};

/** The open invitations to a place. */
export const useInvitations = ({ invitations }: Place) =>
  useQuery({
    queryKey: [invitations],
    queryFn: () => callConsole<Answers["listPeopleInvitations"]>("GET", invitations),
  });

/** Invitations that nobody has used yet, beneath the members: nothing where there is none. */
export function Invitations({ place, query }: { place: Place; query: ReturnType<typeof useInvitations> }) {
  const { t } = useTranslation();
  const address = useAddress();
  const items = query.data?.items ?? [];
  // Whoever may not read them may not read the members either, who say so.
  const failed = query.data === undefined && query.error !== null && !isForbidden(query.error);
  const title = t("team.invitations");
  return (
    <>
      {failed && (
        <Section title={title}>
          <Failure error={query.error} retry={() => void query.refetch()} />
        </Section>
      )}
      {items.length > 0 && (
        <Section title={title}>
          <InvitationTable place={place} items={items} />
        </Section>
      )}
      {place.mayChange && query.data !== undefined && (
        <OneInvitation
          place={place}
          id={address.get("invitation")}
          items={items}
          onClose={() => address.change({ invitation: null })}
        />
      )}
    </>
  );
}

function InvitationTable({ place, items }: { place: Place; items: readonly Invitation[] }) {
  const { t } = useTranslation();
  const address = useAddress();
  return (
    <Table
      caption={t("team.invitations")}
      rows={items}
      keyOf={({ invitationId }) => invitationId}
      {...(place.mayChange && {
        onOpen: ({ invitationId }: Invitation) => address.change({ invitation: invitationId }),
      })}
      columns={[
        {
          key: "name",
          title: t("team.name"),
          className: "lead person-name",
          cell: ({ name }) => name ?? t("team.unnamed"),
          corner: "who",
          phone: ({ name, email }) => name ?? email,
        },
        {
          key: "email",
          title: t("signIn.email"),
          className: "second person-email",
          cell: ({ email }) => email,
          corner: "state",
          phone: ({ name, email, invitedBy }) => (name === null ? t("team.invitedByName", { name: invitedBy }) : email),
        },
        { key: "role", title: t("team.role"), cell: ({ role }) => t(`team.roles.${role}`), corner: "amount" },
        {
          key: "by",
          title: t("team.invitedBy"),
          className: "second",
          cell: ({ invitedBy }) => invitedBy,
        },
        {
          key: "until",
          title: t("charges.column.state"),
          cell: ({ expiresAt }) => (
            <State shape="waiting">
              {t("team.awaited")} <Moment at={expiresAt} />
            </State>
          ),
          corner: "time",
          phone: ({ expiresAt }) => (
            <>
              {t("team.until")} <Moment at={expiresAt} />
            </>
          ),
        },
      ]}
    />
  );
}

/** An invitation, and withdrawing it; in its place that it is open no more, where somebody was faster. */
function OneInvitation(props: { place: Place; id: string | null; items: readonly Invitation[]; onClose: () => void }) {
  const { t } = useTranslation();
  const { place, id, items, onClose } = props;
  const invitation = items.find(({ invitationId }) => invitationId === id);
  return (
    <Panel title={invitation?.email ?? t("team.invitation")} opened={id !== null} onClose={onClose}>
      {invitation ? (
        <Withdraw place={place} invitation={invitation} onDone={onClose} />
      ) : (
        id !== null && <p className="note">{t("team.invitationGone")}</p>
      )}
    </Panel>
  );
}

function Withdraw({ place, invitation, onDone }: { place: Place; invitation: Invitation; onDone: () => void }) {
  const { t, i18n } = useTranslation();
  const { session } = useSession();
  const { invitationId, name, role, invitedBy, createdAt, expiresAt } = invitation;
  const withdraw = useChange(
    () => callConsole<void>("DELETE", `${place.invitations}/${invitationId}`, undefined, session.csrfToken),
    onDone,
  );
  const when = (at: string) => showInFull(new Date(at), i18n.language);
  // It was used or withdrawn meanwhile: the list is read again, and the panel says so.
  const isGone = withdraw.error instanceof SessionError && withdraw.error.code === "RESOURCE_NOT_FOUND";
  return (
    <>
      <Facts
        facts={[
          [t("team.name"), name],
          [t("team.role"), t(`team.roles.${role}`)],
          [t("team.invitedBy"), invitedBy],
          [t("team.made"), when(createdAt)],
          [t("team.expires"), when(expiresAt)],
        ]}
      />
      <p className="note">{t("team.withdrawText")}</p>
      {withdraw.error && !isGone && <Failure error={withdraw.error} />}
      <Button color="red" loading={withdraw.isPending} onClick={() => withdraw.mutate()}>
        {t("team.withdraw")}
      </Button>
    </>
  );
}
