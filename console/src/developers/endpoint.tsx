import { Button } from "@mantine/core";
import { EVENT_KINDS, type merchant } from "@pixgate/sdk";
import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { undelivered } from "../app/waiting.tsx";
import { useChange } from "../parts/change.ts";
import { Facts } from "../parts/facts.tsx";
import { Failure, Read } from "../parts/feedback.tsx";
import { useAddress } from "../parts/filters.tsx";
import { showDayTime } from "../parts/instant.ts";
import { Section } from "../parts/page.tsx";
import { Panel } from "../parts/panel.tsx";
import { Secret } from "../parts/secret.tsx";
import { NativeSelect } from "../parts/select.ts";
import { Moment } from "../parts/time.tsx";
import { useSession } from "../session/session.tsx";
import { EndpointFields, endpointOf } from "./endpoint-fields.tsx";
import { eventWord } from "./event-kind.tsx";
import { Health } from "./health.tsx";
import { Replay } from "./replay.tsx";

type Endpoint = merchant.WebhookEndpoint;

/** An endpoint: what it receives, and how to change, test, replay, switch off and delete it, and to replace its secret. */
export function EndpointPanel({ id, onClose }: { id: string | null; onClose: () => void }) {
  const { t } = useTranslation();
  const { pixgate, scope, may } = useSession();
  const query = useQuery({
    queryKey: [...scope, "endpoint", id],
    queryFn: () => pixgate.webhookEndpoints.get(id ?? ""),
    enabled: id !== null,
  });
  return (
    <Panel title={t("webhooks.endpoint")} opened={id !== null} onClose={onClose}>
      <Read query={query}>
        {(endpoint) => (
          <>
            <Data endpoint={endpoint} />
            {may("WEBHOOK:WRITE") && <Acts endpoint={endpoint} onDeleted={onClose} />}
          </>
        )}
      </Read>
    </Panel>
  );
}

/** What can be done. */
function Acts({ endpoint, onDeleted }: { endpoint: Endpoint; onDeleted: () => void }) {
  return (
    <>
      <Change endpoint={endpoint} />
      <Replay endpoint={endpoint} />
      <Test endpoint={endpoint} />
      <Rotation endpoint={endpoint} />
      <Ends endpoint={endpoint} onDeleted={onDeleted} />
    </>
  );
}

/** What to do about what was given up in the last week: try the server, then send all of it again; once that was asked, how many. */
function SendFailed({ endpoint }: { endpoint: Endpoint }) {
  const { t } = useTranslation();
  const session = useSession();
  const { data } = useQuery(undelivered(session));
  const send = useChange(() =>
    session.pixgate.webhookEndpoints.replay(endpoint.id, { since: data?.since ?? "", onlyFailed: true }),
  );
  const test = useTest(endpoint);
  const count = data?.items.filter(({ endpointId }) => endpointId === endpoint.id).length ?? 0;
  if (send.data) {
    return (
      <p className="small" role="status">
        {t("webhooks.sentAgain", { number: send.data.count })}
      </p>
    );
  }
  if (count === 0) return null;
  return (
    <>
      <p className="small second">{t("webhooks.mendFirst")}</p>
      {(send.error ?? test.error) && <Failure error={send.error ?? test.error} />}
      <div className="flow">
        <Button loading={test.isPending} onClick={() => test.mutate("payment_completed")}>
          {t("webhooks.testNow")}
        </Button>
        <Button variant="default" loading={send.isPending} onClick={() => send.mutate()}>
          {t("webhooks.sendAll", { count, shown: data?.more ? `${count}+` : count })}
        </Button>
      </div>
    </>
  );
}

function Data({ endpoint }: { endpoint: Endpoint }) {
  const { t } = useTranslation();
  const { may } = useSession();
  const address = useAddress();
  return (
    <>
      <p className="mono">{endpoint.url}</p>
      <div>
        <Health endpoint={endpoint} />
        <div>
          <button
            type="button"
            className="act small"
            onClick={() => address.change({ manage: null, endpoint: endpoint.id, delivery: null })}
          >
            {t("webhooks.itsDeliveries")}
          </button>
        </div>
      </div>
      {may("WEBHOOK:WRITE") && <SendFailed endpoint={endpoint} />}
      <Facts
        facts={[
          [
            t("webhooks.events"),
            endpoint.events?.map((kind) => eventWord(t, kind)).join(", ") ?? t("webhooks.allEvents"),
          ],
          [t("webhooks.retry"), t(`webhooks.retries.${endpoint.retry}`)],
          [t("columns.description"), endpoint.description],
          [t("list.created"), <Moment key="created" at={endpoint.createdAt} />],
        ]}
      />
    </>
  );
}

