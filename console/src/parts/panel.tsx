import "./over.ts";
import "@mantine/core/styles/Drawer.css";
import { Drawer } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Boundary } from "./boundary.tsx";
import { PartName } from "./feedback.tsx";

/** A drawer of 480 (`wide`: of 960, as far as there is space) on a desk, a sheet from below on a phone. Esc closes it; unsaved text asks first. */
export function Panel(props: {
  title: string;
  opened: boolean;
  onClose: () => void;
  unsaved?: boolean;
  wide?: boolean;
  children: ReactNode;
}) {
  const { t } = useTranslation();
  const phone = useMediaQuery("(max-width: 760px)") ?? false;
  const close = () => {
    if (props.unsaved && !window.confirm(t("panel.unsaved"))) return;
    props.onClose();
  };
  return (
    <Drawer
      opened={props.opened}
      onClose={close}
      title={props.title}
      position={phone ? "bottom" : "right"}
      size={phone ? "92%" : props.wide ? "min(960px, 92vw)" : 480}
      transitionProps={{ duration: 120 }}
      overlayProps={{ backgroundOpacity: 0.25 }}
      closeButtonProps={{ "aria-label": t("panel.close") }}
      // The page has its banner landmark already.
      attributes={{ header: { role: "presentation" } }}
      styles={{
        title: { fontWeight: 600, fontSize: 15, lineHeight: 1.3, overflowWrap: "anywhere" },
        content: { borderRadius: 0 },
      }}
    >
      <div className="stack">
        <Boundary of={props.title}>
          <PartName value={props.title}>{props.children}</PartName>
        </Boundary>
      </div>
    </Drawer>
  );
}
