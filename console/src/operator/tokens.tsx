import "./operator.css";
import { Button, TextInput } from "@mantine/core";
import { OPERATOR_ROLES, OPERATOR_TOKEN_KINDS, type operator } from "@pixgate/sdk";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Link } from "wouter";
import { readAddresses } from "../parts/addresses.ts";
import { useChange } from "../parts/change.ts";
import { stateColumn } from "../parts/columns.tsx";
import { useCounted } from "../parts/counted.ts";
import { Facts } from "../parts/facts.tsx";
import { Failure } from "../parts/feedback.tsx";
import { FormPanel, fieldOf } from "../parts/form-panel.tsx";
import { FreeText } from "../parts/free-text.tsx";
import { showInFull } from "../parts/instant.ts";
import { ListScreen } from "../parts/list-screen.tsx";
import { Secret } from "../parts/secret.tsx";
import { NativeSelect } from "../parts/select.ts";
import { State } from "../parts/state.tsx";
import { SureButton } from "../parts/sure.tsx";
import type { Column } from "../parts/table.tsx";
import { Moment } from "../parts/time.tsx";
import { useSession } from "../session/session.tsx";
import { EndsWithMaker, type MadeAnswer, madeIn } from "../team/ends-with-maker.tsx";
import { Answer } from "./answer.tsx";
import { decides } from "./deciding.ts";
import { AGAIN_MS } from "./reads.ts";

type Token = operator.OperatorToken;
/** A token that ends within this is due for its successor, ms. */
const SOON_MS = 14 * 86_400_000;

/** What programs and scripts call the operators' API with. */
export default function Tokens() {
  const { t } = useTranslation();
  const { session, operator } = useSession();
  const title = t("nav.operators.tokens");
  const columns = useColumns();
  return (
    <ListScreen<Token>
      title={title}
      make={
        session.installationRole === "admin" && {
          text: t("operator.tokens.new"),
          panel: (opened, close) => <NewToken opened={opened} onClose={close} />,
        }
      }
      queryKey={["operator", "tokens"]}
      againMs={AGAIN_MS}
      read={(page) => operator.tokens.list(page)}
      keyOf={({ id }) => id}
      sumOf={useCounted("tokens")}
      empty={t("operator.tokens.empty")}
      panel={{
        title: (token) => token?.name ?? title,
        body: (token, close) => <TokenDetails key={token.id} token={token} onClose={close} />,
      }}
      columns={columns}
    >
      <Ending />
    </ListScreen>
  );
}

function useColumns(): readonly Column<Token>[] {
  const { t } = useTranslation();
  return [
    {
      key: "name",
      title: t("team.name"),
      className: "lead",
      cell: ({ name, madeBy }) => (
        <>
          <FreeText>{name}</FreeText>
          <span className="small quiet block">{t("operator.tokens.byName", { name: madeBy })}</span>
        </>
      ),
      corner: "who",
      phone: ({ name }) => name,
    },
    { key: "kind", title: t("operator.tokens.kind"), cell: ({ kind = "person" }) => t(`operator.tokens.${kind}`) },
    {
      key: "role",
      title: t("team.role"),
      cell: ({ role }) => t(`team.roles.${role}`),
      corner: "amount",
      phone: ({ role, kind = "person" }) => (
        <span className="small second">{`${t(`operator.tokens.${kind}`)} · ${t(`team.roles.${role}`)}`}</span>
      ),
    },
    {
      key: "from",
      title: t("operator.tokens.from"),
      className: "second",
      cell: (token) => <From token={token} />,
    },
    {
      key: "used",
      title: t("operator.tokens.used"),
      className: "second",
      cell: ({ lastUsedAt }) => (lastUsedAt === null ? t("operator.tokens.never") : <Moment at={lastUsedAt} />),
      corner: "time",
      phone: ({ lastUsedAt }) =>
        lastUsedAt === null ? (
          t("operator.tokens.neverUsed")
        ) : (
          <>
            {t("operator.tokens.usedAt")} <Moment at={lastUsedAt} />
          </>
        ),
    },
    stateColumn(t("charges.column.state"), (token) => <TokenState token={token} />, {
      // What the sentence above warns of stands on its row of a phone too.
      phone: (token) => (isOpen(token) ? <From token={token} /> : <TokenState token={token} />),
    }),
  ];
}

