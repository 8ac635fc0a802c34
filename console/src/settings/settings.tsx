import { Button, useMantineColorScheme } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { CSSProperties } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "wouter";
import type { Answers } from "../generated/answers.ts";
import { useChange } from "../parts/change.ts";
import { timeColumn } from "../parts/columns.tsx";
import { Facts } from "../parts/facts.tsx";
import { Failure, Read } from "../parts/feedback.tsx";
import { useLook } from "../parts/look.ts";
import { Page, Section } from "../parts/page.tsx";
import { State } from "../parts/state.tsx";
import { Table } from "../parts/table.tsx";
import { browserName } from "../session/browser-name.ts";
import { callConsole } from "../session/calls.ts";
import { NewPassword } from "../session/new-password.tsx";
import { useSession } from "../session/session.tsx";
import { Activity } from "./activity.tsx";
import { Passkeys } from "./passkeys.tsx";
import { SecondFactor } from "./second-factor.tsx";

type OwnSession = Answers["listSessions"]["items"][number];

const nameOf = ({ browser }: OwnSession): string => browserName(browser) ?? browser ?? "–";

/** Who the person is, how they sign in, where they are signed in, and what happened to their access. */
export default function Settings() {
  const { t } = useTranslation();
  return (
    <Page title={t("nav.settings")}>
      <Person />
      <Passkeys />
      <Password />
      <SecondFactor />
      <Sessions />
      <Activity />
    </Page>
  );
}

function Person() {
  const { t } = useTranslation();
  const { session } = useSession();
  const look = useLook();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <Section title={t("settings.you")}>
      <Facts
        facts={[
          [t("team.name"), session.person.name],
          [t("signIn.email"), session.person.email ?? <WithoutEmail key="email" />],
        ]}
      />
      <div className="flow-wide pad-top">
        <Choice
          label={t("settings.language")}
          choices={{ Português: "Português", English: "English" }}
          chosen={look.language}
          onChoose={look.changeLanguage}
        />
        <Choice
          label={t("settings.colours")}
          choices={{ auto: t("settings.auto"), light: t("settings.light"), dark: t("settings.dark") }}
          chosen={colorScheme}
          onChoose={setColorScheme}
        />
      </div>
    </Section>
  );
}

/** Only an invitation gives an e-mail to who signed in by the link of the installation. */
function WithoutEmail() {
  const { t } = useTranslation();
  const { session } = useSession();
  return (
    <span className="flow">
      {t("settings.withoutEmail")}
      {session.accounts.length > 0 && (
        <Link href="/team?new=1" className="act">
          {t("settings.toTeam")}
        </Link>
      )}
    </span>
  );
}

const useSessions = () =>
  useQuery({
    queryKey: ["sessions"],
    queryFn: () => callConsole<Answers["listSessions"]>("GET", "/sessions"),
  });

/** In the dark Mantine's "light" button looks like its others. */
const CHOSEN = {
  "--button-bg": "var(--accent-ground)",
  "--button-hover": "var(--accent-ground)",
  "--button-color": "var(--accent)",
  "--button-bd": "1px solid var(--accent)",
} as CSSProperties;

/** One of a few, each by its name. */
function Choice<Of extends string>(props: {
  label: string;
  choices: Readonly<Record<Of, string>>;
  chosen: string;
  onChoose: (one: Of) => void;
}) {
  const { label, choices, chosen, onChoose } = props;
  return (
    <div>
      <p className="label gap-below-small">{label}</p>
      <Button.Group aria-label={label}>
        {(Object.keys(choices) as Of[]).map((one) => (
          <Button
            key={one}
            variant="default"
            aria-pressed={one === chosen}
            {...(one === chosen ? { style: CHOSEN } : { onClick: () => onChoose(one) })}
          >
            {choices[one]}
          </Button>
        ))}
      </Button.Group>
    </div>
  );
}

function Sessions() {
  const { t } = useTranslation();
  const { session } = useSession();
  const query = useSessions();
  const end = useChange((id: string) => callConsole<void>("DELETE", `/sessions/${id}`, undefined, session.csrfToken));
  const endOthers = useChange(() => callConsole<object>("DELETE", "/sessions", undefined, session.csrfToken));
  const act = ({ id, current }: OwnSession) =>
    current ? (
      <span className="quiet">{t("settings.current")}</span>
    ) : (
      <button type="button" className="act" onClick={() => end.mutate(id)}>
        {t("settings.end")}
      </button>
    );
  return (
    <Section title={t("settings.sessions")}>
      {end.error && <Failure error={end.error} />}
      {endOthers.error && <Failure error={endOthers.error} />}
      <Read query={query} lines={2}>
        {({ items }) => (
          <Table<OwnSession>
            caption={t("settings.sessions")}
            rows={items}
            keyOf={({ id }) => id}
            columns={[
              { key: "browser", title: t("settings.browser"), cell: nameOf, corner: "who" },
              {
                key: "address",
                title: t("settings.address"),
                cell: ({ address }) => address ?? "–",
                corner: "state",
                phone: ({ address }) => address,
              },
              timeColumn(t("settings.seen"), ({ seenAt }) => seenAt),
              { key: "act", title: t("settings.end"), isTitleHidden: true, end: true, cell: act, corner: "amount" },
            ]}
          />
        )}
      </Read>
      {(query.data?.items.length ?? 0) > 1 && (
        <button type="button" className="act gap-above" onClick={() => endOthers.mutate()}>
          {t("settings.endOthers")}
        </button>
      )}
    </Section>
  );
}

function Password() {
  const { t } = useTranslation();
  const sessions = useSessions();
  const { session } = useSession();
  return (
    <Section title={t("settings.password")}>
      {session.person.email === null ? (
        <p className="pad-top narrow">
          <State shape="needs">{t("settings.noEmail")}</State>
        </p>
      ) : (
        <div className="pad-top narrow">
          <NewPassword
            session={session}
            button={t("settings.choose")}
            endsOthers={(sessions.data?.items.length ?? 0) > 1}
          >
            <p className="small" role="status">
              {t("settings.passwordSet")}
            </p>
          </NewPassword>
        </div>
      )}
    </Section>
  );
}
