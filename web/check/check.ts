/** The verdict on a transcript. */
import { type Line, readRecord } from "./chain.ts";
import { checkChance } from "./chance.ts";
import { type Claim, claims } from "./claims.ts";
import { Fault } from "./fault.ts";
import type { Json } from "./json.ts";
import { findReceipts, type Receipt } from "./receipts.ts";
import { replay } from "./table.ts";
import { whole } from "./whole.ts";

/** How deep the check went: the chain of lines; chance and seals; all rules of the game. */
export type Depth = "none" | "chain" | "chance and seals" | "rules";

export interface Verdict {
  ok: boolean;
  verdict: "valid" | "invalid" | "unfinished" | "cannot be judged";
  depth: Depth;
  claims: Claim[];
  payoff: Json;
  fault: { line: number | null; code: string; reason: string } | null;
  remarks: string[];
}

const UNJUDGED = ["name/unknown", "format/unknown", "install/missing", "input/unreadable"];

/** The verdict that a fault gives. A receipt that cannot be read has no line. */
export function verdictOf(fault: Fault): Verdict["verdict"] {
  if (fault.code === "transcript/unfinished") return "unfinished";
  const unreadable = fault.code === "input/bad" && fault.line === null;
  return unreadable || UNJUDGED.includes(fault.code) ? "cannot be judged" : "invalid";
}

export function refused(fault: Fault, depth: Depth): Verdict {
  const { code, reason, line } = fault;
  return {
    ok: false,
    verdict: verdictOf(fault),
    depth,
    claims: [],
    payoff: null,
    fault: { line: line ?? null, code, reason },
    remarks: [],
  };
}

/** How deep a record goes whose game or scheme is not known here. */
function withoutRules(lines: readonly Line[]): Depth {
  try {
    checkChance(lines);
    return "chance and seals";
  } catch (error) {
    if (error instanceof Fault) return "chain";
    throw error;
  }
}

/** Checks a transcript, with the receipts that somebody kept. */
export function check(bytes: Uint8Array, receipts: readonly Receipt[] = []): Verdict {
  let depth: Depth = "none";
  let lines: Line[] = [];
  try {
    lines = readRecord(bytes);
    depth = "chain";
    const story = replay(lines);
    depth = "rules";
    const { unsigned, remarks } = whole(story);
    const kept = findReceipts(lines, receipts);
    return {
      ok: true,
      verdict: "valid",
      depth,
      claims: claims(story, kept, unsigned),
      payoff: story.payoff,
      fault: null,
      remarks,
    };
  } catch (error) {
    if (error instanceof Fault) {
      return refused(error, error.code === "name/unknown" ? withoutRules(lines) : depth);
    }
    throw error;
  }
}
