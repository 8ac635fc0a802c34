import { Button, PasswordInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { FormEvent } from "react";
import { useTranslation } from "react-i18next";
import { useChange } from "../parts/change.ts";
import { Failure, Read } from "../parts/feedback.tsx";
import { Page, Section } from "../parts/page.tsx";
import { Table } from "../parts/table.tsx";
import { Moment } from "../parts/time.tsx";
import { callConsole } from "../session/calls.ts";
import { useSession } from "../session/session.tsx";

type OwnSession = {
  readonly id: string;
  readonly browser: string | null;
  readonly address: string | null;
  readonly seenAt: string;
  readonly current: boolean;
};
/** The server takes no shorter one. */
const SHORTEST_PASSWORD = 15;

/** `Firefox, Linux` of a browser's long name; the long name where it is none of the known. */
function nameOf(browser: string | null): string {
  const program = /(Edg|Firefox|Chrome|Safari)\w*\//.exec(browser ?? "")?.[1];
  const system = /Windows|Android|iPhone|iPad|Mac OS X|Linux/.exec(browser ?? "")?.[0];
  if (program === undefined) return browser ?? "–";
  return [program === "Edg" ? "Edge" : program, system].filter((one) => one !== undefined).join(", ");
}

/** The person's own password and sessions. */
export default function Settings() {
  const { t } = useTranslation();
  return (
    <Page title={t("nav.settings")}>
      <Sessions />
      <Password />
    </Page>
  );
}

function Sessions() {
  const { t } = useTranslation();
  const { session } = useSession();
  const query = useQuery({
    queryKey: ["sessions"],
    queryFn: () => callConsole<{ items: readonly OwnSession[] }>("GET", "/sessions"),
  });
  const end = useChange((id: string) => callConsole<void>("DELETE", `/sessions/${id}`, undefined, session.csrfToken));
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
      <Read query={query}>
        {({ items }) => (
          <Table
            caption={t("settings.sessions")}
            rows={items}
            keyOf={({ id }) => id}
            columns={[
              { key: "browser", title: t("settings.browser"), cell: ({ browser }) => nameOf(browser) },
              { key: "address", title: t("settings.address"), cell: ({ address }) => address ?? "–" },
              {
                key: "seen",
                title: t("settings.seen"),
                className: "quiet",
                cell: ({ seenAt }) => <Moment at={seenAt} />,
              },
              { key: "act", title: "", end: true, cell: act },
            ]}
            phone={(one) => [nameOf(one.browser), act(one), one.address ?? "", <Moment key="seen" at={one.seenAt} />]}
          />
        )}
      </Read>
    </Section>
  );
}

function Password() {
  const { t } = useTranslation();
  const { session } = useSession();
  const choose = useChange((password: string) =>
    callConsole<void>("POST", "/me/password", { password }, session.csrfToken),
  );
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    choose.mutate(String(new FormData(event.currentTarget).get("password") ?? ""));
  };
  return (
    <Section title={t("settings.password")}>
      {session.person.email === null ? (
        <p className="small quiet" style={{ paddingTop: 12 }}>
          {t("settings.noEmail")}
        </p>
      ) : (
        <form className="stack" onSubmit={submit} style={{ maxWidth: 400, paddingTop: 12 }}>
          <PasswordInput
            name="password"
            label={t("settings.newPassword")}
            description={t("settings.passwordHelp", { count: SHORTEST_PASSWORD })}
            autoComplete="new-password"
            required
            minLength={SHORTEST_PASSWORD}
            maxLength={200}
            visibilityToggleButtonProps={{ "aria-label": t("signIn.showPassword") }}
          />
          {choose.error && <Failure error={choose.error} />}
          {choose.isSuccess && (
            <p className="small" role="status">
              {t("settings.passwordSet")}
            </p>
          )}
          <Button type="submit" loading={choose.isPending}>
            {t("settings.choose")}
          </Button>
        </form>
      )}
    </Section>
  );
}
