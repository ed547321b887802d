/** Receipts: heads of asks that somebody kept before answering. */
import type { Line } from "./chain.ts";
import { Fault } from "./fault.ts";
import { plainJson } from "./json.ts";
import { atOnce, SLICE, type Slices } from "./slices.ts";

export interface Receipt {
  head: string;
  /** Whose it is. `null`: the reader's own, which counts for every seat. */
  seat: number | null;
}

/** A receipt, and the number of its line. */
export interface Kept {
  line: number;
  seat: number | null;
}

/** Text without the blanks of JSON around it. */
const trimmed = (text: string) => text.replace(/^[ \t\r\n]+|[ \t\r\n]+$/g, "");

/** UTF-8, with or without a byte order mark; `null` for other bytes. */
function toText(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** Reads a receipts file, for the table of this name. */
export const readReceipts = (bytes: Uint8Array, table: string | null): Receipt[] =>
  atOnce(readingReceipts(bytes, table));

export function* readingReceipts(bytes: Uint8Array, table: string | null): Slices<Receipt[]> {
  const text = toText(bytes);
  if (text === null) throw new Fault("input/unreadable", "the receipts are not UTF-8", null);
  const rows: { own: boolean; receipt: Receipt }[] = [];
  for (const [index, line] of text.split("\n").entries()) {
    if (index % SLICE === 0) yield index;
    if (!trimmed(line)) continue;
    let value: unknown;
    try {
      value = plainJson(line);
    } catch {
      throw new Fault("input/unreadable", "a line of the receipts is not JSON", null);
    }
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      throw new Fault("input/unreadable", "a line of the receipts is no object", null);
    }
    const { head, seat, table: name } = value as { [key: string]: unknown };
    if (typeof head !== "string") throw new Fault("input/unreadable", "a receipt without a head", null);
    const whose = typeof seat === "number" && Number.isInteger(seat) ? seat : null;
    rows.push({ own: name === table, receipt: { head, seat: whose } });
  }
  // A file about other tables only is the wrong file. So all of it counts, and is found out.
  const own = rows.filter((row) => row.own);
  return (own.length ? own : rows).map((row) => row.receipt);
}

/** Finds the lines of the receipts. Each must be the hash of some line. */
export const findReceipts = (lines: readonly Line[], receipts: readonly Receipt[]): Kept[] =>
  atOnce(findingReceipts(lines, receipts));

export function* findingReceipts(lines: readonly Line[], receipts: readonly Receipt[]): Slices<Kept[]> {
  const heads: string[] = [];
  for (const [index, { head }] of receipts.entries()) {
    heads.push(trimmed(head).toLowerCase());
    if (!/^[0-9a-f]{64}$/.test(heads[index])) throw new Fault("input/bad", "a receipt is 64 hex digits", null);
    if (index % SLICE === 0) yield lines.length;
  }
  const numbers = new Map<string, number>();
  for (const [index, { hash }] of receipts.length ? lines.entries() : []) {
    numbers.set(hash, index + 1);
    if (index % SLICE === 0) yield lines.length;
  }
  const kept: Kept[] = [];
  for (const [index, { seat }] of receipts.entries()) {
    const line = numbers.get(heads[index]);
    if (line === undefined) throw new Fault("transcript/receipt", "a receipt of another history", null);
    kept.push({ line, seat });
    if (index % SLICE === 0) yield lines.length;
  }
  return kept;
}
