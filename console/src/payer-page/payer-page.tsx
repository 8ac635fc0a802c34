import { NativeSelect } from "../parts/select.ts";
import "./payer-page.css";
import { Button, FileInput, Textarea, TextInput } from "@mantine/core";
import type { merchant } from "@pixgate/sdk";
import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { useChange } from "../parts/change.ts";
import { Failure, Read } from "../parts/feedback.tsx";
import { showDayTime } from "../parts/instant.ts";
import { Page, Section } from "../parts/page.tsx";
import { Secret } from "../parts/secret.tsx";
import { useSession } from "../session/session.tsx";
import { isReadable, Preview } from "./preview.tsx";

type Settings = merchant.CheckoutSettings;
type Request = merchant.CheckoutSettingsRequest;

/** The page's own colour where the account has chosen none. */
const OWN_COLOR = "#0b7a6f";
/** Languages by their own names. */
const LANGUAGES = [
  { value: "pt-BR", label: "Português" },
  { value: "en", label: "English" },
  { value: "es", label: "Español" },
];

/** How the pages look on which payers pay, where payers may go back to, and the secret that signs their way back. */
export default function PayerPage() {
  const { t } = useTranslation();
  const { pixgate, scope, may } = useSession();
  // It outlives the form: the first time that settings are stored, they answer it.
  const [secret, setSecret] = useState<string | null>(null);
  const [projectId, setProjectId] = useState("");
  const { data, error, errorUpdateCount } = useQuery({
    queryKey: [...scope, "payerPage"],
    queryFn: () => pixgate.checkoutSettings.get(),
  });
  const { data: projects = [], isPending } = useQuery({
    queryKey: [...scope, "projects", "names"],
    queryFn: async () => (await pixgate.projects.list({ limit: 100, sortBy: "name", sortOrder: "asc" }).page()).items,
  });
  // Shown at once with the choice of projects, which would push the form down.
  const query = { data: isPending ? undefined : data, error, errorUpdateCount };
  return (
    <Page title={t("nav.payerPage")}>
      <p className="second gap-below">{t("payerPage.lead")}</p>
      {secret !== null && <Secret text={secret} onKept={() => setSecret(null)} />}
      {!isPending && <Whose projects={projects} projectId={projectId} onChoose={setProjectId} />}
      <Read query={query} lines={7}>
        {(settings) =>
          projectId === "" ? (
            <>
              <Look settings={settings} onSecret={setSecret} />
              {settings.updatedAt !== undefined && may("PROJECT:WRITE") && (
                <Rotation settings={settings} onSecret={setSecret} />
              )}
            </>
          ) : (
            <ProjectLook key={projectId} account={settings} projectId={projectId} />
          )
        }
      </Read>
    </Page>
  );
}

/** Chooses the account or one of its projects, where there are any. */
function Whose({
  projects,
  projectId,
  onChoose,
}: {
  projects: readonly merchant.Project[];
  projectId: string;
  onChoose: (projectId: string) => void;
}) {
  const { t } = useTranslation();
  if (projects.length === 0) return null;
  return (
    <NativeSelect
      maw={480}
      mb={16}
      label={t("payerPage.of")}
      value={projectId}
      onChange={({ currentTarget }) => onChoose(currentTarget.value)}
      data={[
        { value: "", label: t("payerPage.account") },
        ...projects.map(({ id, name }) => ({ value: id, label: name })),
      ]}
    />
  );
}

/** What the pages of a project have of their own. */
function ProjectLook({ account, projectId }: { account: Settings; projectId: string }) {
  const { pixgate, scope } = useSession();
  const query = useQuery({
    queryKey: [...scope, "payerPage", projectId],
    queryFn: () => pixgate.projectCheckoutSettings.get(projectId),
  });
  return (
    <Read query={query} lines={7}>
      {(settings) => <Look settings={settings} onSecret={() => {}} project={{ id: projectId, account }} />}
    </Read>
  );
}

