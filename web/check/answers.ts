/** The verdict in five questions: yes, no or not shown, each with its reason. */
import type { Claim, Evidence } from "./claims.ts";
import type { Fault } from "./fault.ts";
import type { Json } from "./json.ts";
import type { Run } from "./schemes/scheme.ts";
import { listed, quoted, spanned } from "./words.ts";

export interface Answer {
  question: string;
  /** `null`: the question does not apply. */
  answer: "yes" | "no" | "not shown" | null;
  says: string;
}

/** Who owed the next line of an unfinished record. */
export interface Owed {
  line: number;
  by: "house" | "seats" | "unknown";
  seats: number[];
  what: string;
  says: string;
}

/** Why draws under these schemes cannot be shown to be fair. */
const UNPROVEN: { [dealer: string]: string } = {
  "contest/1": "the house alone chose the seed of every draw",
  "seeded/1": "a seed that was known beforehand made every draw",
  "system/1": "the house alone made every draw",
  "croupier-2017/0": "whoever told a seed last could choose the cards",
};

/** What would spoil a seat's draws, by what it lends. */
const SPOILT: { [lends: string]: (who: string) => string } = {
  number: (who) => `unless somebody guessed the numbers of ${who}`,
  stir: (who) => `unless somebody guessed the words of ${who}`,
  chain: (who) => `unless somebody knew the hash chain of ${who}`,
  seed: (who) => `unless somebody knew the seeds of ${who}`,
};

const WANTED: { [kind: string]: (run: number) => string } = {
  move: () => "a move",
  seal: () => "a sealed move",
  open: () => "the opening of a sealed move",
  number: (run) => `a number for draw ${run}`,
  stir: (run) => `words for draw ${run}`,
  tip: () => "the tip of a hash chain",
  "next-tip": () => "the tip of the next hash chain",
  link: (run) => `a link for draw ${run}`,
  seed: (run) => `a seed for draw ${run}`,
};

export const ALONE: Answer = { question: "alone", answer: "not shown", says: "other games may exist" };

export function answering(evidence: Evidence, claims: readonly Claim[]): Answer[] {
  const lines = evidence.story.lines.length;
  const proofs = Object.entries(evidence.proofs).map(([name, proof]) => ({ question: name.toLowerCase(), ...proof }));
  return [
    { question: "rules", answer: "yes", says: `all ${lines} lines recomputed` },
    fair(evidence, claims),
    unforeseen(evidence, claims),
    untouched(evidence, claims),
    ALONE,
    ...proofs,
  ];
}

/** The answers about a record that is not valid. */
export function unanswered({ code, line }: Fault, verdict: string): Answer[] {
  const invalid = verdict === "invalid", unfinished = verdict === "unfinished";
  const where = line ? `line ${line}` : "the record";
  const rules: Answer = invalid
    ? { question: "rules", answer: "no", says: `${where} is not what it must be (${code})` }
    : unfinished
    ? { question: "rules", answer: "yes", says: "as far as the record goes" }
    : { question: "rules", answer: "not shown", says: `the record cannot be judged here (${code})` };
  const says = invalid
    ? "a record that is not valid shows nothing"
    : unfinished
    ? "the game is not finished"
    : "the record cannot be judged here";
  const rest = ["fair", "unforeseen", "untouched"].map((question): Answer => ({ question, answer: "not shown", says }));
  return [rules, ...rest, ALONE];
}

const seatsOf = (claims: readonly Claim[], name: string): number[] =>
  claims.filter(({ claim }) => claim === name).map(({ seat }) => seat as number);

function fair(evidence: Evidence, claims: readonly Claim[]): Answer {
  const question = "fair";
  const { names, own, story: { seats } } = evidence;
  if (!evidence.dealt.length) return { question, answer: null, says: "nothing was drawn" };
  const good = seatsOf(claims, "UNIFORM");
  if (!good.length) return { question, answer: "not shown", says: whyUnfair(evidence) };
  const says = good.length === 1
    ? SPOILT[seats[good[0]].lends](names[good[0]])
    : `for ${listed(good.map((seat) => names[seat]))}, unless what they gave was known`;
  const others = own.filter((seat) => !good.includes(seat)).map((seat) => names[seat]);
  return { question, answer: "yes", says: others.length ? `${says}; not shown for ${listed(others)}` : says };
}

