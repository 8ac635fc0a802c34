import "./team.css";
import { Button, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { TFunction } from "i18next";
import { type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import type { Answers } from "../generated/answers.ts";
import { useChange } from "../parts/change.ts";
import { Failure, Loading, Read } from "../parts/feedback.tsx";
import { useAddress } from "../parts/filters.tsx";
import { FormPanel, fieldOf } from "../parts/form-panel.tsx";
import { FreeText } from "../parts/free-text.tsx";
import { showInFull } from "../parts/instant.ts";
import { MakingPage } from "../parts/list-screen.tsx";
import { Panel } from "../parts/panel.tsx";
import { Secret } from "../parts/secret.tsx";
import { NativeSelect } from "../parts/select.ts";
import { State } from "../parts/state.tsx";
import { type Column, Table } from "../parts/table.tsx";
import { Moment } from "../parts/time.tsx";
import { callConsole } from "../session/calls.ts";
import { useSession } from "../session/session.tsx";
import { EndsWithMaker, type MadeAnswer, madeIn } from "./ends-with-maker.tsx";
import { Invitations, useInvitations } from "./invitations.tsx";

export type Member = Answers["listPeople"]["items"][number];

/** Where people have roles: an account, or the installation. */
type Place = {
  /** Paths of the routes of its people, and of its invitations. */
  readonly path: string;
  readonly invitations: string;
  readonly title: string;
  /** The least, the last one, is offered first. */
  readonly roles: readonly string[];
  /** Whether this person may invite, change and remove. */
  readonly mayChange: boolean;
  /** What a role is for, in a sentence. */
  readonly about?: (role: string) => string;
};

type PeopleProps = {
  place: Place;
  /** Stands above the list, and says what it comes to. */
  answer?: (members: readonly Member[]) => ReactNode;
  /** What the answer or `children` say is not read yet. */
  isAwaited?: boolean;
  children?: ReactNode;
};

/** Everybody with a role in a place: invited by a link, given another role, removed; and who is invited. */
export function People({ place, answer, isAwaited = false, children }: PeopleProps) {
  const { t } = useTranslation();
  const address = useAddress();
  const { mayChange } = place;
  const columnsOf = useMemberColumns();
  const people = useQuery({
    queryKey: [place.path],
    queryFn: () => callConsole<Answers["listPeople"]>("GET", place.path),
  });
  const invitations = useInvitations(place);
  // Its parts are shown together: nothing jumps.
  const areRead = !people.isPending && !invitations.isPending && !isAwaited;
  const open = people.data?.items.find(({ personId }) => personId === address.get("open"));
  return (
    <MakingPage
      title={place.title}
      make={
        mayChange && {
          text: t("team.invite"),
          panel: (opened, close) => <Invite place={place} opened={opened} onClose={close} />,
        }
      }
    >
      {areRead ? (
        <>
          <Read query={people}>
            {({ items }) => (
              <>
                {answer?.(items)}
                <Table<Member>
                  caption={place.title}
                  rows={items}
                  keyOf={({ personId }) => personId}
                  {...(mayChange && { onOpen: ({ personId }: Member) => address.change({ open: personId }) })}
                  columns={columnsOf(items)}
                />
              </>
            )}
          </Read>
          <Invitations place={place} query={invitations} />
          {children}
        </>
      ) : (
        <Loading lines={4} areRows />
      )}
      <OneMember place={place} member={open ?? null} onClose={() => address.change({ open: null })} />
    </MakingPage>
  );
}

/** Who they are, what they may do, how and when they come in. */
function useMemberColumns(): (items: readonly Member[]) => readonly Column<Member>[] {
  const { t } = useTranslation();
  return (items) => [
    {
      key: "name",
      title: t("team.name"),
      className: "lead person-name",
      cell: (member) => <MemberName member={member} />,
      corner: "who",
    },
    {
      key: "email",
      title: t("signIn.email"),
      className: "second person-email",
      cell: ({ email }) => email ?? "–",
      corner: "state",
      phone: ({ email }) => email,
    },
    {
      key: "role",
      title: t("team.role"),
      cell: ({ role }) => t(`team.roles.${role}`),
      corner: "amount",
      phone: ({ role }) => <span className="small second">{t(`team.roles.${role}`)}</span>,
    },
    ...accessColumns(items, t),
  ];
}

/** How people prove that it is they, where the list says it: a password alone wants somebody. */
function factorColumn(items: readonly Member[], title: string): readonly Column<Member>[] {
  if (items.every(({ secondFactor }) => secondFactor === undefined)) return [];
  return [
    {
      key: "factor",
      title,
      corner: "time",
      cell: ({ secondFactor = null }) => <Factor factor={secondFactor} none="team.noFactor" />,
      // A phone has no name of the column above it.
      phone: ({ secondFactor = null }) => <Factor factor={secondFactor} none="team.withoutFactor" />,
    },
  ];
}

const accessColumns = (items: readonly Member[], t: TFunction): readonly Column<Member>[] => [
  ...factorColumn(items, t("team.secondFactor")),
  lastSeenColumn(items, t("team.lastSeen")),
];

/** When they last used the console: who has left is seen here. */
function lastSeenColumn(items: readonly Member[], title: string): Column<Member> {
  return {
    key: "seen",
    title,
    end: true,
    className: "second",
    cell: ({ lastSeenAt }) => (lastSeenAt ? <Moment at={lastSeenAt} /> : "–"),
    // Where people have a second factor, a phone shows that.
    ...(items.every(({ secondFactor }) => secondFactor === undefined) && { corner: "time" }),
    phone: ({ lastSeenAt }) => lastSeenAt && <Moment at={lastSeenAt} />,
  };
}

function Factor({ factor, none }: { factor: string | null; none: string }) {
  const { t } = useTranslation();
  return (
    <State shape={factor === null ? "needs" : "done"}>
      {t(factor === null ? none : `team.factors.${factor}`, factor ?? "")}
    </State>
  );
}

function MemberName({ member: { personId, name } }: { member: Member }) {
  const { t } = useTranslation();
  const { session } = useSession();
  return (
    <>
      <FreeText>{name}</FreeText>
      {personId === session.person.id && <span className="small quiet"> {t("team.you")}</span>}
    </>
  );
}

function useRoleChoices({ roles }: Place) {
  const { t } = useTranslation();
  return roles.map((value) => ({ value, label: t(`team.roles.${value}`) }));
}

/** What the chosen role is for, where the place says it. */
function About({ place, role }: { place: Place; role: string }) {
  return place.about ? <p className="small second">{place.about(role)}</p> : null;
}

/** An invitation is a link: whoever sends it chooses the way. */
function Invite({ place, opened, onClose }: { place: Place; opened: boolean; onClose: () => void }) {
  const { t, i18n } = useTranslation();
  const { session } = useSession();
  const roles = useRoleChoices(place);
  const least = place.roles.at(-1) ?? "";
  const [role, setRole] = useState(least);
  return (
    <FormPanel
      title={t("team.invite")}
      opened={opened}
      onClose={() => {
        setRole(least);
        onClose();
      }}
      read={(form) => {
        const name = fieldOf(form, "name");
        return { email: fieldOf(form, "email"), role: fieldOf(form, "role"), ...(name !== "" && { name }) };
      }}
      save={(body) => callConsole<Answers["invitePeople"]>("POST", place.path, body, session.csrfToken)}
      saved={({ link, expiresAt }, close) => (
        <>
          <p>{t("team.link", { when: showInFull(new Date(expiresAt), i18n.language) })}</p>
          <Secret text={link} onKept={close} />
        </>
      )}
      shownOnce
      button={{ text: t("team.makeLink") }}
    >
      <TextInput name="email" type="email" label={t("signIn.email")} required maxLength={254} data-autofocus />
      <TextInput name="name" label={t("team.nameOptional")} maxLength={100} />
      <NativeSelect
        name="role"
        label={t("team.role")}
        data={roles}
        value={role}
        onChange={({ currentTarget }) => setRole(currentTarget.value)}
      />
      <About place={place} role={role} />
      <p className="note">{t("team.inviteText")}</p>
    </FormPanel>
  );
}

/** Somebody's role; another one, or none. */
function OneMember(props: { place: Place; member: Member | null; onClose: () => void }) {
  const { place, member, onClose } = props;
  return (
    <Panel title={member?.name ?? place.title} opened={member !== null} onClose={onClose}>
      {member && <ChangeMember place={place} member={member} onDone={onClose} />}
    </Panel>
  );
}

function ChangeMember({ place, member, onDone }: { place: Place; member: Member; onDone: () => void }) {
  const { t } = useTranslation();
  const { session } = useSession();
  const roles = useRoleChoices(place);
  const [role, setRole] = useState(member.role);
  const path = `${place.path}/${member.personId}`;
  const change = useChange(({ removed, made }: { removed: boolean; made?: MadeAnswer }) => {
    const answered = made === undefined ? path : `${path}?made=${made}`;
    return removed
      ? callConsole<unknown>("DELETE", answered, undefined, session.csrfToken)
      : callConsole<unknown>("PATCH", answered, { role }, session.csrfToken);
  }, onDone);
  const made = madeIn(change.error);
  if (member.personId === session.person.id) return <p className="note">{t("team.yourself")}</p>;
  return (
    <>
      <p className="second">{member.email}</p>
      <NativeSelect
        label={t("team.role")}
        data={roles}
        value={role}
        onChange={({ currentTarget }) => setRole(currentTarget.value)}
      />
      <About place={place} role={role} />
      <p className="note">{t("team.changeText")}</p>
      {change.error && made === null && <Failure error={change.error} />}
      {made !== null && (
        <EndsWithMaker
          made={made}
          busy={change.isPending}
          onAnswer={(answer) => change.mutate({ removed: change.variables?.removed ?? false, made: answer })}
        />
      )}
      <div className="abreast">
        <Button
          disabled={role === member.role}
          loading={change.isPending}
          onClick={() => change.mutate({ removed: false })}
        >
          {t("team.change")}
        </Button>
        <Button variant="default" loading={change.isPending} onClick={() => change.mutate({ removed: true })}>
          {t("team.remove", { name: member.name })}
        </Button>
      </div>
    </>
  );
}
