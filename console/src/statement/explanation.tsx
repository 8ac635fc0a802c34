import { addBrl, type merchant } from "@pixgate/sdk";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Read } from "../parts/feedback.tsx";
import { useAddress } from "../parts/filters.tsx";
import { showInFull } from "../parts/instant.ts";
import { BigMoney, Money } from "../parts/money.tsx";
import { State } from "../parts/state.tsx";
import { Moment } from "../parts/time.tsx";
import { useSession } from "../session/session.tsx";
import { Cause } from "./cause.tsx";
import { useKindText } from "./kind.ts";
import "./explanation.css";

/** "Why is my balance this?": the kinds of movement that made it, each opened to its newest line; at any instant. */
export function Explanation() {
  const { t, i18n } = useTranslation();
  const { pixgate, scope } = useSession();
  const address = useAddress();
  const at = address.get("at");
  const balance = address.get("balance") ?? "available";
  const query = useQuery({
    queryKey: [...scope, "explanation", at],
    queryFn: () => pixgate.balance.explain(at === null ? {} : { at }),
  });
  return (
    <aside className="explanation" aria-labelledby="why">
      <h2 id="why">{t("explain.title")}</h2>
      <Read query={query} lines={8}>
        {(explained) => {
          const found = explained.balances.find((one) => one.balance === balance);
          return (
            <>
              <p className="small quiet">
                {t(`statement.in.${balance}`)} · {showInFull(new Date(explained.at), i18n.language)}{" "}
                {at !== null && (
                  <button type="button" className="act" onClick={() => address.change({ at: null })}>
                    {t("explain.now")}
                  </button>
                )}
              </p>
              {found && <Kinds explained={found} />}
            </>
          );
        }}
      </Read>
    </aside>
  );
}

function Kinds({ explained }: { explained: merchant.ExplainedBalance }) {
  const { t } = useTranslation();
  const say = useKindText();
  const sum = addBrl(...explained.kinds.map(({ amount }) => amount));
  const equal = sum === explained.amount;
  return (
    <>
      <BigMoney brl={explained.amount} />
      {explained.kinds.map((kind) => (
        <details key={kind.kind}>
          <summary>
            <span>
              {say(kind.kind)} <span className="quiet num">{kind.lines}</span>
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
      <p className="small second">
        <State shape={equal ? "done" : "failed"}>{equal ? t("explain.equal") : t("explain.unequal")}</State>
      </p>
    </>
  );
}

function Newest({ line }: { line: merchant.StatementItem }) {
  const { t } = useTranslation();
  const text = line.counterpart ?? line.externalReference ?? t("explain.newest");
  return (
    <p className="small second explanation-line">
      <Moment at={line.bookedAt} seconds />
      <Cause line={line}>{text}</Cause>
      <Money brl={line.amount} movement />
    </p>
  );
}
