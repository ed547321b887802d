/** A file and all that is found out about it. */
import { sha3_256 } from "@noble/hashes/sha3.js";
import { toHex } from "../check/bytes.ts";
import { type Line, readLine, readRecord, split } from "../check/chain.ts";
import { check, refused, type Verdict } from "../check/check.ts";
import { checkContest, type ContestVerdict } from "../check/contest.ts";
import { Fault } from "../check/fault.ts";
import type { JsonObject } from "../check/json.ts";
import type { Receipt } from "../check/receipts.ts";
import { follow, type Following } from "../check/table.ts";
import { type File, receiptsFor } from "./files.ts";

/** A line as it stands in the file, whatever is wrong with it. */
export interface RawLine {
  text: string;
  hash: string;
  /** `null`: it cannot be read. */
  event: JsonObject | null;
}

export interface Examined {
  kind: "game";
  verdict: Verdict;
  lines: readonly RawLine[];
  /** The game as far as it could be played again. `null`: not even begun. */
  following: Following | null;
}

export interface ExaminedContest {
  kind: "contest";
  verdict: ContestVerdict;
}

/** Lines beyond this are judged, but not told one by one. */
const MOST = 20_000;

/** The lines of a record, or `null` if its chain is not whole. */
function recordLines(bytes: Uint8Array): Line[] | null {
  try {
    return readRecord(bytes);
  } catch (error) {
    if (error instanceof Fault) return null;
    throw error;
  }
}

function rawLines(bytes: Uint8Array): RawLine[] {
  return split(bytes).slice(0, MOST).map((piece) => ({
    text: new TextDecoder().decode(piece),
    hash: toHex(sha3_256(piece)),
    event: readLine(piece)?.event ?? null,
  }));
}

/** Judges a file, with its receipts. Receipts that cannot be read make it impossible. */
export function examine(file: File, files: readonly File[], given: readonly Receipt[]): Examined | ExaminedContest {
  let receipts: Receipt[];
  try {
    receipts = [...receiptsFor(file, files), ...given];
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { kind: "game", verdict: refused(error, "none"), lines: [], following: null };
  }
  if (file.kind === "contest") return { kind: "contest", verdict: checkContest(file.bytes, receipts) };
  const lines = recordLines(file.bytes);
  return {
    kind: "game",
    verdict: check(file.bytes, receipts),
    lines: lines ?? rawLines(file.bytes),
    following: lines && lines.length <= MOST ? follow(lines) : null,
  };
}
