/** `croupier-2017/0`: the arithmetic of 2017. It proves nothing. */
import { keccak_256 } from "@noble/hashes/sha3.js";
import { bigEndian, type Chance, toNumber } from "../bytes.ts";
import { hasJust, isBetween, type Json } from "../json.ts";
import * as s from "./scheme.ts";

const MOST = 2 ** 32 - 1;
const MOST_CARDS = 100_000n;

export class Croupier2017 implements s.Scheme {
  readonly single = false;
  private readonly lender: number[];
  /** What is left of the deck, in the order of the last shuffle. */
  private deck: number[] | null = null;

  constructor(setting: s.Setting) {
    s.lendOnly(setting.seats, "seed");
    this.lender = s.lenders(setting.seats, "seed");
    s.params(this.lender.length === 1, "just one seat lends a seed");
    s.params(hasJust(setting.open, []), "the public part is empty");
  }

  ticket(run: s.Run): void {
    const { seed } = s.members(run.ticket, ["seed"]);
    s.evidence(isBetween(seed, 0, MOST), "a seed has 32 bits");
    s.evidence(!run.hidden, "nothing is hidden under this scheme");
  }

  asks(run: s.Run, here: (seat: number) => boolean): s.Ask[] {
    return s.missing(run, this.lender, "seed", here);
  }

  share(_run: s.Run, _seat: number, _kind: string, value: Json): void {
    s.shares(isBetween(value, 0, MOST), "a seed has 32 bits");
  }

  needs(): number | null {
    return null;
  }

  deal(run: s.Run, evidence: Json): Chance {
    s.members(evidence, []);
    s.evidence(run.n <= MOST_CARDS, "no such deck");
    const deck = this.deck ?? Array.from({ length: Number(run.n) }, (_, card) => card);
    const given = run.shares.find((share) => share.kind === "seed");
    let seed = BigInt(run.ticket.seed as number) ^ BigInt((given?.value ?? 0) as number);
    for (let i = deck.length - 1; i > 0; i--) {
      const x = toNumber(keccak_256(bigEndian(seed, 32))) & 0xffffffffn;
      const j = Number(x % BigInt(i + 1));
      [deck[i], deck[j]] = [deck[j], deck[i]];
      seed += 1n;
    }
    this.deck = deck;
    return { below: (n) => this.next(n) };
  }

  private next(n: bigint): bigint {
    const deck = this.deck as number[];
    s.evidence(n === BigInt(deck.length) && deck.length > 0, "the range is not the number of cards left");
    const card = deck.shift() as number;
    return BigInt(deck.filter((other) => other < card).length);
  }

  due(): s.Due[] {
    return [];
  }

  undealt(): void {}
}