function whyUnfair({ story, own, dealt, names, unbound, lent }: Evidence): string {
  const unproven = UNPROVEN[story.lines[0].event.dealer as string];
  if (unproven) return unproven;
  if (!own.length) return "the house played every seat";
  const lender = own.find((seat) => story.seats[seat].lends !== "nothing");
  if (lender === undefined) return "nobody but the house gave anything to the draws";
  if (unbound) return `the house was not bound before draw ${unbound.number}`;
  const missed = dealt.find((run) => !lent(run, lender)) as Run;
  return `${names[lender]} gave nothing to draw ${missed.number}`;
}

function unforeseen(evidence: Evidence, claims: readonly Claim[]): Answer {
  const question = "unforeseen";
  const sealed = seatsOf(claims, "SEALED").length > 0;
  if (evidence.dealt.length) {
    const good = seatsOf(claims, "UNIFORM"), blind = seatsOf(claims, "UNFORESEEN");
    if (!good.length) return { question, answer: "not shown", says: "the house could know the draws" };
    const seat = good.find((seat) => !blind.includes(seat));
    if (seat !== undefined) return { question, answer: "not shown", says: whyForeseen(evidence, seat) };
  }
  if (evidence.story.turns.some((turn) => turn.whole) && !sealed) {
    return { question, answer: "not shown", says: "the house sealed every choice" };
  }
  if (sealed) return { question, answer: "yes", says: "choices were sealed before any was opened" };
  if (evidence.dealt.length) return { question, answer: "yes", says: "each draw followed all earlier decisions" };
  return { question, answer: null, says: "nothing was drawn" };
}

const UNSIGNED = "the order is not signed: the house could choose it";

function whyForeseen({ unsigned, story, dealt, names, lastDecision, lent }: Evidence, seat: number): string {
  if (unsigned) return UNSIGNED;
  const open = story.lines[0].event.public as { stir?: Json };
  if (story.seats[seat].lends === "stir" && open.stir === "once") {
    return "words given once: the house could know later draws";
  }
  for (const run of dealt) {
    const decided = lastDecision(run, seat);
    if (decided > (lent(run, seat)?.line ?? 0)) {
      return `line ${decided} was decided when ${names[seat]} had given a part of draw ${run.number}`;
    }
  }
  return "somebody left who may have known the next draw";
}

/** Why the signatures under a bet do not fix the whole hand; `null` if they do. */
function unsignedPart({ own, unsigned, story }: Evidence): string | null {
  if (!own.length) return "the house played every seat";
  if (unsigned) return UNSIGNED;
  return story.departures.length ? "the end is not signed: the record could be cut off there" : null;
}

function untouched(evidence: Evidence, claims: readonly Claim[]): Answer {
  const { receipts, story: { departures } } = evidence;
  const question = "untouched";
  const lines = [...new Set(receipts.map(({ line }) => line))].sort((a, b) => a - b);
  const witnesses = claims.flatMap(({ witness }) => witness ? [witness] : []);
  if (witnesses.some(({ by }) => by === "signature")) {
    const why = unsignedPart(evidence);
    if (why === null) return { question, answer: "yes", says: "bet, seeds and order are signed" };
    return { question, answer: "not shown", says: lines.length ? `${fit(lines)}, but ${why}` : why };
  }
  if (!lines.length) return { question, answer: "not shown", says: "no receipts: the order is the house's word" };
  const told = [...new Set(witnesses.flatMap(({ told }) => told))].sort((a, b) => a - b);
  if (told.length) {
    const what = told.length > 1 ? "draws" : "draw";
    const says = `${fit(lines)}, but none for ${what} ${spanned(told)}`;
    return { question, answer: "not shown", says };
  }
  if (departures.some(({ line }) => line > lines[lines.length - 1])) {
    return { question, answer: "not shown", says: `${fit(lines)}, but a departure stands behind the last` };
  }
  return { question, answer: "yes", says: received(lines) };
}

