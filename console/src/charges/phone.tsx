import type { merchant } from "@pixgate/sdk";
import { useTranslation } from "react-i18next";
import { showBrl } from "../parts/amount.ts";
import { useChange } from "../parts/change.ts";
import { Failure } from "../parts/feedback.tsx";
import { Icon } from "../parts/icon.tsx";
import { showClock } from "../parts/instant.ts";
import { useSession } from "../session/session.tsx";
import "./phone.css";

type Act = { readonly key: string; readonly run: () => Promise<unknown> };

const COMPANY = { name: "Padaria Nova Esperança Ltda", document: "11222333000181" };

/** The phone of whoever pays: each act says what follows from it. Only the sandbox has one. */
export function PayerPhone({ charge }: { charge: merchant.Transaction }) {
  const { t, i18n } = useTranslation();
  const { account } = useSession();
  const acts = useActs(charge);
  const act = useChange(({ run }: Act) => run());
  const amount = showBrl(charge.amountDue ?? charge.amount);
  return (
    <aside aria-label={t("phone.label")}>
      <div className="phone">
        <div className="phone-status small">
          <span className="num">{showClock(new Date(), i18n.language)}</span>
          <span>Pix</span>
        </div>
        {charge.paidAt !== undefined && (
          <div className="phone-sent">
            <Icon name="check" size={22} />
          </div>
        )}
        <p className="small quiet">
          {charge.paidAt === undefined ? t("phone.payTo", { name: account.name }) : t("phone.sent")}
        </p>
        <p className="phone-amount num">{amount}</p>
        <ul className="phone-acts">
          {acts.map((one) => (
            <li key={one.key}>
              <button type="button" disabled={act.isPending} onClick={() => act.mutate(one)}>
                <strong>{t(`phone.${one.key}`, { amount })}</strong>
                <Icon name="right" size={14} />
                <span className="small quiet">{t(`phone.${one.key}Effect`, { amount })}</span>
              </button>
            </li>
          ))}
        </ul>
        {act.error && <Failure error={act.error} />}
      </div>
      <p className="label centered gap-above">{t("phone.only")}</p>
    </aside>
  );
}

function useActs({ id, status, paidAt, amount, disputedAmount }: merchant.Transaction): readonly Act[] {
  const { pixgate } = useSession();
  const pay = (body: merchant.SandboxPayment) => () => pixgate.sandbox.pay(id, body);
  if (status === "pending") {
    return [
      { key: "pay", run: pay({}) },
      { key: "payAsCompany", run: pay({ payer: COMPANY }) },
      { key: "payOther", run: pay({ amount: Math.round(amount * 100 + 100) / 100 }) },
      {
        key: "payLate",
        run: async () => {
          await pixgate.sandbox.expire(id);
          return pay({})();
        },
      },
      {
        key: "payTwice",
        run: async () => {
          await pay({})();
          return pay({})();
        },
      },
    ];
  }
  if (paidAt === undefined) return [{ key: "payLate", run: pay({}) }];
  return [
    ...(status === "completed" && !disputedAmount
      ? [{ key: "contest", run: () => pixgate.sandbox.contest({ transactionId: id }) }]
      : []),
    { key: "payAgain", run: pay({}) },
  ];
}
