/**
 * `txidFor` of lib/ids.ts in SQL: a number without padding, then the 128 bits of a UUID as 25 digits of base 36. It takes
 * about 50 divisions of `numeric`, so it is checked only for open rows.
 */
export const base36Of = (number: string, uuid: string): string => `(
  select ${digits(`${number}::numeric`, 10, true)} || ${digits(bits(uuid), 25, false)})`;

const ALPHABET = "0123456789abcdefghijklmnopqrstuvwxyz";

const chunk = (uuid: string, from: number): string =>
  `('x00000000' || substr(replace(${uuid}::text, '-', ''), ${from}, 8))::bit(64)::bigint::numeric`;
const bits = (uuid: string): string =>
  `(((${chunk(uuid, 1)} * 4294967296 + ${chunk(uuid, 9)}) * 4294967296 + ${chunk(uuid, 17)}) * 4294967296 + ${chunk(uuid, 25)})`;
function digits(value: string, count: number, trimmed: boolean): string {
  const all = `(select string_agg(substr('${ALPHABET}', 1 + mod(div(${value}, power(36::numeric, d)), 36)::int, 1), '' order by d desc)
    from generate_series(0, ${count - 1}) d)`;
  return trimmed ? `ltrim(${all}, '0')` : all;
}
