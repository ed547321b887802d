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

function rawLines(bytes: Uint8Array): RawLine[] {
  return split(bytes).slice(0, MOST).map((piece) => ({
    text: new TextDecoder().decode(piece),
    hash: toHex(sha3_256(piece)),
    event: readLine(piece)?.event ?? null,
  }));
}

function followed(bytes: Uint8Array): Following | null {
  let lines: Line[];
  try {
    lines = readRecord(bytes);
  } catch (error) {
    if (error instanceof Fault) return null;
    throw error;
  }
  return lines.length > MOST ? null : follow(lines);
}

function judged(file: File, files: readonly File[], given: readonly Receipt[]): Verdict {
  try {
    return check(file.bytes, [...receiptsFor(file, files), ...given]);
  } catch (error) {
    if (error instanceof Fault) return refused(error, "none");
    throw error;
  }
}

export function examine(file: File, files: readonly File[], given: readonly Receipt[]): Examined | ExaminedContest {
  if (file.kind === "contest") {
    return { kind: "contest", verdict: checkContest(file.bytes, [...receiptsFor(file, files), ...given]) };
  }
  return {
    kind: "game",
    verdict: judged(file, files, given),
    lines: rawLines(file.bytes),
    following: followed(file.bytes),
  };
}
