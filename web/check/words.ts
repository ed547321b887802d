/** Texts from outside, shown so that they cannot pretend to be ours. */

const ODD = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/u;

/** What the sentences themselves speak of. */
const OURS = new Set(["the house", "nobody", "anybody", "anybody else", "the receipts", "the lines"]);

/** Odd signs as escapes. */
export function shown(text: string): string {
  let out = "";
  for (const sign of text) {
    const code = sign.codePointAt(0) as number;
    const odd = ODD.test(sign) && code !== 0x200c && code !== 0x200d;
    out += !odd
      ? sign
      : code > 0xffff
      ? "\\U" + code.toString(16).padStart(8, "0")
      : "\\u" + code.toString(16).padStart(4, "0");
  }
  return out;
}

/** A name within a sentence. One that is long, or not plain, is quoted. */
export function quoted(name: string): string {
  const plain = [...name].length <= 32 && /^[\p{L}\p{N}_][\p{L}\p{N}_ '().-]*$/u.test(name);
  return plain && !OURS.has(name.toLowerCase()) ? name : JSON.stringify(shown(name));
}

/** "1", "1 and 2", "1, 2 and 3". */
export function listed(items: readonly (number | string)[]): string {
  if (items.length < 2) return items.join("");
  return `${items.slice(0, -1).join(", ")} and ${items[items.length - 1]}`;
}
