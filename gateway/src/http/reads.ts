/**
 * Bounds how many calls of each tenant read history at once: those take long, and all of a tenant's together must leave the
 * connections for them to others. The next call waits in line.
 */
export type Reads = {
  /** Lets a call in, until the returned function is called; null: it has waited for too long. The function may be called again, without effect. */
  enter(tenant: string): Promise<(() => void) | null>;
};

/** `most`: calls of a tenant under way. `waitMs`: how long the next one waits for one of them to end. */
export function createReads({ most, waitMs }: { readonly most: number; readonly waitMs: number }): Reads {
  type Tenant = { underWay: number; readonly waiting: Set<() => void> };
  const tenants = new Map<string, Tenant>();

  function leaving(name: string, tenant: Tenant): () => void {
    let left = false;
    return () => {
      if (left) return;
      left = true;
      const [next] = tenant.waiting;
      // The slot goes on to whoever waits for the longest.
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
