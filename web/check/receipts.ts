/** Receipts: heads of asks that somebody kept before answering. */
import type { Line } from "./chain.ts";
import { Fault } from "./fault.ts";

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

/** Reads a receipts file, for the table of this name. */
export function readReceipts(text: string, table: string | null): Receipt[] {
  const rows: { own: boolean; receipt: Receipt }[] = [];
  for (const line of text.split("\n")) {
    if (!line.trim()) continue;
    let value: unknown;
    try {
      value = JSON.parse(line);
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
export function findReceipts(lines: readonly Line[], receipts: readonly Receipt[]): Kept[] {
  const heads = receipts.map(({ head, seat }) => ({ head: head.trim().toLowerCase(), seat }));
  if (!heads.every(({ head }) => /^[0-9a-f]{64}$/.test(head))) {
    throw new Fault("input/bad", "a receipt is 64 hex digits", null);
  }
  return heads.map(({ head, seat }) => {
    const index = lines.findIndex(({ hash }) => hash === head);
    if (index < 0) throw new Fault("transcript/receipt", "a receipt of another history", null);
    return { line: index + 1, seat };
  });
}
