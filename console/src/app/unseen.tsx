import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense, useEffect, useState } from "react";
import { Boundary } from "../parts/boundary.tsx";
import { NOTICES } from "../session/notices.ts";
import { withTexts } from "../texts/language.ts";

const SinceLast = lazy(() => withTexts(() => import("../session/since-last.tsx"), "screens"));

/** Delay after the page is shown, milliseconds: the first screen's reads come before the notices. */
const AFTER_MS = 2_000;

/** What happened to one's access, once the first screen is there: little of it is loaded where nothing did. */
export function Unseen() {
  const [isTime, setIsTime] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setIsTime(true), AFTER_MS);
    return () => clearTimeout(timer);
  }, []);
  const query = useQuery({ ...NOTICES, enabled: isTime });
  if (!query.data?.items.some(({ isNew }) => isNew)) return null;
  return (
    <Boundary>
      <Suspense fallback={null}>
        <SinceLast />
      </Suspense>
    </Boundary>
  );
}
