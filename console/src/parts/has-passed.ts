import { useEffect, useState } from "react";

/** Whether as many milliseconds have passed since what calls it was first shown. */
export function useHasPassed(ms: number): boolean {
  const [hasPassed, setHasPassed] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setHasPassed(true), ms);
    return () => clearTimeout(timer);
  }, [ms]);
  return hasPassed;
}
