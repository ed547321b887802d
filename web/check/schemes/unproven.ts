/** `seeded/1` and `system/1`: chance that proves nothing. */
import { type ByteStream, type Chance, fromHex, hashStream, type Show, tape } from "../bytes.ts";
import { hasJust, isHex, isInteger, type Json } from "../json.ts";
import * as s from "./scheme.ts";

export class Seeded implements s.Scheme {
  readonly single = false;
  private readonly tape: ByteStream;

  constructor(setting: s.Setting) {
    const { game, seed } = setting.open;
    s.lendOnly(setting.seats);
    s.params(hasJust(setting.open, ["game", "seed"]), "the public part is game and seed");
    s.params(isInteger(game) && game >= 0 && typeof seed === "string", "a game from 0, and a text");
    this.tape = tape(seed, BigInt(game));
  }

  ticket(run: s.Run): void {
    s.members(run.ticket, []);
  }

  asks(): s.Ask[] {
    return [];
  }

  share(): void {}

  needs(run: s.Run): number | null {
    return run.hidden ? run.number : null;
  }

  deal(run: s.Run, evidence: Json, opening: Json): Chance {
    s.members(evidence, []);
    if (run.hidden) s.members(opening, []);
    return this.tape;
  }

  due(runs: readonly s.Run[]): s.Due[] {
    return runs.filter((run) => run.hidden).map((run) => ({ number: run.number, run }));
  }

  undealt(_run: s.Run, opening: Json): void {
    s.members(opening, []);
  }
}

export class System implements s.Scheme {
  readonly single = false;
  private readonly show?: Show;

  constructor(setting: s.Setting) {
    this.show = setting.show;
    s.lendOnly(setting.seats);
    s.params(hasJust(setting.open, []), "the public part is empty");
  }

  ticket(run: s.Run): void {
    s.members(run.ticket, []);
  }

  asks(): s.Ask[] {
    return [];
  }

  share(): void {}

  needs(run: s.Run): number | null {
    return run.hidden ? run.number : null;
  }

  deal(run: s.Run, evidence: Json, opening: Json): Chance {
    if (run.hidden) s.members(evidence, []);
    const { root } = s.members(run.hidden ? opening : evidence, ["root"]);
    s.evidence(isHex(root), "the root is 64 hex digits");
    return hashStream(fromHex(root), this.show);
  }

  due(runs: readonly s.Run[]): s.Due[] {
    return runs.filter((run) => run.hidden && run.dealtLine !== null).map((run) => ({ number: run.number, run }));
  }

  undealt(): void {}
}
