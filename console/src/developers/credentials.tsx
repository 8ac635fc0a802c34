import type { operator } from "@pixgate/sdk";
import { type InfiniteData, useIsFetching, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { timeColumn } from "../parts/columns.tsx";
import { useCounted } from "../parts/counted.ts";
import { Empty } from "../parts/feedback.tsx";
import { MakingPage, TableList } from "../parts/list-screen.tsx";
import { State } from "../parts/state.tsx";
import type { Column } from "../parts/table.tsx";
import { Moment } from "../parts/time.tsx";
import { callConsole } from "../session/calls.ts";
import { useSession } from "../session/session.tsx";
import { CallApi } from "./call-api.tsx";
import { CredentialDetails, isRisky } from "./credential.tsx";
import { NewCredential } from "./new-credential.tsx";

type Credential = operator.Credential;

/** What programs call the API with: the account's credentials. They belong to the account, not to one of its wallets. */
export default function Credentials() {
  const { t } = useTranslation();
  const counted = useCounted<Credential>("credentials");
  const { account, may } = useSession();
  const path = `/accounts/${account.accountId}/credentials`;
  const columns = useCredentialColumns();
  const title = t("nav.credentials");
  const queryKey = [account.accountId, "credentials"];
  const clientId = useOneInUse(queryKey);
  return (
    <MakingPage
      title={title}
      make={
        may("CREDENTIAL:WRITE") && {
          text: t("credentials.new"),
          panel: (opened, close) => <NewCredential path={path} opened={opened} onClose={close} />,
        }
      }
    >
      {may("CREDENTIAL:READ") ? (
        <>
          <p className="second gap-below">{t("credentials.lead")}</p>
          <TableList<Credential>
            caption={title}
            queryKey={queryKey}
            read={({ cursor }) =>
              callConsole<operator.CredentialPage>("GET", cursor === undefined ? path : `${path}?cursor=${cursor}`)
            }
            keyOf={({ id }) => id}
            sumOf={counted}
            empty={t("credentials.empty")}
            panel={{
              title: (credential) => credential?.name ?? title,
              body: (credential) => <CredentialDetails key={credential.id} path={path} credential={credential} />,
            }}
            columns={columns}
          />
          <CallApi clientId={clientId} />
        </>
      ) : (
        <Empty>{t("credentials.forbidden")}</Empty>
      )}
    </MakingPage>
  );
}

/** The client id of the listed credential in use; undefined where there is none or several, or the list is not read yet. */
function useOneInUse(queryKey: readonly string[]): string | undefined {
  useIsFetching({ queryKey });
  const read = useQueryClient().getQueryData<InfiniteData<operator.CredentialPage>>(queryKey);
  const inUse = read?.pages.flatMap(({ items }) => items).filter(({ revokedAt }) => revokedAt === null);
  return inUse?.length === 1 ? inUse[0]?.clientId : undefined;
}

/** When it last got a token; a process of an earlier version does not say it. */
function LastUse({ of: { lastUsedAt = null } }: { of: Pick<Credential, "lastUsedAt"> }) {
  const { t } = useTranslation();
  return lastUsedAt === null ? <span className="quiet">{t("credentials.neverUsed")}</span> : <Moment at={lastUsedAt} />;
}

function useCredentialColumns(): readonly Column<Credential>[] {
  const { t } = useTranslation();
  const state = ({ revokedAt }: Credential) =>
    revokedAt === null ? (
      <State shape="done">{t("credentials.works")}</State>
    ) : (
      <State shape="ended">
        {t("credentials.ended")} <Moment at={revokedAt} />
      </State>
    );
  const rights = (credential: Credential) => {
    if (isRisky(credential)) return <State shape="needs">{t("credentials.everything")}</State>;
    const { permissions } = credential;
    return permissions.includes("FULL_ACCESS")
      ? t("credentials.everything")
      : t("credentials.permissions", { count: permissions.length });
  };
  return [
    { key: "name", title: t("credentials.name"), className: "lead", cell: ({ name }) => name, corner: "who" },
    { key: "id", title: "client_id", className: "mono small second", cell: ({ clientId }) => clientId },
    {
      key: "rights",
      title: t("credentials.rights"),
      cell: rights,
      corner: "state",
    },
    {
      key: "from",
      title: t("credentials.from"),
      className: "second",
      cell: ({ allowedIps }) => allowedIps?.join(", ") ?? t("credentials.anywhere"),
    },
    {
      key: "state",
      title: t("charges.column.state"),
      cell: state,
      corner: "amount",
      phone: (one) => <span className="small">{state(one)}</span>,
    },
    timeColumn(t("transactions.created"), ({ createdAt }) => createdAt, { corner: undefined }),
    {
      key: "used",
      title: t("credentials.used"),
      end: true,
      className: "second",
      cell: (one) => <LastUse of={one} />,
      corner: "time",
      phone: ({ lastUsedAt }) =>
        lastUsedAt && (
          <>
            {t("credentials.usedAt")} <Moment at={lastUsedAt} />
          </>
        ),
    },
  ];
}
