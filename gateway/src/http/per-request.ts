import type { FastifyRequest } from "fastify";

/** A value that is kept with a request until the request is forgotten. */
type PerRequest<T> = {
  set(request: FastifyRequest, value: T): void;
  get(request: FastifyRequest): T | undefined;
};

/**
 * Keeps values of one kind with requests, each as a property of its request. A `WeakMap` by request would do the same,
 * but hashes each request, and the garbage collector visits each of its entries (docs/performance/charge.md).
 */
export function perRequest<T>(name: string): PerRequest<T> {
  const key = Symbol(name);
  type Keeper = FastifyRequest & { [key]?: T };
  return {
    set(request, value) {
      (request as Keeper)[key] = value;
    },
    get: (request) => (request as Keeper)[key],
  };
}
