import "../operator.css";
import { addBrl, type operator } from "@pixgate/sdk";
import type { TFunction } from "i18next";
import { useTranslation } from "react-i18next";
import { showBrl } from "../../parts/amount.ts";
import { stateColumn } from "../../parts/columns.tsx";
import { useCounted } from "../../parts/counted.ts";
import { CsvButton } from "../../parts/csv-button.tsx";
import { showDocument } from "../../parts/document.ts";
import { FreeText } from "../../parts/free-text.tsx";
import { showDay } from "../../parts/instant.ts";
import { ListScreen } from "../../parts/list-screen.tsx";
import { Money } from "../../parts/money.tsx";
import { type Shape, State } from "../../parts/state.tsx";
import type { Column } from "../../parts/table.tsx";
import { useSession } from "../../session/session.tsx";
import { useNamed } from "../named-filter.tsx";
import { AGAIN_MS, useInstitutions } from "../reads.ts";
import { wordOf } from "../words.ts";
import { NewAccount } from "./opening.tsx";
import { readAccounts } from "./read.ts";
import { useSearch } from "./search-field.tsx";
import { Standing } from "./standing.tsx";

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

/** What each account has over all its wallets, for those who may read it. A zero is said of what is available. */
const moneyColumns = (t: TFunction): readonly Column<Account>[] => [
  {
    key: "held",
    title: t("home.held"),
    end: true,
    className: "quiet",
    cell: ({ balance }) => <Money brl={balance?.held || undefined} />,
  },
  {
    key: "available",
    title: t("statement.in.available"),
    end: true,
    className: "lead",
    cell: ({ balance }) => <Money brl={balance?.available} />,
    corner: "amount",
  },
];

/** How many accounts are shown, and of a part what it has together: of all, the sentence above says it. */
function useSum(isPart: boolean) {
  const { t } = useTranslation();
  return useCounted<Account>("accounts", (accounts) => {
    const known = accounts.flatMap(({ balance }) => (balance === undefined ? [] : [balance]));
    // Of a part nothing is summed: a process of 0.1.0 gives no balances, and a role may not read them.
    if (!isPart || known.length < accounts.length) return [];
    const sum = (of: "available" | "held") => showBrl(addBrl(0, ...known.map((balance) => balance[of])));
    return [
      t("operator.accounts.held", { amount: sum("held") }),
      t("operator.accounts.available", { amount: sum("available") }),
    ];
  });
}

/** Its name, its document, and its environment where that is another than the installation's. */
function Named({ account: { name, document, environment } }: { account: Account }) {
  const { t } = useTranslation();
  const { session } = useSession();
  const details = [
    showDocument(document) || t("operator.accounts.noDocument"),
    environment !== session.environment && wordOf("environment", environment),
  ];
  return (
    <>
      <FreeText>{name}</FreeText>
      <div className="small quiet num">{details.filter(Boolean).join(" · ")}</div>
    </>
  );
}

/** Exactly the accounts of the search, with their money for those who may read it. */
function Csv(props: { search: string | undefined; dependsOn: string | undefined; readsMoney: boolean }) {
  const { operator } = useSession();
  const { search, dependsOn, readsMoney } = props;
  const asked = { search, dependsOn, ...(readsMoney && { balance: true }), limit: 100 };
  return (
    <CsvButton<Account>
      file="pixgate-accounts.csv"
      read={(most) => operator.accounts.list(asked).toArray(most)}
      head={["id", "name", "legalName", "document", "status", "createdAt", "available", "held"]}
      rowOf={({ id, name, legalName, document, status, createdAt, balance }) => [
        ...[id, name, legalName ?? undefined, document ?? undefined, status, new Date(createdAt)],
        ...[balance?.available, balance?.held],
      ]}
    />
  );
}

/** The accounts of the installation; opening one. */
export default function Accounts() {
  const { t, i18n } = useTranslation();
  const { operator, session } = useSession();
  const readsMoney = session.installationRole !== "support";
  const search = useSearch();
  const alone = useNamed("dependsOn", t("operator.accounts.dependsOn"), useInstitutions().data);
  const isPart = search.value !== undefined || alone.value !== undefined;
  const sum = useSum(isPart);
  return (
    <ListScreen<Account>
      title={t("nav.operators.accounts")}
      make={
        session.installationRole === "admin" && {
          text: t("operator.accounts.new"),
          panel: (opened, close) => <NewAccount opened={opened} onClose={close} />,
        }
      }
      acts={<Csv search={search.value} dependsOn={alone.value} readsMoney={readsMoney} />}
      queryKey={["operator", "accounts", "list"]}
      againMs={AGAIN_MS}
      filters={[search, alone]}
      read={(page) => readAccounts(operator, { ...page, search: search.value, dependsOn: alone.value }, readsMoney)}
      keyOf={({ id }) => id}
      empty={t(isPart ? "operator.accounts.noneSuch" : "operator.accounts.empty")}
      sumOf={sum}
      hrefOf={({ id }) => `/operator/accounts/${id}`}
      columns={[
        {
          key: "name",
          title: t("operator.accounts.name"),
          className: "lead",
          cell: (account) => <Named account={account} />,
          corner: "who",
          phone: ({ name }) => name,
        },
        {
          ...stateColumn<Account>(t("operator.accounts.state"), (one) => (
            <State shape={accountShape(one)}>{accountWord(one)}</State>
          )),
          phone: (one) => (
            <>
              <State shape={accountShape(one)}>{accountWord(one)}</State> ·{" "}
              <span className="num">{showDocument(one.document) || t("operator.accounts.noDocument")}</span>
            </>
          ),
        },
        {
          key: "time",
          title: t("operator.accounts.created"),
          className: "quiet",
          corner: "time",
          cell: ({ createdAt }) => showDay(new Date(createdAt), i18n.language),
          phone: ({ balance }) =>
            balance?.held ? t("operator.accounts.held", { amount: showBrl(balance.held) }) : null,
        },
        ...(readsMoney ? moneyColumns(t) : []),
      ]}
    >
      <div className="answer-place with-then">
        <Standing readsMoney={readsMoney} />
      </div>
    </ListScreen>
  );
}
