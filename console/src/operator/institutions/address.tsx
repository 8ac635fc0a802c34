import { Button } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useChange } from "../../parts/change.ts";
import { copy } from "../../parts/copy.ts";
import { Failure, Read } from "../../parts/feedback.tsx";
import { Section } from "../../parts/page.tsx";
import { useSession } from "../../session/session.tsx";
import { useBanks } from "../reads.ts";
import { inWords } from "./bank-name.ts";

/** What to register at the bank so that it notifies us, and how that is done at this kind of bank. For admins. */
export function NotificationAddress({ id, name, provider }: { id: string; name: string; provider: string }) {
  const { t, i18n } = useTranslation();
  const { operator, session } = useSession();
  const { data: banks } = useBanks();
  const mayRead = session.installationRole === "admin" || session.installationRole === "auditor";
  const [isAsked, setIsAsked] = useState(false);
  const queries = useQueryClient();
  const queryKey = ["operator", "notification-address", id];
  const query = useQuery({
    queryKey,
    queryFn: () => operator.institutions.notificationAddress(id),
    enabled: mayRead && isAsked,
  });
  // The old one is not shown any more, whether or not the new one can be read.
  const rotate = useChange(
    () => operator.institutions.rotateNotificationPath(id),
    () => void queries.resetQueries({ queryKey }),
  );
  if (!mayRead) return null;
  if (!isAsked) return <Ask onAsk={() => setIsAsked(true)} />;
  const words = banks?.find((bank) => bank.id === provider)?.notified;
  return (
    <Section title={t("operator.address.title")}>
      <Read query={query} lines={2}>
        {({ url, path }) => (
          <>
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: code scrolls by keyboard */}
            <pre className="code" tabIndex={0}>
              {url ?? path}
            </pre>
            <div className="acts">
              <Button variant="default" size="xs" onClick={() => copy(url ?? path)}>
                {t("operator.address.copy")}
              </Button>
              {session.installationRole === "admin" && (
                <Button
                  variant="default"
                  size="xs"
                  loading={rotate.isPending}
                  onClick={() => {
                    if (window.confirm(t("operator.address.rotateAsk", { name }))) rotate.mutate();
                  }}
                >
                  {t("operator.address.rotate")}
                </Button>
              )}
            </div>
            {rotate.error && <Failure error={rotate.error} />}
            {rotate.data && (
              <p className="note" role="status">
                {t("operator.address.rotated")}
              </p>
            )}
            {url === null && <p className="note">{t("operator.address.noUrl")}</p>}
            <p className="small">{words ? inWords(words, i18n.language) : t("operator.address.other")}</p>
            <p className="small quiet">{t("operator.address.secret")}</p>
          </>
        )}
      </Read>
    </Section>
  );
}

/** The address is secret: the sign-in is confirmed before it is shown. */
function Ask({ onAsk }: { onAsk: () => void }) {
  const { t } = useTranslation();
  return (
    <Section title={t("operator.address.title")}>
      <div className="acts">
        <Button variant="default" size="xs" onClick={onAsk}>
          {t("operator.address.show")}
        </Button>
      </div>
    </Section>
  );
}
