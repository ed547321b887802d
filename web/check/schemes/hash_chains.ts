/** `hash-chains/1`: a chain of hashes for each party, and words that people type. */
import { type Chance, fromHex, hashStream, HOUSE, type Named, namedDigest, type Show, toHex } from "../bytes.ts";
import { codePoints, hasJust, isBetween, isHex, type Json } from "../json.ts";
import * as s from "./scheme.ts";

/** The link before link i. */
export function linkBefore(
  table: Uint8Array,
  seat: number | bigint,
  generation: number,
  i: number,
  link: string,
  show?: Show,
): string {
  const parts: Named[] = [["table", table], ["seat", seat], ["generation", generation], ["i", i], [
    "link",
    fromHex(link),
  ]];
  return toHex(namedDigest("fairground/chain-link/1", parts, show));
}

export class HashChains implements s.Scheme {
  readonly single = false;
  private readonly table: Uint8Array;
  private readonly length: number;
  private readonly each: boolean;
  private readonly chains: number[];
  private readonly stirrers: number[];
  private readonly show?: Show;
  /** The last link of the house that is known, and the tip of its next chain. */
  private link: string;
  private nextTip: string | null = null;
  private readonly links = new Map<number, string>();
  private readonly nextTips = new Map<number, string>();
  private readonly words = new Map<number, string>();

  constructor(setting: s.Setting) {
    const { length, stir, tip } = setting.open;
    s.lendOnly(setting.seats, "stir", "chain");
    s.params(hasJust(setting.open, ["length", "stir", "tip"]), "the public part is length, stir, tip");
    s.params(isBetween(length, 2, 1_000_000), "length is 2 to 1,000,000");
    s.params(stir === "once" || stir === "each", "stir is once or each");
    s.params(isHex(tip), "the tip is 64 hex digits");
    this.table = setting.table;
    this.show = setting.show;
    this.length = length;
    this.each = stir === "each";
    this.link = tip;
    this.chains = s.lenders(setting.seats, "chain");
    this.stirrers = s.lenders(setting.seats, "stir");
  }

  /** The number of the link that run k uses. */
  place(k: number): number {
    return ((k - 1) % this.length) + 1;
  }

  generation(k: number): number {
    return Math.floor((k - 1) / this.length);
  }

  private isLast(k: number): boolean {
    return this.place(k) === this.length;
  }

  ticket(run: s.Run): void {
    const names = [...(this.isLast(run.number) ? ["tip"] : []), ...(run.hidden ? ["blind"] : [])];
    const ticket = s.members(run.ticket, names);
    for (const name of names) s.evidence(isHex(ticket[name]), `${name} is 64 hex digits`);
    // The house's next chain begins behind this run.
    if (this.isLast(run.number)) this.nextTip = ticket.tip as string;
  }

  asks(run: s.Run, here: (seat: number) => boolean): s.Ask[] {
    const k = run.number;
    const stirs = this.each || this.place(k) === 1;
    const phases: [boolean, number[], string][] = [
      [k === 1, this.chains, "tip"],
      [this.isLast(k), this.chains, "next-tip"],
      [stirs, this.stirrers, "stir"],
      [true, this.chains, "link"],
    ];
    for (const [now, seats, kind] of phases) {
      const asks = now ? s.missing(run, seats, kind, here) : [];
      if (asks.length) return asks;
    }
    return [];
  }

  share(run: s.Run, seat: number, kind: string, value: Json): void {
    if (kind === "stir") {
      s.shares(typeof value === "string" && codePoints(value) <= 200, "words are text of at most 200 signs");
      this.words.set(seat, value);
      return;
    }
    s.shares(isHex(value), `a ${kind} is 64 hex digits`);
    if (kind === "tip") this.links.set(seat, value);
    else if (kind === "next-tip") this.nextTips.set(seat, value);
    else {
      const k = run.number;
      const before = linkBefore(this.table, seat, this.generation(k), this.place(k), value, this.show);
      s.shares(before === this.links.get(seat), "the link is not of this chain");
      this.links.set(seat, value);
    }
  }

  needs(run: s.Run): number | null {
    return run.hidden ? run.number : null;
  }

  deal(run: s.Run, evidence: Json, opening: Json): Chance {
    const k = run.number;
    const { link } = s.members(evidence, ["link"]);
    s.evidence(isHex(link), "the link is 64 hex digits");
    const before = linkBefore(this.table, HOUSE, this.generation(k), this.place(k), link, this.show);
    s.evidence(before === this.link, "the link is not of the house's chain");
    this.link = link;
    const blind = run.hidden ? this.blind(run, opening) : new Uint8Array(0);
    const links = run.shares.filter((share) => share.kind === "link").sort((a, b) => a.seat - b.seat);
    const words = [...this.words].sort(([a], [b]) => a - b);
    const parts: Named[] = [
      ["table", this.table],
      ["run", k],
      ["link of the house", fromHex(link)],
      ["number of links", links.length],
    ];
    for (const share of links) parts.push(["seat", share.seat], ["its link", fromHex(share.value as string)]);
    parts.push(["number of words", words.length]);
    for (const [seat, text] of words) parts.push(["seat", seat], ["its words", text]);
    parts.push(["key of a hidden draw", blind]);
    if (this.isLast(k)) this.renew();
    return hashStream(namedDigest("fairground/chains-stream/1", parts, this.show), this.show);
  }

  private renew(): void {
    this.link = this.nextTip as string;
    for (const [seat, tip] of this.nextTips) this.links.set(seat, tip);
  }

  private blind(run: s.Run, opening: Json): Uint8Array {
    const { key } = s.members(opening, ["key"]);
    s.evidence(isHex(key), "the key is 64 hex digits");
    const { step, head } = run.place;
    const parts: Named[] = [
      ["table", this.table],
      ["seat", HOUSE],
      ["step", step],
      ["head", head],
      ["key", fromHex(key)],
    ];
    const blind = namedDigest("fairground/blind-commitment/1", parts, this.show);
    s.evidence(toHex(blind) === run.ticket.blind, "the key does not fit the ticket");
    return fromHex(key);
  }

  due(runs: readonly s.Run[]): s.Due[] {
    return runs.filter((run) => run.hidden).map((run) => ({ number: run.number, run }));
  }

  undealt(run: s.Run, opening: Json): void {
    this.blind(run, opening);
  }
}

/** Signs that lend nothing. */
// deno-lint-ignore no-control-regex
const BLANK = /^[\u0009-\u000d\u001c-\u0020\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]*$/;
export function isBlank(words: string): boolean {
  return BLANK.test(words);
}
