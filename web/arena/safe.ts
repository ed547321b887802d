/**
 * Browsers hand out locks and keys on a safe connection only: https, or this very machine. Elsewhere one can watch and
 * check, but a seat's secrets could be read on the way, and two tabs could answer for one seat.
 */
import { w } from "../words.ts";
import { Problem } from "./api.ts";

export const isSafe = globalThis.isSecureContext;

/** To be called before a secret is made or asked for. */
export function mustBeSafe(): void {
  if (!isSafe) throw new Problem(403, "page/unsafe", w.unsafe);
}
