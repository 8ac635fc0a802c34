/** Limits how many files a process receives at one time: each is in memory whole until it is stored. */
export type Uploads = {
  /**
   * Admits a file, until the returned function is called; null: there are too many. Calling the function again has no effect.
   */
  enter(tenant: string): (() => void) | null;
};

export function createUploads({
  most,
  mostOfTenant,
}: {
  readonly most: number;
  readonly mostOfTenant: number;
}): Uploads {
  const tenants = new Map<string, number>();
  let all = 0;
  return {
    enter(tenant) {
      const own = tenants.get(tenant) ?? 0;
      if (all >= most || own >= mostOfTenant) return null;
      all += 1;
      tenants.set(tenant, own + 1);
      let left = false;
      return () => {
        if (left) return;
        left = true;
        all -= 1;
        const rest = tenants.get(tenant)! - 1;
        if (rest === 0) tenants.delete(tenant);
        else tenants.set(tenant, rest);
      };
    },
  };
}
