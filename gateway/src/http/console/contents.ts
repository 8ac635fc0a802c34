/** Contents by name, each in memory once. */
type Contents = {
  /** The content in memory, otherwise what `load` finds; null: there is none. */
  find(name: string, load: () => Promise<Buffer | null>): Promise<Buffer | null>;
  /** Forgets all other names, and every name without a content. */
  keepOnly(names: ReadonlySet<string>): void;
};

/**
 * Holds the contents that were requested last, up to `maxBytes`. A content that was dropped is found again as long as an unsent
 * answer still has it, so that clients who do not read their answers cause no second copy.
 */
export function createContents(maxBytes: number): Contents {
  const loading = new Map<string, Promise<Buffer | null>>();
  const known = new Map<string, WeakRef<Buffer> | null>();
  /** In the order of requests, the last one at the end. */
  const held = new Map<string, Buffer>();
  let bytes = 0;
  const letGo = (name: string): void => {
    bytes -= held.get(name)?.length ?? 0;
    held.delete(name);
  };
  const hold = (name: string, content: Buffer): Buffer => {
    letGo(name);
    held.set(name, content);
    bytes += content.length;
    for (const oldest of held.keys()) {
      if (bytes <= maxBytes) break;
      letGo(oldest);
    }
    return content;
  };
  const loaded = async (name: string, load: () => Promise<Buffer | null>): Promise<Buffer | null> => {
    const content = await load();
    known.set(name, content && new WeakRef(content));
    return content && hold(name, content);
  };
  return {
    async find(name, load) {
      const reference = known.get(name);
      if (reference === null) return null;
      const content = reference?.deref();
      if (content !== undefined) return hold(name, content);
      const work = loading.get(name) ?? loaded(name, load).finally(() => loading.delete(name));
      loading.set(name, work);
      return work;
    },
    keepOnly(names) {
      for (const [name, reference] of known) {
        if (reference !== null && names.has(name)) continue;
        known.delete(name);
        letGo(name);
      }
    },
  };
}
