import type { FastifyRequest } from "fastify";

/** A value that is stored with a request as long as the request exists. */
type PerRequest<T> = {
  set(request: FastifyRequest, value: T): void;
  get(request: FastifyRequest): T | undefined;
};

/**
 * Stores values of one kind with requests, each as a property of its request. A `WeakMap` would hash each request, and the
 * garbage collector would visit each entry (docs/performance/charge.md).
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
