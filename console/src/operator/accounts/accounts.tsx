import "../operator.css";
import type { operator } from "@pixgate/sdk";
import { useTranslation } from "react-i18next";
import { stateColumn, timeColumn } from "../../parts/columns.tsx";
import { showDocument } from "../../parts/document.ts";
import { ListScreen } from "../../parts/list-screen.tsx";
import { type Shape, State } from "../../parts/state.tsx";
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
  return (
    <ListScreen<Account>
      title={t("nav.operators.accounts")}
      make={
        session.installationRole === "admin" && {
          text: t("operator.accounts.new"),
          panel: (opened, close) => <NewAccount opened={opened} onClose={close} />,
        }
      }
      queryKey={["operator", "accounts", "list"]}
      againMs={AGAIN_MS}
      read={(page) => operator.accounts.list(page)}
      keyOf={({ id }) => id}
      empty={t("operator.accounts.empty")}
      hrefOf={({ id }) => `/operator/accounts/${id}`}
      columns={[
        { key: "name", title: t("operator.accounts.name"), className: "lead", cell: ({ name }) => name, corner: "who" },
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
        stateColumn(t("operator.accounts.state"), (one) => <State shape={accountShape(one)}>{accountWord(one)}</State>),
        timeColumn(t("operator.accounts.created"), ({ createdAt }) => createdAt, { end: true }),
      ]}
    />
  );
}
