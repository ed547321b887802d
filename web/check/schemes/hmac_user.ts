/** `hmac-sha3-user/1`: one draw, one number of the house behind an HMAC, one number of a seat. */
import { hmac } from "@noble/hashes/hmac.js";
import { sha3_256 } from "@noble/hashes/sha3.js";
import { type Chance, fromText, type Show, toHex } from "../bytes.ts";
import { hasJust, type Json, readInt } from "../json.ts";
import * as s from "./scheme.ts";

const UPPER = /^[0-9A-F]{64}$/;

export function hmacOf(key: string, number: bigint): string {
  return toHex(hmac(sha3_256, fromText(key), fromText(number.toString()))).toUpperCase();
}

export class HmacUser implements s.Scheme {
  readonly single = true;
  private readonly lenders: number[];
  private readonly used = new Set<string>();
  private readonly show?: Show;

  constructor(setting: s.Setting) {
    s.lendOnly(setting.seats, "number");
    this.show = setting.show;
    this.lenders = s.lenders(setting.seats, "number");
    s.params(this.lenders.length <= 1, "one seat lends a number at most");
    s.params(hasJust(setting.open, []), "the public part is empty");
  }

  ticket(run: s.Run): void {
    const { hmac } = s.members(run.ticket, ["hmac"]);
    s.evidence(typeof hmac === "string" && UPPER.test(hmac), "the HMAC is 64 upper-case hex digits");
  }

  asks(run: s.Run, here: (seat: number) => boolean): s.Ask[] {
    return s.missing(run, this.lenders, "number", here);
  }

  share(run: s.Run, _seat: number, _kind: string, value: Json): void {
    const number = readInt(value);
    s.shares(number !== null && number >= 0n && number < run.n, "a number out of range");
  }

  needs(run: s.Run): number | null {
    return run.hidden ? run.number : null;
  }

  deal(run: s.Run, evidence: Json, opening: Json): Chance {
    if (run.hidden) s.members(evidence, []);
    const mine = this.opened(run, run.hidden ? opening : evidence);
    const given = run.shares.find((share) => share.kind === "number");
    const yours = given ? readInt(given.value) as bigint : 0n;
    return {
      below: (n) => {
        const value = (mine + yours) % n;
        this.show?.({ kind: "sum", n, mine, yours, value });
        return value;
      },
    };
  }

  due(runs: readonly s.Run[]): s.Due[] {
    return runs.filter((run) => run.hidden || run.dealtLine === null).map((run) => ({ number: run.number, run }));
  }

  undealt(run: s.Run, opening: Json): void {
    this.opened(run, opening);
  }

  private opened(run: s.Run, opening: Json): bigint {
    const { key, number } = s.members(opening, ["key", "number"]);
    s.evidence(typeof key === "string" && UPPER.test(key), "the key is 64 upper-case hex digits");
    const mine = readInt(number);
    s.evidence(mine !== null && mine >= 0n && mine < run.n, "the number is out of range");
    const hmac = hmacOf(key, mine);
    this.show?.({ kind: "digest", how: "HMAC-SHA3-256", parts: [["key", key], ["number", `${mine}`]], gives: hmac });
    s.evidence(hmac === run.ticket.hmac, "key and number do not give the HMAC");
    s.evidence(!this.used.has(key), "this key was used before");
    this.used.add(key);
    return mine;
  }
}
