/** A file and all that is found out about it. */
import { sha3_256 } from "@noble/hashes/sha3.js";
import { toHex } from "../check/bytes.ts";
import { type Line, readingRecord, readLine, split } from "../check/chain.ts";
import { judging, refused, type Verdict } from "../check/check.ts";
import { checkingContest, type ContestVerdict } from "../check/contest.ts";
import { Fault } from "../check/fault.ts";
import type { JsonObject } from "../check/json.ts";
import type { Receipt } from "../check/receipts.ts";
import { checkingSession, type SessionVerdict } from "../check/session.ts";
import type { Slices } from "../check/slices.ts";
import { type Following, following } from "../check/table.ts";
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

export interface ExaminedSession {
  kind: "session";
  verdict: SessionVerdict;
}

export type AnyExamined = Examined | ExaminedContest | ExaminedSession;

/** Lines beyond this are judged, but not told one by one. */
const MOST = 20_000;

function rawLines(bytes: Uint8Array): RawLine[] {
  return split(bytes).slice(0, MOST).map((piece) => ({
    text: new TextDecoder().decode(piece),
    hash: toHex(sha3_256(piece)),
    event: readLine(piece)?.event ?? null,
  }));
}

/** Judges a file, with its receipts. Receipts that cannot be read make it impossible. */
export function* examining(
  file: File,
  files: readonly File[],
  given: readonly Receipt[],
): Slices<AnyExamined> {
  let receipts: Receipt[];
  try {
    receipts = [...yield* receiptsFor(file, files), ...given];
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { kind: "game", verdict: refused(error, "none"), lines: [], following: null };
  }
  if (file.kind === "contest") {
    return { kind: "contest", verdict: yield* checkingContest(file.bytes, receipts) };
  }
  if (file.kind === "session") return { kind: "session", verdict: yield* checkingSession(file.bytes) };
  let lines: Line[];
  try {
    lines = yield* readingRecord(file.bytes);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { kind: "game", verdict: refused(error, "none"), lines: rawLines(file.bytes), following: null };
  }
  return {
    kind: "game",
    verdict: yield* judging(lines, receipts),
    lines,
    following: lines.length <= MOST ? yield* following(lines) : null,
  };
}
