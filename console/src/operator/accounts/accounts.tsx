import "../operator.css";
import { Button } from "@mantine/core";
import type { operator } from "@pixgate/sdk";
import { useTranslation } from "react-i18next";
import { showDocument } from "../../parts/document.ts";
import { Empty } from "../../parts/feedback.tsx";
import { useAddress } from "../../parts/filters.tsx";
import { Icon } from "../../parts/icon.tsx";
import { PagedList } from "../../parts/list.tsx";
import { Page } from "../../parts/page.tsx";
import { type Shape, State } from "../../parts/state.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { Moment } from "../../parts/time.tsx";
import { useSession } from "../../session/session.tsx";
import { AGAIN_MS } from "../reads.ts";
import { wordOf } from "../words.ts";
import { NewAccount } from "./opening.tsx";

type Account = operator.OperatorAccount;

/** Frozen by the auditor comes before what an operator set. */
export const accountShape = ({ status, withdrawalsFrozen }: Account): Shape =>
  withdrawalsFrozen !== undefined
    ? "failed"
    : status === "approved"
      ? "done"
      : status === "pending"
        ? "waiting"
        : "ended";
export const accountWord = ({ status, withdrawalsFrozen }: Account): string =>
  wordOf("accountStatus", withdrawalsFrozen !== undefined ? "frozen" : status);

/** The accounts of the installation; opening one. */
export default function Accounts() {
  const { t } = useTranslation();
  const { operator, session } = useSession();
  const address = useAddress();
  const open = session.installationRole === "admin" && (
    <Button leftSection={<Icon name="plus" />} onClick={() => address.change({ new: "1" })}>
      {t("operator.accounts.new")}
    </Button>
  );
  const columns: readonly Column<Account>[] = [
    { key: "name", title: t("operator.accounts.name"), className: "lead", cell: ({ name }) => name },
    {
      key: "document",
      title: t("operator.accounts.document"),
      cell: ({ document }) => <span className="num">{showDocument(document) ?? "–"}</span>,
    },
    {
      key: "environment",
      title: t("operator.accounts.environment"),
      cell: ({ environment }) => wordOf("environment", environment),
    },
    {
      key: "state",
      title: t("operator.accounts.state"),
      cell: (one) => <State shape={accountShape(one)}>{accountWord(one)}</State>,
    },
    {
      key: "created",
      title: t("operator.accounts.created"),
      end: true,
      className: "quiet",
      cell: ({ createdAt }) => <Moment at={createdAt} />,
    },
  ];
  return (
    <Page title={t("nav.operators.accounts")} acts={open}>
      <PagedList
        queryKey={["operator", "accounts", "list"]}
        againMs={AGAIN_MS}
        read={(cursor) => operator.accounts.list({ limit: 50, ...(cursor !== undefined && { cursor }) }).page()}
        keyOf={({ id }) => id}
        empty={<Empty>{t("operator.accounts.empty")}</Empty>}
      >
        {(accounts) => (
          <Table
            caption={t("nav.operators.accounts")}
            columns={columns}
            rows={accounts}
            keyOf={({ id }) => id}
            hrefOf={({ id }) => `/operator/accounts/${id}`}
            phone={(one) => [
              one.name,
              "",
              <State key="state" shape={accountShape(one)}>
                {accountWord(one)}
              </State>,
              <Moment key="time" at={one.createdAt} />,
            ]}
          />
        )}
      </PagedList>
      <NewAccount opened={address.get("new") !== null} onClose={() => address.change({ new: null })} />
    </Page>
  );
}