/** `color` and `locale` empty: the default, or the account's. */
type Typed = { name: string; color: string; logo: string | null; contact: string; hosts: string; locale: string };

const typedOf = (settings: Partial<Settings>): Typed => ({
  name: settings.displayName ?? "",
  color: settings.color ?? "",
  logo: settings.logo ?? null,
  contact: settings.supportContact ?? "",
  hosts: settings.returnHosts?.join("\n") ?? "",
  locale: settings.locale ?? "",
});

/** Hosts as people type them, one a line: what was copied from a browser's bar is an address. */
const hostsOf = (text: string): string[] =>
  text
    .split(/[\s,]+/)
    .map((host) =>
      host
        .toLowerCase()
        .replace(/^https?:\/\//, "")
        .replace(/\/.*$/, ""),
    )
    .filter((host) => host !== "");

function requestOf({ name, color, logo, contact, hosts, locale }: Typed): Request {
  const [displayName, supportContact, returnHosts] = [name.trim(), contact.trim(), hostsOf(hosts)];
  return {
    ...(displayName !== "" && { displayName }),
    ...(color !== "" && { color }),
    ...(logo !== null && { logo }),
    ...(supportContact !== "" && { supportContact }),
    ...(returnHosts.length > 0 && { returnHosts }),
    ...(locale !== "" && { locale: locale as NonNullable<Request["locale"]> }),
  };
}

const readFile = (file: File): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });

/** A project whose look it is, and the account's, which fills in what the project leaves out. */
type OfProject = { readonly id: string; readonly account: Settings };

function Look(props: { settings: Partial<Settings>; onSecret: (secret: string) => void; project?: OfProject }) {
  const { t } = useTranslation();
  const { pixgate, account, may } = useSession();
  const { project } = props;
  const [typed, setTyped] = useState(() => typedOf(props.settings));
  const save = useChange(
    (): Promise<Partial<Settings>> =>
      project
        ? pixgate.projectCheckoutSettings.replace(project.id, requestOf(typed))
        : pixgate.checkoutSettings.replace(requestOf(typed)),
    (stored) => {
      setTyped(typedOf(stored));
      if (stored.secret !== undefined) props.onSecret(stored.secret);
    },
  );
  const write = (part: Partial<Typed>) => {
    save.reset();
    setTyped((before) => ({ ...before, ...part }));
  };
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    save.mutate();
  };
  const theirs = typedOf(project?.account ?? {});
  const color = typed.color || theirs.color || OWN_COLOR;
  const tooLight = !isReadable(color);
  return (
    <Section title={t("payerPage.look")}>
      {project && <p className="small second">{t("payerPage.ofProject")}</p>}
      <div className="form-and-preview">
        <form className="stack form-side" onSubmit={submit}>
          <Fields typed={typed} write={write} color={color} tooLight={tooLight} project={project} />
          {save.error && <Failure error={save.error} />}
          {may("PROJECT:WRITE") && (
            <Button type="submit" loading={save.isPending} disabled={tooLight}>
              {t("payerPage.save")}
            </Button>
          )}
          <p className="small" role="status">
            {save.isSuccess && t("payerPage.saved")}
          </p>
        </form>
        <div className="preview-side">
          <Preview
            color={color}
            logo={typed.logo ?? theirs.logo}
            name={typed.name.trim() || theirs.name || account.name}
            contact={typed.contact.trim() || theirs.contact}
          />
        </div>
      </div>
    </Section>
  );
}

type FieldsProps = {
  typed: Typed;
  write: (part: Partial<Typed>) => void;
  color: string;
  tooLight: boolean;
  project: OfProject | undefined;
};

