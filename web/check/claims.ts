/** What a valid record proves: for whom, on what condition, and witnessed by what. */
import type { Proof } from "./games/game.ts";
import type { Kept } from "./receipts.ts";
import { HashChains, isBlank } from "./schemes/hash_chains.ts";
import type { Run, Share } from "./schemes/scheme.ts";
import { SLICE, type Slices } from "./slices.ts";
import type { SealedTurn, Story } from "./table.ts";
import { quoted, shown, spanned } from "./words.ts";

/** Runs (or sealed turns) that receipts show, and those that are only told. */
export interface Witness {
  by: "house" | "receipts" | "receipts and house" | "signature";
  shown: number[];
  told: number[];
}

export interface Claim {
  claim: string;
  seat: number | null;
  name: string | null;
  condition: string;
  result: string;
  lines: number[];
  witness: Witness | null;
}

const WORD = "the house wrote the lines in this order, which is only its word";
const SIGNED = "the Player signed the bet before telling any seed";
const COMMITTED =
  "the house had fixed its secret part of every draw before anybody gave an answer that could have guided it " +
  "(it chose that part itself, and knew it)";

/** How the house bound itself, by scheme. */
type Bond = "hmac" | "chains" | "contest" | "signed" | "none";
const BONDS: { [dealer: string]: Bond } = {
  "hmac-sha3-user/1": "hmac",
  "hash-chains/1": "chains",
  "contest/1": "contest",
  "croupier/1": "signed",
};

const ascending = (lines: Iterable<number>): number[] => [...new Set(lines)].sort((a, b) => a - b);
const largest = (lines: Iterable<number>): number => {
  let most = 0;
  for (const line of lines) most = Math.max(most, line);
  return most;
};

