import { useMediaQuery } from "@mantine/hooks";
import { addBrl, type merchant, type Pixgate } from "@pixgate/sdk";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { PartName, Read } from "../parts/feedback.tsx";
import { useAddress } from "../parts/filters.tsx";
import { FreeText } from "../parts/free-text.tsx";
import { BigMoney, Money } from "../parts/money.tsx";
import { Panel } from "../parts/panel.tsx";
import { State } from "../parts/state.tsx";
import { Moment } from "../parts/time.tsx";
import { useSession } from "../session/session.tsx";
import { Cause } from "./cause.tsx";
import { WhatIsHeld } from "./held.tsx";
import { useKindText } from "./kind.ts";
import { justAfter, MovedThen } from "./moved-then.tsx";
import { isSent } from "./movement.tsx";
import "./explanation.css";

/** "Why is my balance this?", of the balance that the address names: beside the statement where there is space, else in a panel. */
export function Explanation() {
  const { t } = useTranslation();
  const address = useAddress();
  const isNarrow = useMediaQuery("(max-width: 1100px)", undefined, { getInitialValueInEffect: false });
  const title = t("explain.title");
  if (!isNarrow)
    return (
      <aside className="explanation" aria-labelledby="why">
        <h2 id="why">{title}</h2>
        <PartName value={t("home.balance")}>
          <Explained isBeside />
        </PartName>
      </aside>
    );
  const named = address.get("balance") ?? address.get("at");
  return (
    <Panel title={title} opened={named !== null} onClose={() => address.change({ at: null, balance: null })}>
      <div className="explanation">
        <Explained />
      </div>
    </Panel>
  );
}

/** Opens the explanation where it is not beside the statement. */
export function WhyChip() {
  const { t } = useTranslation();
  const address = useAddress();
  return (
    <button type="button" className="chip narrow-only" onClick={() => address.change({ balance: "available" })}>
      {t("explain.title")}
    </button>
  );
}

/** Tabs of the statement whose balance is explained beside them. */
const TABS = ["held", "promotional"];

/** The kinds of movement that made a balance, each opened to its newest line; at any instant. */
function Explained({ isBeside = false }: { isBeside?: boolean }) {
  const { t } = useTranslation();
  const { pixgate, scope } = useSession();
  const address = useAddress();
  const at = address.get("at");
  const balance = address.get("balance") ?? TABS.find((tab) => tab === address.get("lines")) ?? "available";
  const query = useQuery({
    queryKey: [...scope, "explanation", at],
    queryFn: () => (at === null ? explainNow(pixgate) : explainThen(pixgate, at)),
  });
  return (
    <Read query={query} lines={8}>
      {({ explained, balances }) => {
        const found = explained.balances.find((one) => one.balance === balance);
        return (
          <>
            <p className="small quiet">
              {t(`statement.in.${balance}`)} · <Moment at={explained.at} seconds />{" "}
              {at !== null && (
                <button type="button" className="act" onClick={() => address.change({ at: null, balance })}>
                  {t("explain.now")}
                </button>
              )}
            </p>
            {found && at !== null && <MovedThen at={at} balance={found.balance} />}
            {found?.balance === "held" && at === null && <WhatIsHeld held={found.amount} />}
            {found && <Kinds explained={found} balance={balances?.[found.balance].amountFormatted ?? null} />}
            {isBeside && at === null && found && found.kinds.length > 0 && (
              <p className="small quiet">{t("explain.then")}</p>
            )}
          </>
        );
      }}
    </Read>
  );
}

type Explained = {
  readonly explained: merchant.BalanceExplanation;
  /** The balances as the ledger has them; null of an instant in the past, of which it keeps only the lines. */
  readonly balances: merchant.AccountAndBalance["balance"] | null;
};

/** Most attempts to read both for the same moment: money may move between the two reads. */
const READS = 3;

async function explainNow(pixgate: Pixgate): Promise<Explained> {
  for (let read = 1; ; read++) {
    const explained = await pixgate.balance.explain({});
    const { balance } = await pixgate.account.get();
    const same = explained.balances.every(({ balance: name, amount }) => balance[name].amountFormatted === amount);
    if (same || read === READS) return { explained, balances: balance };
  }
}

/** With what moved at that instant: the API counts what is before it. */
async function explainThen(pixgate: Pixgate, at: string): Promise<Explained> {
  return { explained: await pixgate.balance.explain({ at: justAfter(at) }), balances: null };
}

/** The kinds of movement that a balance is made of. Their sum must equal `balance`, the ledger's own, where that is known. */
function Kinds({ explained, balance }: { explained: merchant.ExplainedBalance; balance: number | null }) {
  const { t } = useTranslation();
  const say = useKindText();
  const sum = addBrl(...explained.kinds.map(({ amount }) => amount));
  const equal = sum === (balance ?? explained.amount);
  const words =
    balance === null ? [t("explain.adds"), t("explain.addsNot")] : [t("explain.equal"), t("explain.unequal")];
  return (
    <>
      <BigMoney brl={explained.amount} />
      {explained.kinds.map((kind) => (
        <details key={kind.kind}>
          <summary>
            <span>
              {say(kind.kind, explained.balance)} <span className="quiet num">{kind.lines}</span>
            </span>
            <Money brl={kind.amount} movement />
          </summary>
          <Newest line={kind.newest} />
        </details>
      ))}
      <div className="explanation-sum">
        <span>{t("explain.sum")}</span>
        <Money brl={sum} />
      </div>
      {explained.balance === "available" && explained.kinds.some(({ newest }) => isSent(newest)) && (
        <p className="small quiet">{t("explain.withFees")}</p>
      )}
      <p className="small second">
        <State shape={equal ? "done" : "failed"}>{words[equal ? 0 : 1]}</State>
      </p>
    </>
  );
}

function Newest({ line }: { line: merchant.StatementItem }) {
  const { t } = useTranslation();
  const text = line.counterpart ?? line.externalReference ?? t("explain.newest");
  return (
    <p className="small second explanation-line">
      <Cause line={line}>
        <FreeText>{text}</FreeText>
      </Cause>
      <Money brl={line.amount} movement />
      <Moment at={line.bookedAt} seconds />
    </p>
  );
}
