/** Characters of Windows-1252, the encoding of a PDF's standard fonts, beyond those that Latin-1 has too. */
const TYPOGRAPHIC = "€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ";
const WRITABLE = /^[\x20-\x7e\xa0-\xff]$/;
/** What stands for a character that the fonts lack, where it is not the same letter without its mark. */
const INSTEAD: Readonly<Record<string, string>> = {
  "−": "-",
  "≤": "<=",
  "≥": ">=",
  "\u202f": "\u00a0",
  "→": "->",
  "×": "x",
  ł: "l",
  Ł: "L",
  "\t": " ",
};

/**
 * The text in the characters of the standard fonts: Portuguese whole; a letter with a mark that they lack without it; `?` for
 * what they cannot show at all. Line breaks stay. No font is embedded, so a paper is small and can be searched.
 */
export const showable = (text: string): string =>
  [...text.normalize("NFC")]
    .map((character) => {
      if (character === "\n" || WRITABLE.test(character) || TYPOGRAPHIC.includes(character)) return character;
      const plain = INSTEAD[character] ?? character.normalize("NFD").replace(/\p{M}/gu, "");
      return plain.length > 0 && [...plain].every((one) => WRITABLE.test(one))
        ? plain
        : /\p{M}|\p{C}/u.test(character)
          ? ""
          : "?";
    })
    .join("");
