import { Button, Popover } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "wouter";
import { useChange } from "../parts/change.ts";
import { Failure } from "../parts/feedback.tsx";
import { Icon } from "../parts/icon.tsx";
import { Moment } from "../parts/time.tsx";
import { callConsole } from "./calls.ts";
import { NOTICES, type Notice } from "./notices.ts";
import { useSession } from "./session.tsx";

/** Kinds of notices that are named; the settings list all. */
const NAMED = 4;

/** In the bar: that something happened to one's access since one last said that one has seen it; opened, what, and what stops a stranger. */
export default function SinceLast() {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  const query = useQuery(NOTICES);
  const fresh = (query.data?.items ?? []).filter(({ isNew }) => isNew);
  if (query.data === undefined || fresh.length === 0) return null;
  return (
    <Popover opened={isOpen} onChange={setOpen} position="bottom-end" trapFocus returnFocus>
      <Popover.Target>
        <button type="button" className="since-last" onClick={() => setOpen(!isOpen)}>
          <Icon name="credentials" size={14} />
          <span className="wide-only">{t("notices.count", { count: fresh.length })}</span>
          <span className="hidden phone-only">{t("notices.count", { count: fresh.length })}</span>
          <span className="num phone-only" aria-hidden="true">
            {fresh.length}
          </span>
        </button>
      </Popover.Target>
      <Popover.Dropdown aria-label={t("notices.title")}>
        <Happened fresh={fresh} since={query.data.since} onLeave={() => setOpen(false)} />
      </Popover.Dropdown>
    </Popover>
  );
}

function Happened(props: { fresh: readonly Notice[]; since: string; onLeave: () => void }) {
  const { fresh, since, onLeave } = props;
  const { t } = useTranslation();
  const { session } = useSession();
  const see = useChange(() =>
    callConsole<void>("POST", "/me/notices/seen", { until: fresh[0]!.at }, session.csrfToken),
  );
  const endOthers = useChange(() => callConsole<object>("DELETE", "/sessions", undefined, session.csrfToken));
  const kinds = countKinds(fresh);
  const addresses = [...new Set(fresh.flatMap(({ address }) => address ?? []))];
  return (
    <div className="since-last-panel stack">
      <p>
        <b>{t("notices.title")}</b>{" "}
        <span className="second small">
          {t("notices.since")} <Moment at={since} />
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
        <Link href="/settings" className="link small" onClick={onLeave}>
          {t("notices.all")}
        </Link>
      </div>
    </div>
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