/** Tokens that are read at once to see which end soon. */
const SEEN = 100;

/** Which tokens end soon: what uses them is refused from then on; and which decide about money from anywhere. */
function Ending() {
  const { t, i18n } = useTranslation();
  const { operator } = useSession();
  const { data } = useQuery({
    queryKey: ["operator", "tokens-ending"],
    queryFn: () => operator.tokens.list({ limit: SEEN }).page(),
    refetchInterval: AGAIN_MS,
  });
  if (data === undefined) return <div className="answer-place" />;
  const works = data.items.filter(isValid);
  if (works.length === 0) return null;
  const ending = works.filter(({ expiresAt }) => Date.parse(expiresAt) - Date.now() < SOON_MS);
  const named = (tokens: readonly Token[]) => ({
    count: tokens.length,
    names: new Intl.ListFormat(i18n.language).format(tokens.map(({ name }) => name)),
  });
  const open = works.filter(isOpen);
  const openText = open.length > 0 && t("operator.tokens.open", named(open));
  if (ending.length > 0) {
    return (
      <Answer shape="needs" then={[t("operator.tokens.endsText"), openText].filter(Boolean).join(" ")}>
        {t("operator.tokens.endSoon", named(ending))}
      </Answer>
    );
  }
  if (openText) {
    return (
      <Answer shape="needs" then={t("operator.tokens.openText")}>
        {open.length === 1 ? (
          <Link href={`/operator/tokens?open=${open[0]!.id}`} className="link">
            {openText}
          </Link>
        ) : (
          openText
        )}
      </Answer>
    );
  }
  // Of more than are read nothing is said that is not known.
  if (data.nextCursor) return null;
  return <Answer shape="done">{t("operator.tokens.noneEnds", { count: works.length })}</Answer>;
}

const isValid = ({ revokedAt, expiresAt }: Token): boolean => revokedAt === null && Date.parse(expiresAt) > Date.now();

/** Whether whoever has copied it may decide about money from anywhere. */
const isOpen = (token: Token): boolean => isValid(token) && token.allowedIps === null && decides(token.role);

/** Where a token works from. */
function From({ token }: { token: Token }) {
  const { t } = useTranslation();
  const { allowedIps } = token;
  if (allowedIps !== null) return <span className="mono">{allowedIps.join(", ")}</span>;
  const anywhere = t("operator.tokens.anywhere");
  return isOpen(token) ? <State shape="needs">{anywhere}</State> : anywhere;
}

function TokenState({ token: { revokedAt, expiresAt } }: { token: Token }) {
  const { t } = useTranslation();
  const left = new Date(expiresAt).getTime() - Date.now();
  if (revokedAt !== null) return <State shape="ended">{t("operator.tokens.ended")}</State>;
  if (left <= 0) return <State shape="ended">{t("operator.tokens.expired")}</State>;
  return (
    <State shape={left < SOON_MS ? "needs" : "done"}>
      {t("operator.tokens.until")} <Moment at={expiresAt} />
    </State>
  );
}

/** Whoever takes a token over has it end with themselves, and no longer with who made it. */
function Adopt({ token }: { token: Token }) {
  const { t } = useTranslation();
  const { operator } = useSession();
  const adopt = useChange(() => operator.tokens.adopt(token.id));
  return (
    <div className="stack">
      <p className="note">{t("team.adoptText")}</p>
      {adopt.error && <Failure error={adopt.error} />}
      <div>
        <Button variant="default" loading={adopt.isPending} onClick={() => adopt.mutate()}>
          {t("team.adoptOne")}
        </Button>
      </div>
    </div>
  );
}

