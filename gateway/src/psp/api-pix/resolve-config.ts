import { type ApiPixConfig, type ApiPixSettings, defaults, type Route, routes } from "./config.ts";
import { profiles } from "./profiles.ts";

/**
 * Merges settings, profile and defaults, in this order of precedence; maps (headers, query, paths) are merged by name.
 * Throws a TypeError that names the missing or wrong setting, never its value.
 */
export function resolveConfig(settings: ApiPixSettings): ApiPixConfig {
  const { profile: name, ...own } = settings;
  if (name !== undefined && !Object.hasOwn(profiles, name)) throw new TypeError("profile: there is none of this name");
  const profile: Partial<ApiPixConfig> = name === undefined ? {} : profiles[name as keyof typeof profiles];
  const config = {
    ...defaults,
    ...given(profile),
    ...given(own),
    extraHeaders: { ...profile.extraHeaders, ...own.extraHeaders },
    extraQuery: { ...profile.extraQuery, ...own.extraQuery },
    pathOverrides: { ...profile.pathOverrides, ...own.pathOverrides },
  } as ApiPixConfig;

  for (const field of ["baseUrl", "tokenUrl"] as const) {
    const url = config[field];
    if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) throw new TypeError(`${field}: not a URL`);
  }
  if (new URL(config.baseUrl).search !== "") throw new TypeError("baseUrl: may not have a query");
  for (const field of ["clientId", "pixKey"] as const) {
    if (typeof config[field] !== "string" || config[field] === "") throw new TypeError(`${field}: missing`);
  }
  const needsNoSecret = config.tokenAuth === "none" || config.tokenAuth === "certificate";
  if (!needsNoSecret && !config.clientSecret) throw new TypeError("clientSecret: missing");
  for (const field of [
    "timeoutMs",
    "tokenTimeoutMs",
    "connectTimeoutMs",
    "maxConnections",
    "maxPending",
    "pageSize",
  ] as const) {
    if (!Number.isSafeInteger(config[field]) || config[field] < 1)
      throw new TypeError(`${field}: not a positive integer`);
  }
  for (const [route, path] of Object.entries(config.pathOverrides)) {
    // The ids in the order of the standard's own path.
    const ids = (template: string) => (template.match(/\{[12]\}/g) ?? []).join("");
    if (!Object.hasOwn(routes, route) || !path.startsWith("/") || ids(path) !== ids(routes[route as Route])) {
      throw new TypeError(`pathOverrides: ${route} is not a path with the ids of this route`);
    }
  }
  if (config.pageSize > 1000) throw new TypeError("pageSize: more than 1000");
  return config;
}

/** Removes undefined fields, which would hide the value below them. */
function given<T extends object>(fields: T): Partial<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Partial<T>;
}