/** Its address, its events and how often it is tried; only what is another than before is sent. */
function Change({ endpoint }: { endpoint: Endpoint }) {
  const { t } = useTranslation();
  const { pixgate } = useSession();
  // What the form was opened with: its fields keep that while others change the endpoint.
  const [opened, setOpened] = useState<Endpoint | null>(null);
  const save = useChange(
    async (patch: merchant.WebhookEndpointPatch) => {
      if (Object.keys(patch).length > 0) await pixgate.webhookEndpoints.update(endpoint.id, patch);
    },
    () => setOpened(null),
  );
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (opened !== null) save.mutate(changesOf(opened, new FormData(event.currentTarget)));
  };
  if (opened === null) {
    return (
      <div>
        <Button variant="default" onClick={() => setOpened(endpoint)}>
          {t("webhooks.change")}
        </Button>
      </div>
    );
  }
  return (
    <Section title={t("webhooks.change")}>
      <form className="stack pad-top" onSubmit={submit}>
        <EndpointFields standing={opened} />
        {save.error && <Failure error={save.error} />}
        <Button type="submit" loading={save.isPending}>
          {t("webhooks.save")}
        </Button>
      </form>
    </Section>
  );
}

function changesOf(endpoint: Endpoint, form: FormData): merchant.WebhookEndpointPatch {
  const { events, ...rest } = endpointOf(form);
  const standing = { ...endpoint, description: endpoint.description ?? "" };
  const changed = Object.entries(rest).filter(([name, value]) => value !== standing[name as keyof typeof rest]);
  const before = (endpoint.events ?? []) as readonly string[];
  const same = events.length === before.length && events.every((kind) => before.includes(kind));
  return { ...Object.fromEntries(changed), ...(!same && { events }) };
}

type Kind = (typeof EVENT_KINDS)[number];

/** Sends an example of an event, and opens its delivery. */
function useTest({ id }: Endpoint) {
  const { pixgate } = useSession();
  const address = useAddress();
  return useChange(
    (event: Kind) => pixgate.webhookEndpoints.test(id, { event }),
    (delivery) => address.change({ delivery: delivery.id, manage: null }),
  );
}

function Test({ endpoint }: { endpoint: Endpoint }) {
  const { t } = useTranslation();
  const [event, setEvent] = useState<Kind>("payment_completed");
  const test = useTest(endpoint);
  return (
    <Section title={t("webhooks.test")}>
      <div className="stack pad-top">
        <NativeSelect
          label={t("webhooks.event")}
          data={EVENT_KINDS.map((kind) => ({ value: kind, label: `${eventWord(t, kind)} (${kind})` }))}
          value={event}
          onChange={({ currentTarget }) => setEvent(currentTarget.value as typeof event)}
        />
        {test.error && <Failure error={test.error} />}
        <Button variant="default" loading={test.isPending} onClick={() => test.mutate(event)}>
          {t("webhooks.sendTest")}
        </Button>
      </div>
    </Section>
  );
}

/** A new secret beside the old one, until the receivers know it. */
function Rotation({ endpoint }: { endpoint: Endpoint }) {
  const { t, i18n } = useTranslation();
  const { pixgate } = useSession();
  const rotate = useChange(() => pixgate.webhookEndpoints.rotateSecret(endpoint.id));
  const finish = useChange(() => pixgate.webhookEndpoints.finishRotation(endpoint.id));
  return (
    <Section title={t("webhooks.secret")}>
      <div className="stack pad-top">
        {rotate.data?.secret !== undefined && <Secret text={rotate.data.secret} onKept={rotate.reset} />}
        <p className="small second">
          {endpoint.rotation === undefined
            ? t("webhooks.rotateText")
            : t("webhooks.rotating", { when: showDayTime(new Date(endpoint.rotation.endsAt), i18n.language) })}
        </p>
        {(rotate.error ?? finish.error) && <Failure error={rotate.error ?? finish.error} />}
        {endpoint.rotation === undefined ? (
          <Button variant="default" loading={rotate.isPending} onClick={() => rotate.mutate()}>
            {t("webhooks.rotate")}
          </Button>
        ) : (
          <Button variant="default" loading={finish.isPending} onClick={() => finish.mutate()}>
            {t("webhooks.finish")}
          </Button>
        )}
      </div>
    </Section>
  );
}

function Ends({ endpoint, onDeleted }: { endpoint: Endpoint; onDeleted: () => void }) {
  const { t } = useTranslation();
  const { pixgate } = useSession();
  const [asked, ask] = useState(false);
  const toggle = useChange(() => pixgate.webhookEndpoints.update(endpoint.id, { enabled: !endpoint.enabled }));
  const remove = useChange(() => pixgate.webhookEndpoints.delete(endpoint.id), onDeleted);
  return (
    <Section title={t("webhooks.end")}>
      <div className="stack pad-top">
        <p className="small second">{endpoint.enabled ? t("webhooks.disableText") : t("webhooks.enableText")}</p>
        {(toggle.error ?? remove.error) && <Failure error={toggle.error ?? remove.error} />}
        {asked && <p className="note">{t("webhooks.deleteText")}</p>}
        <div className="flow">
          <Button variant="default" loading={toggle.isPending} onClick={() => toggle.mutate()}>
            {endpoint.enabled ? t("webhooks.disable") : t("webhooks.enable")}
          </Button>
          <Button variant="default" loading={remove.isPending} onClick={() => (asked ? remove.mutate() : ask(true))}>
            {asked ? t("webhooks.deleteSure") : t("webhooks.delete")}
          </Button>
        </div>
      </div>
    </Section>
  );
}