const fit = (lines: readonly number[]): string => lines.length > 1 ? `${lines.length} receipts fit` : "1 receipt fits";

/** These lines have receipts. */
export const received = (lines: readonly number[]): string =>
  `${fit(lines)}, up to line ${lines.at(-1)}, if you kept them yourself`;

/** A session whose hands and balance both parties signed. */
export function together(hands: readonly (readonly Answer[])[], last: boolean, disputed: boolean): Answer[] {
  const why = disputed
    ? "the last hand ended at the Bank, which alone knows how"
    : "no signature says that this was the end";
  return [
    { question: "rules", answer: "yes", says: `hands recomputed: ${hands.length}` },
    ofAll("fair", hands),
    ofAll("unforeseen", hands),
    last && !disputed
      ? { question: "untouched", answer: "yes", says: "both parties signed this end" }
      : { question: "untouched", answer: "not shown", says: why },
    ALONE,
  ];
}

/** The answer of the first hand that is not "yes", or of all. */
function ofAll(question: string, hands: readonly (readonly Answer[])[]): Answer {
  const found = hands.flatMap((hand) => hand.filter((answer) => answer.question === question));
  const odd = found.findIndex(({ answer }) => answer !== "yes");
  if (odd >= 0) return { ...found[odd], says: `hand ${odd + 1}: ${found[odd].says}` };
  return found[0] ?? { question, answer: null, says: "nothing was drawn" };
}

// Records that stop early.

/** A table as far as an unfinished record goes. */
export interface Stopped {
  seats: readonly { name: string; by: string }[];
  runs: readonly Run[];
  /** How many lines could be played again. */
  played: number;
  asks: readonly { kind: string; seat: number }[];
  /** The game has ended, and what was hidden is to be opened. */
  ended: boolean;
}

export function owed(table: Stopped, lines: number): Owed {
  const { seats, runs, asks } = table;
  const line = lines + 1;
  if (table.played < lines) {
    const says = "What was hidden is not opened, so the record alone cannot show who stopped.";
    return { line, by: "unknown", seats: [], what: "", says };
  }
  if (asks.length && table.played === lines) {
    const owing = asks.map(({ seat }) => seat);
    const what = WANTED[asks[0].kind](runs.at(-1)?.number ?? 0);
    const subject = listed(owing.map((seat) => quoted(seats[seat].name)));
    if (owing.every((seat) => seats[seat].by === "house")) {
      const says = `The house stopped this game. Its player ${subject} owed line ${line}, ${what}.`;
      return { line, by: "house", seats: owing, what, says };
    }
    const each = owing.length > 1 ? " each" : "";
    return { line, by: "seats", seats: owing, what, says: `${subject}${each} owed line ${line}, ${what}.` };
  }
  const [what, rest] = owedByHouse(table, table.played > lines);
  return {
    line,
    by: "house",
    seats: [],
    what,
    says: `The house stopped this game. It owed line ${line}, ${what}.${rest}`,
  };
}

function owedByHouse({ runs, ended }: Stopped, closed: boolean): [string, string] {
  if (closed) return ["the last line", ""];
  if (ended) return ["the opening of what it had hidden", ""];
  const run = runs.at(-1);
  if (!run || run.dealtLine !== null) return [`its commitment to draw ${runs.length + 1}`, ""];
  const given = run.shares.some(({ kind }) => !kind.endsWith("tip"));
  return [`its part of draw ${run.number}`, given ? " Everybody else had given theirs." : ""];
}

export function voided(line: number, reason: string): Owed {
  const says = `The house stopped this game on line ${line}, and says: ${quoted(reason)}.`;
  return { line, by: "house", seats: [], what: "the rest of the game", says };
}
