import { Button } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { downloadFile } from "./download.ts";
import { Failure } from "./feedback.tsx";
import { Icon } from "./icon.tsx";
import "./file-button.css";

/** Stores a file that the gateway or the page makes: `read` gives its content. */
export function FileButton({
  name,
  type,
  variant = "default",
  read,
  children,
}: {
  name: string;
  type: string;
  variant?: "default" | "filled";
  read: () => Promise<Uint8Array<ArrayBuffer> | string>;
  children: ReactNode;
}) {
  const file = useMutation({ mutationFn: read, onSuccess: (bytes) => downloadFile(name, bytes, type) });
  return (
    <>
      <Button
        variant={variant}
        leftSection={<Icon name="download" />}
        loading={file.isPending}
        onClick={() => file.mutate()}
      >
        {children}
      </Button>
      {file.error && (
        <div className="last">
          <Failure error={file.error} retry={() => file.mutate()} />
        </div>
      )}
    </>
  );
}
