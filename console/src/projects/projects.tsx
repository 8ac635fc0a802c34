import "./projects.css";
import { Button, TextInput } from "@mantine/core";
import type { merchant } from "@pixgate/sdk";
import { useTranslation } from "react-i18next";
import { Link } from "wouter";
import { Received, useFigureColumns, useFigureSum, useWithFigures } from "../charges/figures.tsx";
import { timeColumn } from "../parts/columns.tsx";
import { useCounted } from "../parts/counted.ts";
import { Facts } from "../parts/facts.tsx";
import { FormPanel, fieldOf } from "../parts/form-panel.tsx";
import { FreeText } from "../parts/free-text.tsx";
import { Id } from "../parts/id.tsx";
import { ListScreen } from "../parts/list-screen.tsx";
import { BigMoney } from "../parts/money.tsx";
import { Moment } from "../parts/time.tsx";
import { useSession } from "../session/session.tsx";

type Project = merchant.Project;

const chargesOf = ({ id }: Project): string => `/charges?project=${id}`;

/** A count of a project's figures; more than that where not all were counted. */
const counted = ({ more }: { readonly more: boolean }, count: number) => `${count}${more ? "+" : ""}`;

/** Names that tag charges. */
export default function Projects() {
  const { t } = useTranslation();
  const sumOf = useCounted<Project>("projects", useFigureSum());
  const withFigures = useWithFigures();
  const figures = useFigureColumns<Project>();
  const { pixgate, scope, may } = useSession();
  return (
    <ListScreen<Project>
      title={t("nav.projects")}
      make={
        may("PROJECT:WRITE") && {
          text: t("projects.new"),
          panel: (opened, close) => <NewProject opened={opened} onClose={close} />,
        }
      }
      queryKey={[...scope, "projects"]}
      read={async ({ cursor = "1" }) => {
        const { items, page, totalPages } = await withFigures((asked) =>
          pixgate.projects.list({ page: Number(cursor), limit: 50, ...asked }).page(),
        );
        return { items, nextCursor: page < totalPages ? String(page + 1) : null };
      }}
      keyOf={({ id }) => id}
      sumOf={sumOf}
      empty={t("projects.empty")}
      panel={{
        title: (project) => project?.name ?? t("nav.projects"),
        body: (project) => <Details key={project.id} project={project} />,
      }}
      columns={[
        {
          key: "name",
          title: t("projects.name"),
          className: "lead",
          cell: (project) => <Name project={project} />,
          corner: "who",
        },
        {
          key: "description",
          title: t("newCharge.description"),
          className: "second",
          cell: ({ description }) => description ?? "–",
          corner: "state",
          phone: ({ description, figures }) => (
            <>
              {figures &&
                (figures.payments === 0
                  ? t("paymentLinks.notPaid")
                  : t("projects.payments", { count: figures.payments, shown: counted(figures, figures.payments) }))}
              {figures && description && " · "}
              {description && <FreeText>{description}</FreeText>}
            </>
          ),
        },
        timeColumn(t("projects.created"), ({ createdAt }) => createdAt, { corner: undefined }),
        ...figures,
      ]}
    >
      <p className="second gap-below">{t("projects.lead")}</p>
    </ListScreen>
  );
}

/** A project: what its charges have brought, its data, and the way to them. */
function Details({ project }: { project: Project }) {
  const { t } = useTranslation();
  const { may } = useSession();
  const { figures } = project;
  return (
    <>
      {figures && (
        <div>
          <p className="small quiet">{t("figures.received")}</p>
          {figures.more ? <Received figures={figures} /> : <BigMoney brl={figures.paidAmount} />}
        </div>
      )}
      {project.description && (
        <p>
          <FreeText>{project.description}</FreeText>
        </p>
      )}
      <Facts
        facts={[
          [t("figures.payments"), figures && counted(figures, figures.payments)],
          [t("projects.made"), figures && counted(figures, figures.charges)],
          [t("projects.created"), <Moment key="created" at={project.createdAt} />],
          [t("charge.id"), <Id key="id">{project.id}</Id>],
        ]}
      />
      <div className="flow pad-top">
        {may("PIX:WRITE") && (
          <Button component={Link} href={`${chargesOf(project)}&new=1`}>
            {t("projects.charge")}
          </Button>
        )}
        <Button component={Link} href={chargesOf(project)} variant="default">
          {t("projects.charges")}
        </Button>
      </div>
    </>
  );
}

function Name({ project: { name, color } }: { project: Project }) {
  return (
    <span className="project-name">
      <span aria-hidden="true" className="swatch" style={{ background: color }} />
      <FreeText>{name}</FreeText>
    </span>
  );
}

function NewProject({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const { t } = useTranslation();
  const { pixgate } = useSession();
  return (
    <FormPanel
      title={t("projects.new")}
      opened={opened}
      onClose={onClose}
      read={(form): merchant.ProjectRequest => {
        const description = fieldOf(form, "description");
        return {
          name: fieldOf(form, "name"),
          color: fieldOf(form, "color"),
          ...(description !== "" && { description }),
        };
      }}
      save={(body) => pixgate.projects.create(body)}
      button={{ text: t("projects.create") }}
    >
      <TextInput name="name" label={t("projects.name")} required maxLength={255} data-autofocus />
      <TextInput name="color" type="color" label={t("projects.color")} defaultValue="#0b7a6f" w={120} />
      <TextInput name="description" label={t("projects.description")} maxLength={2000} />
    </FormPanel>
  );
}
