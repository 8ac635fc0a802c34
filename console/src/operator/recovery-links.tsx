import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { Answers } from "../generated/answers.ts";
import { useChange } from "../parts/change.ts";
import { Failure, isForbidden } from "../parts/feedback.tsx";
import { Section } from "../parts/page.tsx";
import { Table } from "../parts/table.tsx";
import { Moment } from "../parts/time.tsx";
import { callConsole } from "../session/calls.ts";
import { useSession } from "../session/session.tsx";

type RecoveryLink = Answers["listRecoveryLinks"]["items"][number];
const PATH = "/recovery-links";

/** Links that let somebody in again, which nobody has used yet: nothing where there is none. */
export function RecoveryLinks({ mayChange }: { mayChange: boolean }) {
  const { t } = useTranslation();
  const { session } = useSession();
  const links = useQuery({
    queryKey: [PATH],
    queryFn: () => callConsole<Answers["listRecoveryLinks"]>("GET", PATH),
  });
  const withdraw = useChange((linkId: string) =>
    callConsole<void>("DELETE", `${PATH}/${linkId}`, undefined, session.csrfToken),
  );
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
  const act = ({ linkId }: RecoveryLink) =>
    mayChange ? (
      <Button size="xs" variant="default" loading={withdraw.isPending} onClick={() => withdraw.mutate(linkId)}>
        {t("team.withdrawLink")}
      </Button>
    ) : (
      ""
    );
  return (
    <Section title={title}>
      {withdraw.error && <Failure error={withdraw.error} />}
      <Table
        caption={title}
        rows={items}
        keyOf={({ linkId }) => linkId}
        columns={[
          { key: "email", title: t("signIn.email"), cell: ({ email, name }) => email ?? name, corner: "who" },
          {
            key: "by",
            title: t("team.madeBy"),
            className: "second",
            cell: ({ madeBy }) => madeBy,
            corner: "amount",
            phone: ({ madeBy }) => t("team.madeByName", { name: madeBy }),
          },
          {
            key: "until",
            title: t("team.expires"),
            cell: ({ expiresAt }) => <Moment at={expiresAt} />,
            corner: "state",
          },
          { key: "act", title: t("team.withdrawLink"), isTitleHidden: true, end: true, cell: act, corner: "time" },
        ]}
      />
    </Section>
  );
}
