import { useEffect, useState } from "react";

/** Whether this many milliseconds have passed since the calling component was first shown. */
export function useHasPassed(ms: number): boolean {
  const [hasPassed, setHasPassed] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setHasPassed(true), ms);
    return () => clearTimeout(timer);
  }, [ms]);
  return hasPassed;
}
