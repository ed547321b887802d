/**
 * The English of verdicts and claims: the page and verify.html say the same. Names from outside come in through
 * `quoted`, so that none can pretend to be ours.
 */
import { listed, quoted } from "../check/words.ts";

/** The rubber stamp. */
export const stamp: { [verdict: string]: string } = {
  valid: "Valid",
  invalid: "Invalid",
  unfinished: "Unfinished",
  "cannot be judged": "Not judged",
};

/** The five questions. */
const QUESTIONS: { [question: string]: string } = {
  rules: "Rules",
  fair: "Fair draws",
  unforeseen: "No peeking",
  untouched: "Untouched",
  alone: "Nothing hidden",
};

export const answers = {
  /** A question as people read it; one that a game asks of itself by its own name. */
  label: (question: string): string =>
    QUESTIONS[question] ?? question[0].toUpperCase() + question.slice(1).replaceAll("_", " "),
  none: "–",
  details: "What this rests on",
};

/** "+3", "−3", "0" */
export function points(payoff: number): string {
  const size = Math.abs(payoff).toLocaleString("en");
  return payoff > 0 ? `+${size}` : payoff < 0 ? `−${size}` : "0";
}

export const claims = {
  names: {
    COMMITTED: "Fixed beforehand",
    UNIFORM: "Every outcome equally likely",
    UNFORESEEN: "Nobody could know a draw when choosing",
    SEALED: "Choices were secret",
    CONSISTENT: "The code fits every answer",
    ORDERED: "The order, as far as receipts go",
    SIGNED: "Signed by both",
    LEAST_TELLING: "Each answer told least",
    UNPROVEN: "Not proven",
  } as { [claim: string]: string },
  named: (claim: string, seat: string | null) => seat === null ? claim : `${claim}, for ${quoted(seat)}`,
  iff: "If",
  then: "then",
  lines: (numbers: readonly number[]) =>
    numbers.length === 1
      ? `line ${numbers[0]}`
      : numbers.length > 12
      ? `lines ${numbers.slice(0, 12).join(", ")} and ${numbers.length - 12} more`
      : `lines ${listed(numbers)}`,
};

/** What no record can show. */
export const not = {
  heading: "What no record proves",
  list: [
    "That a seat is a person, or is who it says.",
    "That somebody was silent: clocks are the house’s word.",
    "That nobody whispered, or walked away because of what was coming.",
    "That there was no other game, which the house lost on purpose.",
    "That a number or words that somebody typed could not be guessed.",
  ],
  order: "The order of lines, without receipts that you kept.",
  orderShown: "The order of lines, where no receipt of yours shows it.",
};

/** What a fault means, by its code. */
export const faults: { [code: string]: string } = {
  "input/unreadable": "This is not a transcript, or its receipts are none.",
  "input/bad": "This cannot stand here.",
  "transcript/line-ends": "Lines end in CR LF. A program has changed the line ends of this copy; the bytes count.",
  "transcript/not-canonical": "This line is not written in the one form that the record allows.",
  "transcript/broken-chain":
    "The hash of this line is not what the next line names. One of the two was changed, or a line was put in or taken out.",
  "transcript/malformed": "This line is not in its form.",
  "transcript/unfinished": "The record stops before the game was closed.",
  "transcript/receipt": "A receipt belongs to no line of this record. It is not the history that was seen.",
  "format/unknown": "This page does not know this format.",
  "name/unknown":
    "This page does not know this game, or the way its chance was made. It says how far it came, and claims no more.",
  "game/params": "The game cannot be played like this.",
  "share/bad": "What this seat lent does not fit what it had fixed.",
  "move/illegal": "The rules do not allow this, or it is not what was sealed.",
  "ask/stale": "The game was over before this line.",
  "table/unexpected": "Nothing called for this line.",
  "table/mismatch": "This line is not what rules and evidence give.",
  "table/void": "The house stopped this game.",
  "fair/bad-evidence": "What the house told does not fit what it had fixed.",
  "fair/unopened": "The house did not open what it had hidden.",
  "bank/other-bet": "This is not the game of the bet.",
  "bank/other-order": "The Player did not sign this order.",
};
export const otherFault = "This is not what it must be.";
