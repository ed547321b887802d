/** What was dropped: games, contests, sessions, receipts; and which receipts belong to which game. */
import { pieces } from "../check/chain.ts";
import type { Receipt } from "../check/receipts.ts";
import { readingReceipts } from "../check/receipts.ts";
import type { Slices } from "../check/slices.ts";

export interface File {
  name: string;
  kind: "game" | "contest" | "session" | "receipts";
  bytes: Uint8Array;
}

function firstObject(bytes: Uint8Array): { [key: string]: unknown } | null {
  for (const piece of pieces(bytes)) {
    const text = new TextDecoder().decode(piece).trim();
    if (!text) continue;
    try {
      const value = JSON.parse(text);
      return typeof value === "object" && value !== null && !Array.isArray(value) ? value : null;
    } catch {
      return null;
    }
  }
  return null;
}

/** A file by what is in it; by its name only if that says nothing. */
export function fileOf(name: string, bytes: Uint8Array): File {
  const first = firstObject(bytes);
  if (first?.kind === "book") return { name, kind: "contest", bytes };
  if (first?.kind === "session") return { name, kind: "session", bytes };
  const receipts = first ? "head" in first && !("kind" in first) : name.endsWith(".receipts");
  return { name, kind: receipts ? "receipts" : "game", bytes };
}

function stem(name: string): string {
  const dot = name.lastIndexOf(".");
  return dot > 0 ? name.slice(0, dot) : name;
}

/** The table of a record, if its first line names one. */
export function tableOf(bytes: Uint8Array): string | null {
  const table = firstObject(bytes)?.table;
  return typeof table === "string" ? table : null;
}

/** The receipts that count for a file: those beside it; or all, if only one game is looked at. */
export function* receiptsFor(file: File, files: readonly File[]): Slices<Receipt[]> {
  const receipts = files.filter(({ kind }) => kind === "receipts");
  const beside = receipts.filter(({ name }) => stem(name) === stem(file.name));
  const alone = files.filter(({ kind }) => kind !== "receipts").length === 1;
  const counted = beside.length || !alone ? beside : receipts;
  const found: Receipt[][] = [];
  for (const { bytes } of counted) {
    found.push(yield* readingReceipts(bytes, tableOf(file.bytes)));
  }
  return found.flat();
}
