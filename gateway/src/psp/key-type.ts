/** The types of PIX keys in the words of the Central Bank's directory (DICT), by the canonical form of a key. */
const FORMS = {
  CPF: /^\d{11}$/,
  CNPJ: /^[0-9A-Z]{12}\d{2}$/,
  PHONE: /^\+\d{3,15}$/,
  EMAIL: /@/,
  EVP: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
} as const;
type KeyType = keyof typeof FORMS;

/**
 * What a bank calls the type of a key; null: it is no key.
 *
 * @param words the types that this bank names in another way.
 */
export function keyTypeOf(pixKey: string, words: Partial<Record<KeyType, string>> = {}): string | null {
  const type = (Object.keys(FORMS) as KeyType[]).find((one) => FORMS[one].test(pixKey));
  return type === undefined ? null : (words[type] ?? type);
}
