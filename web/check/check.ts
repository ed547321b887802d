/** The verdict on a transcript. */
import { type Line, readRecord } from "./chain.ts";
import { checkingChance } from "./chance.ts";
import { type Answer, answering, type Owed, unanswered } from "./answers.ts";
import { type Claim, Evidence } from "./claims.ts";
import { Fault } from "./fault.ts";
import type { Json } from "./json.ts";
import { findingReceipts, type Receipt } from "./receipts.ts";
import { atOnce, type Slices } from "./slices.ts";
import { replaying } from "./table.ts";
import { whole } from "./whole.ts";

/** How deep the check went: the chain of lines; chance and seals; all rules of the game. */
export type Depth = "none" | "chain" | "chance and seals" | "rules";

export interface Verdict {
  ok: boolean;
  verdict: "valid" | "invalid" | "unfinished" | "cannot be judged";
  /** What happened, in a sentence; `null` unless the record is valid. */
  result: string | null;
  /** The five questions. */
  answers: Answer[];
  /** Who stopped an unfinished game. */
  owed: Owed | null;
  depth: Depth;
  claims: Claim[];
  payoff: Json;
  fault: { line: number | null; code: string; reason: string } | null;
  remarks: string[];
}

const UNJUDGED = ["name/unknown", "format/unknown", "install/missing", "input/unreadable"];

/** The verdict that a fault gives. A receipt that cannot be read has no line. */
export function verdictOf(fault: Fault): Verdict["verdict"] {
  if (fault.code === "transcript/unfinished" || fault.code === "table/void") return "unfinished";
  const unreadable = fault.code === "input/bad" && fault.line === null;
  return unreadable || UNJUDGED.includes(fault.code) ? "cannot be judged" : "invalid";
}

export function refused(fault: Fault, depth: Depth): Verdict {
  const { code, reason, line } = fault;
  const verdict = verdictOf(fault);
  return {
    ok: false,
    verdict,
    result: null,
    answers: unanswered(fault, verdict),
    owed: fault.owed ?? null,
    depth,
    claims: [],
    payoff: null,
    fault: { line: line ?? null, code, reason },
    remarks: [],
  };
}

/** How deep a record goes whose game or scheme is not known here. */
function* withoutRules(lines: readonly Line[]): Slices<Depth> {
  try {
    yield* checkingChance(lines);
    return "chance and seals";
  } catch (error) {
    if (error instanceof Fault) return "chain";
    throw error;
  }
}

/** Checks a transcript, with the receipts that somebody kept. */
export function check(bytes: Uint8Array, receipts: readonly Receipt[] = []): Verdict {
  try {
    return atOnce(judging(readRecord(bytes), receipts));
  } catch (error) {
    if (error instanceof Fault) return refused(error, "none");
    throw error;
  }
}

/** Judges lines whose chain is whole. */
export function* judging(lines: readonly Line[], receipts: readonly Receipt[]): Slices<Verdict> {
  let depth: Depth = "chain";
  try {
    const story = yield* replaying(lines);
    depth = "rules";
    yield lines.length;
    const { unsigned, remarks } = whole(story);
    const evidence = new Evidence(story, yield* findingReceipts(lines, receipts), unsigned);
    const claims = yield* evidence.all();
    return {
      ok: true,
      verdict: "valid",
      result: story.result,
      answers: answering(evidence, claims),
      owed: null,
      depth,
      claims,
      payoff: story.payoff,
      fault: null,
      remarks,
    };
  } catch (error) {
    if (error instanceof Fault) {
      return refused(error, error.code === "name/unknown" ? yield* withoutRules(lines) : depth);
    }
    throw error;
  }
}
