/** `codebreaking/1`: a keeper, a breaker, a code. */
import { isBetween, type Json, type JsonObject, object } from "../json.ts";
import { type Awaits, counted, type Game, member, only, params, type Proof } from "./game.ts";

const MILLION = 1_000_000;

/** The most codes for which an evil keeper's answers are recomputed. */
const RECOMPUTED = 100_000;

/** Full and partial matches. */
export function answer(code: readonly number[], guess: readonly number[]): [number, number] {
  const full = code.filter((digit, place) => guess[place] === digit).length;
  const count = (digits: readonly number[], digit: number) => digits.filter((other) => other === digit).length;
  let common = 0;
  for (const digit of new Set(code)) common += Math.min(count(code, digit), count(guess, digit));
  return [full, common - full];
}

/** What lies on the table. */
export interface CodeView {
  base: number;
  length: number;
  oracle: "fair" | "nice" | "evil";
  rows: { guess: number[]; answer: [number, number] }[];
  /** A guess that waits for its answer. */
  asked: number[] | null;
  /** What the keeper showed in the end; `null` before, and if there was none. */
  shown: number[] | null;
  stage: "draw" | "guess" | "answer" | "show" | "over";
  gaveUp: boolean;
}

export class CodeBreaking implements Game {
  readonly seats = 2;
  readonly params: JsonObject;
  private readonly base: number;
  private readonly length: number;
  private readonly oracle: "fair" | "nice" | "evil";
  private code: number[] | null = null;
  private readonly given: { guess: number[]; answer: [number, number] }[] = [];
  private stage: "draw" | "guess" | "answer" | "show" | "over";
  private guess: number[] = [];
  private gaveUp = false;
  private payoff: number[] = [];
  private shown: number[] | null = null;

  constructor(given: JsonObject) {
    only(given, ["base", "length", "oracle"]);
    const base = member(given, "base", 6);
    const length = member(given, "length", 4);
    const oracle = member(given, "oracle", "fair");
    params(isBetween(base, 2, 100), "base is 2 to 100");
    params(isBetween(length, 1, 40), "length is 1 to 40");
    params(oracle === "fair" || oracle === "nice" || oracle === "evil", "oracle is fair, nice or evil");
    [this.base, this.length, this.oracle] = [base, length, oracle];
    this.params = object({ base, length, oracle });
    this.stage = oracle === "fair" ? "draw" : "guess";
  }

  awaits(): Awaits {
    if (this.stage === "draw") return { kind: "draw", n: BigInt(this.base) ** BigInt(this.length), hidden: true };
    if (this.stage === "over") return { kind: "over", payoff: this.payoff };
    return { kind: "move", seats: [this.stage === "guess" ? 1 : 0] };
  }

  draw(value: bigint): void {
    const code: number[] = [];
    for (let i = 0; i < this.length; i++) {
      code.unshift(Number(value % BigInt(this.base)));
      value /= BigInt(this.base);
    }
    this.code = code;
    this.stage = "guess";
  }

  playBlind(): void {
    this.stage = "guess";
  }

  view(): CodeView {
    return {
      base: this.base,
      length: this.length,
      oracle: this.oracle,
      rows: [...this.given],
      asked: this.stage === "answer" ? [...this.guess] : null,
      shown: this.shown,
      stage: this.stage,
      gaveUp: this.gaveUp,
    };
  }

  private isCode(move: Json): move is number[] {
    return Array.isArray(move) && move.length === this.length &&
      move.every((digit) => isBetween(digit, 0, this.base - 1));
  }

  private isAnswer(move: Json): boolean {
    if (!Array.isArray(move) || move.length !== 2) return false;
    const [full, partial] = move;
    if (!isBetween(full, 0, this.length) || !isBetween(partial, 0, this.length)) return false;
    if (full + partial > this.length || (full === this.length - 1 && partial === 1)) return false;
    if (this.oracle === "nice") return full === this.length;
    if (this.oracle === "evil") return true;
    if (!this.code) return true; // not opened yet: every answer that is possible at all may be true
    const [f, p] = answer(this.code, this.guess);
    return f === full && p === partial;
  }

