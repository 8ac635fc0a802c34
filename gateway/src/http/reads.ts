/**
 * Limits how many calls of each tenant read history at one time. They take long, and a tenant's calls together must leave
 * connections to others. Further calls wait in a queue.
 */
export type Reads = {
  /**
   * Admits a call, until the returned function is called; null: it has waited too long. Calling the function again has no
   * effect.
   */
  enter(tenant: string): Promise<(() => void) | null>;
};

/** `most`: calls of a tenant at one time. `waitMs`: how long the next one waits for one of them to end. */
export function createReads({ most, waitMs }: { readonly most: number; readonly waitMs: number }): Reads {
  type Tenant = { underWay: number; readonly waiting: Set<() => void> };
  const tenants = new Map<string, Tenant>();

  function leaving(name: string, tenant: Tenant): () => void {
    let left = false;
    return () => {
      if (left) return;
      left = true;
      const [next] = tenant.waiting;
      // The slot goes to the call that has waited longest.
      if (next) next();
      else if (--tenant.underWay === 0) tenants.delete(name);
    };
  }

  return {
    async enter(name) {
      const tenant = tenants.get(name) ?? { underWay: 0, waiting: new Set() };
      tenants.set(name, tenant);
      if (tenant.underWay < most) {
        tenant.underWay += 1;
        return leaving(name, tenant);
      }
      const { promise, resolve } = Promise.withResolvers<boolean>();
      const mine = () => end(true);
      const timer = setTimeout(() => end(false), waitMs);
      function end(entered: boolean): void {
        clearTimeout(timer);
        tenant.waiting.delete(mine);
        resolve(entered);
      }
      tenant.waiting.add(mine);
      return (await promise) ? leaving(name, tenant) : null;
    },
  };
}
