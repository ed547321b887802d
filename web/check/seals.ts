/** Moves that several seats make at once: first a commitment each, then the moves. */
import { fromHex, namedDigest, type Show, toHex } from "./bytes.ts";
import { write } from "./canonical.ts";
import type { Json } from "./json.ts";

/** The place in the record at which the turn began. */
export interface Place {
  step: number;
  head: string;
}

export function seal(
  table: Uint8Array,
  seat: number,
  { step, head }: Place,
  key: string,
  move: Json,
  show?: Show,
): string {
  const parts = [
    ["table", table],
    ["seat", seat],
    ["step", step],
    ["head", head],
    ["key", fromHex(key)],
    ["move", write(move)],
  ] as const;
  return toHex(namedDigest("fairground/seal/1", parts, show));
}
