/** Which codes fit the answers so far. Counted in the browser where they are few enough. */
import { answer } from "../check/games/codebreaking.ts";

export interface Row {
  guess: readonly number[];
  answer: readonly [number, number];
}

/** The most codes that are looked at one by one. */
const MOST = 200_000;

const cache = new Map<string, number[][] | null>();

/** All codes that fit the rows, or `null` where there are too many to look at. */
export function fitting(base: number, length: number, rows: readonly Row[]): number[][] | null {
  if (base ** length > MOST) return null;
  const name = JSON.stringify([base, length, rows]);
  const known = cache.get(name);
  if (known !== undefined) return known;
  const last = rows[rows.length - 1];
  const before = last ? fitting(base, length, rows.slice(0, -1)) as number[][] : every(base, length);
  const found = last
    ? before.filter((code) => {
      const [full, partial] = answer(code, last.guess);
      return full === last.answer[0] && partial === last.answer[1];
    })
    : before;
  if (cache.size > 200) cache.clear();
  cache.set(name, found);
  return found;
}

function every(base: number, length: number): number[][] {
  let codes: number[][] = [[]];
  for (let place = 0; place < length; place++) {
    codes = codes.flatMap((code) => Array.from({ length: base }, (_, digit) => [...code, digit]));
  }
  return codes;
}

/** The first row behind which no code is left; `null` if there is none, or nobody can count. */
export function impossibleRow(base: number, length: number, rows: readonly Row[]): number | null {
  for (let row = 1; row <= rows.length; row++) {
    if (fitting(base, length, rows.slice(0, row))?.length === 0) return row;
  }
  return null;
}

/** The first row that a code does not fit, with what it would have given. */
export function misfit(code: readonly number[], rows: readonly Row[]): { row: number; given: [number, number] } | null {
  for (const [index, row] of rows.entries()) {
    const given = answer(code, row.guess);
    if (given[0] !== row.answer[0] || given[1] !== row.answer[1]) return { row: index + 1, given };
  }
  return null;
}

/** All answers that are possible at all. */
export function answers(length: number): [number, number][] {
  const out: [number, number][] = [];
  for (let full = 0; full <= length; full++) {
    for (let partial = 0; full + partial <= length; partial++) {
      if (!(full === length - 1 && partial === 1)) out.push([full, partial]);
    }
  }
  return out;
}
