/** Moves that several seats make at once: first a commitment each, then the moves. */
import { digest, fromHex, toHex } from "./bytes.ts";
import { write } from "./canonical.ts";
import type { Json } from "./json.ts";

/** The place in the record at which the turn began. */
export interface Place {
  step: number;
  head: string;
}

export function seal(table: Uint8Array, seat: number, place: Place, key: string, move: Json): string {
  return toHex(digest("fairground/seal/1", table, seat, place.step, place.head, fromHex(key), write(move)));
}