function TokenDetails({ token, onClose }: { token: Token; onClose: () => void }) {
  const { t, i18n } = useTranslation();
  const { session, operator } = useSession();
  const end = useChange(
    (made: MadeAnswer | undefined) => operator.tokens.revoke(token.id, made === undefined ? {} : { made }),
    onClose,
  );
  const made = madeIn(end.error);
  const when = (at: string | null) => (at === null ? null : showInFull(new Date(at), i18n.language));
  return (
    <>
      <TokenState token={token} />
      <Facts
        facts={[
          [t("team.role"), t(`team.roles.${token.role}`)],
          [t("operator.tokens.kind"), t(`operator.tokens.${token.kind ?? "person"}`)],
          [t("operator.tokens.from"), <From key="from" token={token} />],
          [t("transactions.created"), when(token.createdAt)],
          [t("operator.tokens.by"), token.madeBy],
          [t("operator.tokens.used"), when(token.lastUsedAt) ?? t("operator.tokens.never")],
          [t("operator.tokens.ends"), when(token.expiresAt)],
          [t("operator.tokens.ended"), when(token.revokedAt)],
        ]}
      />
      {token.revokedAt === null && session.installationRole === "admin" && (
        <>
          {token.madeBy !== session.person.name && <Adopt token={token} />}
          {made !== null && (
            <EndsWithMaker made={made} busy={end.isPending} onAnswer={(answer) => end.mutate(answer)} />
          )}
          <SureButton
            text={t("operator.tokens.end", { name: token.name })}
            note={t("operator.tokens.endText")}
            sure={t("operator.tokens.endSure", { name: token.name })}
            change={{ ...end, error: made === null ? end.error : null, mutate: () => end.mutate(undefined) }}
          />
        </>
      )}
    </>
  );
}

function NewToken({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const { t } = useTranslation();
  const { operator } = useSession();
  const choices = (values: readonly string[], key: string) =>
    values.map((value) => ({ value, label: t(`${key}.${value}`) }));
  return (
    <FormPanel
      title={t("operator.tokens.new")}
      opened={opened}
      onClose={onClose}
      read={(form): operator.OperatorTokenRequest => {
        const allowedIps = readAddresses(fieldOf(form, "allowedIps"));
        return {
          name: fieldOf(form, "name"),
          role: fieldOf(form, "role") as (typeof OPERATOR_ROLES)[number],
          kind: fieldOf(form, "kind") as (typeof OPERATOR_TOKEN_KINDS)[number],
          expiresInDays: Number(fieldOf(form, "days")),
          ...(allowedIps !== undefined && { allowedIps }),
        };
      }}
      save={(body) => operator.tokens.create(body)}
      saved={({ token = "" }, close) => (
        <>
          <p>{t("operator.tokens.made")}</p>
          <Secret text={token} onKept={close} />
        </>
      )}
      shownOnce
      button={{ text: t("operator.tokens.create") }}
    >
      <TextInput name="name" label={t("team.name")} required maxLength={64} data-autofocus />
      <NativeSelect
        name="kind"
        label={t("operator.tokens.kind")}
        data={choices(OPERATOR_TOKEN_KINDS, "operator.tokens")}
      />
      <NativeSelect name="role" label={t("team.role")} data={choices(OPERATOR_ROLES, "team.roles")} />
      <TextInput
        name="days"
        type="number"
        label={t("operator.tokens.days")}
        required
        min={1}
        max={365}
        defaultValue="90"
      />
      <TextInput
        name="allowedIps"
        label={t("operator.tokens.from")}
        placeholder="192.0.2.10, 198.51.100.0/24"
        description={t("operator.tokens.fromText")}
      />
    </FormPanel>
  );
}
