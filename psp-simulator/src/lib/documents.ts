function cpfDigit(digits: string): number {
  let sum = 0;
  for (let i = 0; i < digits.length; i++) sum += Number(digits[i]) * (digits.length + 1 - i);
  return ((sum * 10) % 11) % 10;
}

/** Eleven digits with right check digits, not all equal. */
export function isCpf(text: string): boolean {
  if (!/^\d{11}$/.test(text) || /^(\d)\1{10}$/.test(text)) return false;
  return cpfDigit(text.slice(0, 9)) === Number(text[9]) && cpfDigit(text.slice(0, 10)) === Number(text[10]);
}

function cnpjDigit(characters: string): number {
  let sum = 0;
  for (let i = 0; i < characters.length; i++) {
    // Weights 2 to 9 from the right; a character counts as its ASCII code less 48 (IN RFB 2229/2024), so 'A' is 17.
    sum += (characters.charCodeAt(i) - 48) * (((characters.length - 1 - i) % 8) + 2);
  }
  return sum % 11 < 2 ? 0 : 11 - (sum % 11);
}

/** Twelve letters or digits and two check digits; numeric and alphanumeric CNPJs alike. */
export function isCnpj(text: string): boolean {
  if (!/^[0-9A-Z]{12}\d{2}$/.test(text) || /^(\d)\1{13}$/.test(text)) return false;
  return cnpjDigit(text.slice(0, 12)) === Number(text[12]) && cnpjDigit(text.slice(0, 13)) === Number(text[13]);
}
