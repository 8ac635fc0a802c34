import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Link } from "wouter";
import { useChange } from "../parts/change.ts";
import { Failure } from "../parts/feedback.tsx";
import { Moment } from "../parts/time.tsx";
import { callConsole } from "./calls.ts";
import { NOTICES, type Notice } from "./notices.ts";
import { useSession } from "./session.tsx";

/** Kinds of notices that are named; the settings list all. */
const NAMED = 4;

/** What happened to one's access since one last said that one has seen it, with what stops a stranger. */
export default function SinceLast() {
  const { t } = useTranslation();
  const { session } = useSession();
  const query = useQuery(NOTICES);
  const fresh = (query.data?.items ?? []).filter(({ isNew }) => isNew);
  const newest = fresh[0];
  const see = useChange(() => callConsole<void>("POST", "/me/notices/seen", { until: newest!.at }, session.csrfToken));
  const endOthers = useChange(() => callConsole<object>("DELETE", "/sessions", undefined, session.csrfToken));
  if (query.data === undefined || newest === undefined) return null;
  const kinds = countKinds(fresh);
  const addresses = [...new Set(fresh.flatMap(({ address }) => address ?? []))];
  return (
    <aside className="since-last stack" aria-label={t("notices.title")}>
      <p>
        <b>{t("notices.title")}</b>{" "}
        <span className="second small">
          {t("notices.since")} <Moment at={query.data.since} />
        </span>
      </p>
      <ul>
        {kinds.slice(0, NAMED).map(([action, count]) => (
          <li key={action}>
            {t(`notices.${action}`)}
            {count > 1 && ` (${count}×)`}
            {action === "person.sign-in" && addresses.length > 0 && `, ${t("notices.from")} ${shown(addresses)}`}
          </li>
        ))}
        {kinds.length > NAMED && <li>{t("notices.more")}</li>}
      </ul>
      {[see.error, endOthers.error].map((error) => error !== null && <Failure key={String(error)} error={error} />)}
      <div className="since-last-acts">
        <Button size="xs" loading={see.isPending} onClick={() => see.mutate()}>
          {t("notices.seen")}
        </Button>
        <Button
          size="xs"
          variant="default"
          color="red"
          loading={endOthers.isPending}
          onClick={() => endOthers.mutate()}
        >
          {t("notices.endOthers")}
        </Button>
        <Link href="/settings" className="link small">
          {t("notices.all")}
        </Link>
      </div>
    </aside>
  );
}

/** The first three addresses. */
const shown = (addresses: readonly string[]): string =>
  addresses.slice(0, 3).join(", ") + (addresses.length > 3 ? ` +${addresses.length - 3}` : "");

/** How often each kind came: what changes how one signs in first, sign-ins and sign-outs last. */
function countKinds(notices: readonly Notice[]): [action: string, count: number][] {
  const counts = new Map<string, number>();
  for (const { action } of notices) counts.set(action, (counts.get(action) ?? 0) + 1);
  const everyday = ["person.sign-in", "person.sign-out"];
  return [...counts].sort(([a], [b]) => everyday.indexOf(a) - everyday.indexOf(b));
}