/** How many of ascending lines stand before a line. */
function countBefore(lines: readonly number[], line: number): number {
  let low = 0, high = lines.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (lines[middle] < line) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** A function that remembers what it found: a long record asks the same thousands of times. */
function once<K, V>(find: (key: K) => V): (key: K) => V {
  const known = new Map<K, V>();
  return (key) => {
    if (!known.has(key)) known.set(key, find(key));
    return known.get(key) as V;
  };
}

/** A finished record, and the receipts that its reader brings. */
export class Evidence {
  private readonly bond: Bond;
  /** The lines at which a seat answered something. */
  private readonly answers: number[];
  private readonly runs: readonly Run[];
  readonly dealt: readonly Run[];
  readonly names: readonly string[];
  /** The seats that the house does not play itself. */
  readonly own: readonly number[];
  readonly proofs: { [claim: string]: Proof };

  constructor(readonly story: Story, readonly receipts: readonly Kept[], readonly unsigned: boolean) {
    this.names = story.seats.map(({ name }) => quoted(name));
    this.own = story.seats.flatMap(({ by }, seat) => by === "self" ? [seat] : []);
    this.proofs = story.game.proofs?.() ?? {};
    const dealer = story.lines[0].event.dealer as string;
    this.bond = BONDS[dealer] ?? "none";
    this.answers = ascending([
      ...story.runs.flatMap((run) => run.shares.map((share) => share.line)),
      ...story.decisions.map(({ line }) => line),
    ]);
    this.dealt = story.runs.filter((run) => run.dealtLine !== null);
    const opened = (run: Run) => this.bond === "hmac" || (this.bond === "chains" && run.hidden);
    this.runs = story.runs.filter((run) => run.dealtLine !== null || opened(run));
  }

  *all(): Slices<Claim[]> {
    const all = this.story.lines.length;
    const out: Claim[] = [];
    yield all;
    if (this.bond !== "none" && this.runs.length && this.runs.every(this.isCommitted)) {
      out.push(yield* this.committed());
      for (const seat of this.story.seats.keys()) out.push(...yield* this.ofSeat(seat));
    }
    for (const seat of this.own) out.push(...yield* this.sealed(seat));
    out.push(...this.proven(), ...this.ordered());
    return out;
  }

  // The house's part.

  readonly isCommitted = (run: Run): boolean => {
    if (this.bond === "hmac") return run.dealtLine === null || run.shares.length > 0;
    if (this.bond !== "chains") return true;
    // A later chain of the house is made while the game goes on. So somebody must lend to its runs behind its tip.
    if ((this.story.scheme as HashChains).generation(run.number) === 0) return true;
    return [...this.story.seats.keys()].some((seat) => this.lent(run, seat) !== null);
  };

  /** The first run that the house was not bound for in time. */
  get unbound(): Run | undefined {
    return this.runs.find((run) => !this.isCommitted(run));
  }

  /** The line at which the house was bound for a run. */
  private bound(run: Run): number {
    if (this.bond === "hmac") return run.ticketLine;
    if (this.bond === "chains") return run.hidden ? run.ticketLine : this.tipLine(run);
    return 1;
  }

  private tipLine(run: Run): number {
    const generation = (this.story.scheme as HashChains).generation(run.number);
    return generation === 0 ? 1 : this.renewedAt(generation);
  }

  /** The ticket of the last run before a generation, with which the house fixed its next chain. */
  private readonly renewedAt = once((generation: number): number => {
    const chains = this.story.scheme as HashChains;
    return (this.story.runs.findLast((run) => chains.generation(run.number) < generation) as Run).ticketLine;
  });

  /** The lines of the receipts that count for a seat; `null`: of all. */
  private readonly receiptsOf = once((seat: number | null): number[] =>
    ascending(
      this.receipts.filter((kept) => seat === null || kept.seat === null || kept.seat === seat).map(({ line }) => line),
    )
  );

  private has(from: number, to: number, seat: number | null): boolean {
    const lines = this.receiptsOf(seat);
    return lines[countBefore(lines, from)] < to;
  }

  private *witness(numbers: readonly number[], isShown: (number: number) => boolean): Slices<Witness> {
    if (this.bond === "signed") return { by: "signature", shown: [...numbers], told: [] };
    return yield* this.kept(numbers, isShown);
  }

  private *kept(numbers: readonly number[], isShown: (number: number) => boolean): Slices<Witness> {
    const shown: number[] = [], told: number[] = [];
    for (const [index, number] of numbers.entries()) {
      if (index % SLICE === 0) yield this.story.lines.length;
      (isShown(number) ? shown : told).push(number);
    }
    const by = !shown.length ? "house" : told.length ? "receipts and house" : "receipts";
    return { by, shown, told };
  }

  private order(witness: Witness, who: string | null, what = "run"): string {
    if (witness.by === "signature") return SIGNED;
    if (witness.by === "house") return WORD;
    const kept = who === null ? "the receipts were kept before answering" : `${who} kept the receipts before answering`;
    if (witness.by === "receipts") return kept;
    const these = witness.told.length > 1 ? what + "s" : what;
    return `${kept}, and for ${these} ${spanned(witness.told)} ${WORD}`;
  }

  private *committed(): Slices<Claim> {
    const lines = [
      1,
      ...this.runs.flatMap((run) => run.dealtLine ? [run.ticketLine, run.dealtLine] : [run.ticketLine]),
    ];
    const witness = yield* this.witness(this.runs.map((run) => run.number), (number) => {
      const run = this.story.runs[number - 1];
      const bound = run.dealtLine === null ? run.ticketLine : this.bound(run);
      const next = this.answers[countBefore(this.answers, bound + 1)] ?? this.story.lines.length;
      return this.has(bound, next, null);
    });
    return {
      claim: "COMMITTED",
      seat: null,
      name: null,
      condition: this.order(witness, null),
      result: COMMITTED,
      lines: ascending(lines),
      witness,
    };
  }

  // The part of a seat.

  /** What the seat lent to a run: its number, seed or link, or its latest words. */
  readonly lent = (run: Run, seat: number): Share | null => {
    if (run.dealtLine === null) return null;
    const kind = this.story.seats[seat].lends;
    if (kind === "stir") {
      const words = this.typed(run, seat);
      return words && words.line > this.bound(run) ? words : null;
    }
    const wanted = kind === "chain" ? "link" : kind;
    return run.shares.find((share) => share.seat === seat && share.kind === wanted) ?? null;
  };

  /** The latest words of a seat that are in a run, blank or not. */
  private words(run: Run, seat: number): Share | null {
    return this.wordsOf(seat).get(run) ?? null;
  }

  private readonly wordsOf = once((seat: number): Map<Run, Share | undefined> => {
    let latest: Share | undefined;
    return new Map(this.story.runs.map((run) => {
      latest = run.shares.findLast((share) => share.seat === seat && share.kind === "stir") ?? latest;
      return [run, latest];
    }));
  });

  /** The same, if they are not blank: blank words lend nothing. */
  private typed(run: Run, seat: number): Share | null {
    const words = this.words(run, seat);
    return words && !isBlank(words.value as string) ? words : null;
  }

  private *ofSeat(seat: number): Slices<Claim[]> {
    const { lends, by, name } = this.story.seats[seat];
    if (lends === "nothing" || by !== "self" || this.dealt.length === 0) return [];
    const lent = new Map<number, Share>();
    for (const [index, run] of this.dealt.entries()) {
      if (index % SLICE === 0) yield this.story.lines.length;
      const share = this.lent(run, seat);
      if (!share) return [];
      lent.set(run.number, share);
    }
    const numbers = this.dealt.map((run) => run.number);
    const shareLine = (number: number) => (lent.get(number) as Share).line;
    const bound = (number: number) => this.bound(this.story.runs[number - 1]);
    const uniform = yield* this.witness(numbers, (number) => this.has(bound(number), shareLine(number), seat));
    const who = this.names[seat];
    const made = {
      number: `nobody could guess the numbers of ${who}`,
      stir: `nobody could guess the words of ${who}`,
      chain: `the own program of ${who} made the chain of ${who} and told nobody`,
      seed: `${who} made these seeds freshly and had told them to nobody`,
    }[lends] as string;
    const others = yield* this.others(seat);
    const alone = `${who} does not work with the house` + (others ? `, and ${others} does not, either` : "");
    const claim = (claim: string, result: string, witness: Witness): Claim => ({
      claim,
      seat,
      name: shown(name),
      condition: `${made}, and ${alone}, and ${this.order(witness, who)}`,
      result,
      lines: ascending(numbers.map(shareLine)),
      witness,
    });
    const out = [
      claim("UNIFORM", "every value of every draw was equally likely, and nobody could choose one", uniform),
    ];
    const blind = this.dealt.every((run) => this.lastDecision(run, seat) <= shareLine(run.number));
    if (this.unsigned || !blind || this.couldKnowAndLeave(seat)) return out;
    const unforeseen = yield* this.witness(numbers, (number) => {
      const from = Math.max(bound(number), this.lastDecision(this.story.runs[number - 1], seat));
      return this.has(from, shareLine(number), seat);
    });
    out.push(
      claim("UNFORESEEN", `when anybody but ${who} decided, they could not know a draw still to come`, unforeseen),
    );
    return out;
  }

  /** The last decision of somebody else before a run was dealt. To leave is one, too. */
  readonly lastDecision = (run: Run, seat: number): number => {
    const lines = this.decisionsBeside(seat);
    return lines[countBefore(lines, run.dealtLine as number) - 1] ?? 0;
  };

  private readonly decisionsBeside = once((seat: number): number[] => {
    const decisions = [...this.story.decisions.filter(({ kind }) => kind !== "seal"), ...this.story.departures];
    return ascending(decisions.filter((other) => other.seat !== seat).map(({ line }) => line));
  });

  /** Did somebody else leave in the end, when this seat may have lent already what the next run needs? */
  private couldKnowAndLeave(seat: number): boolean {
    const last = largest(this.dealt.map((run) => run.dealtLine as number));
    if (!this.story.departures.some((other) => other.seat !== seat && other.line > last)) return false;
    const open = this.story.lines[0].event.public as { stir?: string };
    if (this.story.seats[seat].lends === "stir" && open.stir === "once") return true;
    const lends = (share: Share) => share.seat === seat && !share.kind.endsWith("tip");
    return this.story.runs.some((run) => run.dealtLine === null && run.shares.some(lends));
  }

  /** Whose help could spoil it: others who typed words, and lenders who left when one's share was in. */
  private *others(seat: number): Slices<string> {
    const found = new Set<number>();
    for (const [index, run] of this.dealt.entries()) {
      if (index % SLICE === 0) yield this.story.lines.length;
      const own = this.typed(run, seat);
      for (const other of own ? this.story.seats.keys() : []) {
        const words = this.words(run, other); // which blanks somebody types is a choice, too
        // Words that stood before one's own, as one's receipt shows, were not chosen by them.
        if (own && words && !this.has(words.line, own.line, seat)) found.add(other);
      }
      for (const { seat: gone, line } of this.story.departures) {
        const share = this.lent(run, seat);
        const between = share && share.line < line && line < (run.dealtLine as number);
        if (between && this.story.seats[gone].lends !== "nothing") found.add(gone);
      }
    }
    found.delete(seat);
    return ascending(found).map((other) => quoted(this.story.seats[other].name)).join(" or ");
  }

  // The rest.

  private *sealed(seat: number): Slices<Claim[]> {
    const whole = this.story.turns.filter((turn) => turn.whole);
    const turns = new Map<number, SealedTurn>();
    for (const [index, turn] of whole.entries()) {
      if (turn.seals.some((seal) => seal.seat === seat)) turns.set(index + 1, turn);
    }
    if (!turns.size) return [];
    const lines = (marks: readonly { line: number }[]) => marks.map(({ line }) => line);
    const lastSeal = (turn: SealedTurn) => Math.max(...lines(turn.seals));
    const witness = yield* this.kept([...turns.keys()], (number) => {
      const turn = turns.get(number) as SealedTurn;
      return this.has(lastSeal(turn), Math.min(...lines(turn.opens)), seat);
    });
    const who = this.names[seat];
    const sealedLast = (turn: SealedTurn) =>
      turn.seals.some((seal) => seal.seat === seat && seal.line === lastSeal(turn));
    const alone = [...turns.values()].every(sealedLast) && witness.by === "house";
    const order = this.order(witness, who, "turn");
    return [{
      claim: "SEALED",
      seat,
      name: shown(this.story.seats[seat].name),
      condition: alone ? order : `the own program of ${who} sealed its moves and showed them to nobody, and ${order}`,
      result: `the others had fixed their moves before they could know the move of ${who}`,
      lines: ascending([...turns.values()].flatMap((turn) => [lastSeal(turn), Math.max(...lines(turn.opens))])),
      witness,
    }];
  }

  private proven(): Claim[] {
    return Object.entries(this.proofs).filter(([, { answer }]) => answer === "yes").map(([claim, { says }]) => ({
      claim,
      seat: null,
      name: null,
      condition: "the moves in this record are those that were made",
      result: says,
      lines: [this.story.lines.length],
      witness: null,
    }));
  }

  private ordered(): Claim[] {
    const lines = ascending(this.receipts.map(({ line }) => line));
    if (!lines.length) return [];
    const were = lines.length > 1 ? "receipts were" : "receipt was";
    return [{
      claim: "ORDERED",
      seat: null,
      name: null,
      condition: `the ${were} kept before the next answer was given`,
      result: `lines 1 to ${lines.at(-1)} stood as they stand here before that answer`,
      lines,
      witness: null,
    }];
  }
}
