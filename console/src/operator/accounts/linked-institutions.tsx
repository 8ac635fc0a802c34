import { Button } from "@mantine/core";
import type { operator } from "@pixgate/sdk";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useChange } from "../../parts/change.ts";
import { Failure, Read } from "../../parts/feedback.tsx";
import { Section } from "../../parts/page.tsx";
import { Mark } from "../../parts/state.tsx";
import { AskIfSure } from "../../parts/sure.tsx";
import { useSession } from "../../session/session.tsx";
import { AGAIN_MS, useInstitutions } from "../reads.ts";
import { wordOf } from "../words.ts";

type Linked = operator.AccountInstitution;
type Linkable = Pick<Linked, "id" | "name" | "status" | "enabled">;

/** The institutions that an account is linked to, and whether it uses them. */
export function useLinked(accountId: string) {
  const { operator } = useSession();
  return useQuery({
    queryKey: ["operator", "account", accountId, "institutions"],
    queryFn: () => operator.accounts.institutions(accountId),
    refetchInterval: AGAIN_MS,
  });
}

/** The institutions that an account may use, in the order of its route; an admin changes which. */
export function LinkedInstitutions({ accountId: id }: { accountId: string }) {
  const { t } = useTranslation();
  const query = useLinked(id);
  const others = useOthers();
  return (
    <Section title={t("nav.operators.institutions")}>
      <Read query={query} lines={2}>
        {({ items }) => (
          <>
            {items.length === 0 && <p className="row-line small quiet">{t("operator.accounts.noInstitution")}</p>}
            {items.map((one) => (
              <One key={one.id} accountId={id} one={one} used={items.filter(({ enabled }) => enabled)} />
            ))}
            {others
              .filter((one) => !items.some((linked) => linked.id === one.id))
              .map((one) => (
                <One key={one.id} accountId={id} one={one} used={[]} />
              ))}
          </>
        )}
      </Read>
    </Section>
  );
}

/** The active institutions of this environment, which an admin may let an account use. */
export function useOthers(): readonly Linkable[] {
  const { session } = useSession();
  const { data } = useInstitutions();
  if (session.installationRole !== "admin") return [];
  return (data ?? [])
    .filter(({ status, environment }) => status === "active" && environment === session.environment)
    .map(({ id, name, status }) => ({ id, name, status, enabled: false }));
}

function One({ accountId, one, used }: { accountId: string; one: Linkable; used: readonly Linked[] }) {
  const { t } = useTranslation();
  const { operator, session } = useSession();
  const [isLeaving, setLeaving] = useState(false);
  const link = useChange((enabled: boolean) => operator.institutions.link(accountId, one.id, { enabled }));
  const place = used.findIndex(({ id }) => id === one.id) + 1;
  return (
    <>
      <div className="row-line">
        <Mark shape={one.enabled && one.status === "active" ? "done" : "ended"} />
        <span>
          <strong>{one.name}</strong>
          <span className="small quiet block">
            {one.enabled
              ? `${wordOf("institutionStatus", one.status)} · ${t("operator.accounts.place", { place })}`
              : t("operator.accounts.notUsed")}
          </span>
        </span>
        {session.installationRole === "admin" && !isLeaving && (
          <span className="row-end">
            <Button
              size="xs"
              variant="default"
              loading={link.isPending}
              onClick={() => (one.enabled ? setLeaving(true) : link.mutate(true))}
            >
              {t(one.enabled ? "operator.accounts.unlink" : "operator.accounts.link")}
            </Button>
          </span>
        )}
      </div>
      {isLeaving && (
        <AskIfSure
          // Without any, the account cannot charge or pay.
          note={t(used.length > 1 ? "operator.accounts.unlinkText" : "operator.accounts.unlinkLast")}
          sure={t("operator.accounts.unlinkSure", { name: one.name })}
          onAnswer={(isSure) => {
            setLeaving(false);
            if (isSure) link.mutate(false);
          }}
        />
      )}
      {link.error && <Failure error={link.error} />}
    </>
  );
}
