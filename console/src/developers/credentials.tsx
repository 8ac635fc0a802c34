import { Button } from "@mantine/core";
import type { operator } from "@pixgate/sdk";
import { useTranslation } from "react-i18next";
import { Empty } from "../parts/feedback.tsx";
import { useAddress } from "../parts/filters.tsx";
import { Icon } from "../parts/icon.tsx";
import { PagedList } from "../parts/list.tsx";
import { Page } from "../parts/page.tsx";
import { State } from "../parts/state.tsx";
import { Table } from "../parts/table.tsx";
import { Moment } from "../parts/time.tsx";
import { callConsole } from "../session/calls.ts";
import { useSession } from "../session/session.tsx";
import { CredentialPanel } from "./credential.tsx";
import { NewCredential } from "./new-credential.tsx";

type Credential = operator.Credential;
type Answer = { readonly items: readonly Credential[]; readonly nextCursor: string | null };

/** What programs call the API with: the account's credentials. They belong to the account, not to one of its wallets. */
export default function Credentials() {
  const { t } = useTranslation();
  const { account, may } = useSession();
  const address = useAddress();
  const path = `/accounts/${account.accountId}/credentials`;
  const make = may("CREDENTIAL:WRITE") && (
    <Button leftSection={<Icon name="plus" />} onClick={() => address.change({ new: "1" })}>
      {t("credentials.new")}
    </Button>
  );
  return (
    <Page title={t("nav.credentials")} acts={make}>
      {may("CREDENTIAL:READ") ? (
        <PagedList
          queryKey={[account.accountId, "credentials"]}
          read={(cursor) => callConsole<Answer>("GET", cursor === undefined ? path : `${path}?cursor=${cursor}`)}
          keyOf={({ id }) => id}
          empty={<Empty>{t("credentials.empty")}</Empty>}
        >
          {(credentials) => (
            <>
              <CredentialTable
                credentials={credentials}
                open={address.get("open")}
                onOpen={(id) => address.change({ open: id })}
              />
              <CredentialPanel
                path={path}
                credential={credentials.find(({ id }) => id === address.get("open")) ?? null}
                onClose={() => address.change({ open: null })}
              />
            </>
          )}
        </PagedList>
      ) : (
        <Empty>{t("credentials.forbidden")}</Empty>
      )}
      <NewCredential path={path} opened={address.get("new") !== null} onClose={() => address.change({ new: null })} />
    </Page>
  );
}

function CredentialTable(props: {
  credentials: readonly Credential[];
  open: string | null;
  onOpen: (id: string) => void;
}) {
  const { t } = useTranslation();
  const state = ({ revokedAt }: Credential) => (
    <State shape={revokedAt === null ? "done" : "ended"}>
      {revokedAt === null ? (
        t("credentials.works")
      ) : (
        <>
          {t("credentials.ended")} <Moment at={revokedAt} />
        </>
      )}
    </State>
  );
  const rights = ({ permissions }: Credential) =>
    permissions.includes("FULL_ACCESS")
      ? t("credentials.everything")
      : t("credentials.permissions", { count: permissions.length });
  return (
    <Table
      caption={t("nav.credentials")}
      rows={props.credentials}
      keyOf={({ id }) => id}
      selected={props.open}
      onOpen={({ id }) => props.onOpen(id)}
      columns={[
        { key: "name", title: t("credentials.name"), className: "lead", cell: ({ name }) => name },
        { key: "id", title: "client_id", className: "mono small second", cell: ({ clientId }) => clientId },
        { key: "rights", title: t("credentials.rights"), cell: rights },
        {
          key: "from",
          title: t("credentials.from"),
          className: "second",
          cell: ({ allowedIps }) => (allowedIps === null ? t("credentials.anywhere") : allowedIps.join(", ")),
        },
        { key: "state", title: t("charges.column.state"), cell: state },
        {
          key: "created",
          title: t("transactions.created"),
          end: true,
          className: "quiet",
          cell: ({ createdAt }) => <Moment at={createdAt} />,
        },
      ]}
      phone={(one) => [one.name, state(one), rights(one), <Moment key="created" at={one.createdAt} />]}
    />
  );
}
