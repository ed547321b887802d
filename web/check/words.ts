/** Texts from outside, shown so that they cannot pretend to be ours. */

const ODD = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/u;

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

/** A name within a sentence, in quotation marks: so it cannot read like a sentence of ours. */
export function quoted(name: string): string {
  return JSON.stringify(shown(name));
}

/** "1", "1 and 2", "1, 2 and 3". */
export function listed(items: readonly (number | string)[]): string {
  if (items.length < 2) return items.join("");
  return `${items.slice(0, -1).join(", ")} and ${items[items.length - 1]}`;
}

/** Pieces of a list in a sentence. */
const MOST = 12;

/** Numbers as `listed`; many of them as "1 to 43 and 50 to 2000", and behind twelve pieces "… and 7 more". */
export function spanned(numbers: readonly number[]): string {
  if (numbers.length <= MOST) return listed(numbers);
  const spans: [number, number][] = [];
  for (const number of numbers) {
    const last = spans.at(-1);
    if (last && number === last[1] + 1) last[1] = number;
    else spans.push([number, number]);
  }
  const pieces = spans.slice(0, MOST).map(([first, last]) => first < last ? `${first} to ${last}` : `${first}`);
  const more = spans.slice(MOST).reduce((sum, [first, last]) => sum + last + 1 - first, 0);
  return listed(more ? [...pieces, `${more} more`] : pieces);
}