/** The colour, and the logo beside it. */
function Mark({ typed, write, color, tooLight, project }: FieldsProps) {
  const { t } = useTranslation();
  return (
    <>
      <div className="colour-and-logo">
        <TextInput
          type="color"
          w={120}
          label={t("payerPage.color")}
          value={color}
          onChange={({ currentTarget }) => write({ color: currentTarget.value })}
        />
        <FileInput
          label={t("payerPage.logo")}
          description={t("payerPage.logoHint")}
          placeholder={t("payerPage.chooseLogo")}
          // No placeholder of an empty field but what a button says.
          styles={{ placeholder: { color: "var(--second)" } }}
          accept="image/png,image/svg+xml"
          onChange={async (file) => file !== null && write({ logo: await readFile(file) })}
        />
      </div>
      {project && typed.color !== "" && (
        <div>
          <button type="button" className="act" onClick={() => write({ color: "" })}>
            {t("payerPage.accountsColor")}
          </button>
        </div>
      )}
      {tooLight && (
        <p className="note" role="alert">
          {t("payerPage.tooLight")}
        </p>
      )}
      {typed.logo !== null && (
        <div>
          <button type="button" className="act" onClick={() => write({ logo: null })}>
            {t("payerPage.noLogo")}
          </button>
        </div>
      )}
    </>
  );
}

function Fields(props: FieldsProps) {
  const { t } = useTranslation();
  const { account } = useSession();
  const { typed, write, project } = props;
  return (
    <>
      <TextInput
        label={t("payerPage.name")}
        placeholder={project?.account.displayName ?? account.name}
        maxLength={60}
        value={typed.name}
        onChange={({ currentTarget }) => write({ name: currentTarget.value })}
      />
      <Mark {...props} />
      <fieldset className="plain-fieldset around-fields">
        <legend className="plain-legend part-legend">{t("payerPage.around")}</legend>
        <div className="stack">
          <AroundFields {...props} />
        </div>
      </fieldset>
    </>
  );
}

/** Who helps, where payers go back to, and in which language. */
function AroundFields({ typed, write, project }: FieldsProps) {
  const { t } = useTranslation();
  return (
    <>
      <TextInput
        label={t("payerPage.contact")}
        description={t("payerPage.contactHint")}
        maxLength={120}
        value={typed.contact}
        onChange={({ currentTarget }) => write({ contact: currentTarget.value })}
      />
      <Textarea
        label={t("payerPage.hosts")}
        description={t("payerPage.hostsHint")}
        placeholder={project?.account.returnHosts.join("\n") || t("payerPage.hostsExample")}
        autosize
        minRows={2}
        value={typed.hosts}
        onChange={({ currentTarget }) => write({ hosts: currentTarget.value })}
      />
      <NativeSelect
        label={t("payerPage.language")}
        description={t("payerPage.languageHint")}
        data={project ? [{ value: "", label: t("payerPage.asAccount") }, ...LANGUAGES] : LANGUAGES}
        value={typed.locale || (project ? "" : "pt-BR")}
        onChange={({ currentTarget }) => write({ locale: currentTarget.value })}
      />
    </>
  );
}

/** A new secret beside the old one, until the shop knows it. */
function Rotation({ settings: { rotation }, onSecret }: { settings: Settings; onSecret: (secret: string) => void }) {
  const { t, i18n } = useTranslation();
  const { pixgate } = useSession();
  const rotate = useChange(
    () => pixgate.checkoutSettings.rotateSecret(),
    ({ secret }) => secret !== undefined && onSecret(secret),
  );
  const finish = useChange(() => pixgate.checkoutSettings.finishRotation());
  const error = rotate.error ?? finish.error;
  return (
    <Section title={t("payerPage.secret")}>
      <div className="stack pad-top narrow">
        <p className="small second">
          {rotation === undefined
            ? t("payerPage.rotateText")
            : t("payerPage.rotating", { when: showDayTime(new Date(rotation.endsAt), i18n.language) })}
        </p>
        {error && <Failure error={error} />}
        {rotation === undefined ? (
          <Button variant="default" loading={rotate.isPending} onClick={() => rotate.mutate()}>
            {t("payerPage.rotate")}
          </Button>
        ) : (
          <Button variant="default" loading={finish.isPending} onClick={() => finish.mutate()}>
            {t("payerPage.finish")}
          </Button>
        )}
      </div>
    </Section>
  );
}