  private fits(code: number[]): boolean {
    return this.given.every(({ guess, answer: [f, p] }) => {
      const [full, partial] = answer(code, guess);
      return full === f && partial === p;
    });
  }

  isLegal(_seat: number, move: Json): boolean {
    if (this.stage === "guess") return move === "give up" || this.isCode(move);
    if (this.stage === "answer") return this.isAnswer(move);
    if (move === "no code") return this.oracle !== "fair";
    if (!this.isCode(move) || !this.fits(move)) return false;
    return this.code === null || this.code.every((digit, place) => move[place] === digit);
  }

  play(moves: ReadonlyMap<number, Json>): void {
    for (const move of moves.values()) {
      if (this.stage === "guess") {
        if (move === "give up") this.gaveUp = true;
        else this.guess = move as number[];
        this.stage = this.gaveUp ? "show" : "answer";
      } else if (this.stage === "answer") {
        const [full, partial] = move as [number, number];
        this.given.push({ guess: this.guess, answer: [full, partial] });
        this.stage = full === this.length ? "show" : "guess";
      } else this.show(move);
    }
  }

  private show(move: Json): void {
    const steps = this.given.length;
    if (move === "no code") this.payoff = [-MILLION, MILLION];
    else this.payoff = this.gaveUp ? [MILLION, -MILLION] : [steps, -steps];
    this.shown = move === "no code" ? null : move as number[];
    this.stage = "over";
  }

  endsWithout(seat: number): number[] {
    return seat === 0 ? [-MILLION, MILLION] : [MILLION, -MILLION];
  }

  leave(): void {}

  ending(names: readonly string[]): string | null {
    if (this.stage !== "over") return null;
    const [keeper, breaker] = names;
    if (!this.shown) return `${breaker} wins: no code fits the answers.`;
    const code = this.base <= 10 ? this.shown.join("") : this.shown.join(" ") + (this.length === 1 ? "," : "");
    if (this.gaveUp) {
      return `${keeper} wins. ${this.oracle === "fair" ? "The code was" : "A code that fits is"} ${code}.`;
    }
    return `${breaker} finds the code ${code} with ${counted(this.given.length, "guess", "guesses")}.`;
  }

  proofs(): { [claim: string]: Proof } {
    if (this.oracle === "fair" || !this.shown) return {};
    const says = "the code fits every answer";
    const consistent: Proof = { answer: "yes", says };
    if (this.oracle !== "evil" || !this.given.length) return { CONSISTENT: consistent };
    return { CONSISTENT: consistent, LEAST_TELLING: this.tellsLeast() };
  }

  /** Compares each answer with the one that leaves the most codes, where they can be listed. */
  private tellsLeast(): Proof {
    const { base, length } = this;
    if (base ** length > RECOMPUTED) {
      return { answer: "not shown", says: `${base}^${length} codes are too many` };
    }
    let left = Array.from({ length: base ** length }, (_, index) => {
      const code = new Array<number>(length);
      for (let place = length - 1; place >= 0; place--, index = Math.floor(index / base)) code[place] = index % base;
      return code;
    });
    for (const [index, { guess, answer: [full, partial] }] of this.given.entries()) {
      const groups = new Map<number, number[][]>();
      for (const code of left) {
        const [f, p] = answer(code, guess);
        const key = f * (length + 1) + p;
        const group = groups.get(key);
        if (group) group.push(code);
        else groups.set(key, [code]);
      }
      // The most codes; then the fewest full matches, then the fewest partial ones.
      const [least] = [...groups].sort(([a, x], [b, y]) => y.length - x.length || a - b)[0];
      const given = full * (length + 1) + partial;
      const found = groups.get(given) ?? [];
      if (given !== least) {
        const most = (groups.get(least) as number[][]).length;
        return { answer: "not shown", says: `answer ${index + 1} left only ${found.length} of ${most} codes` };
      }
      left = found;
    }
    return { answer: "yes", says: `all ${this.given.length} answers left the most codes` };
  }
}
