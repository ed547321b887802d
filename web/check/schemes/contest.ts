/** `contest/1`: one seed for all, committed to before. */
import { type Chance, fromHex, hashStream, namedDigest, type Show, toHex } from "../bytes.ts";
import { hasJust, isHex, isInteger, type Json } from "../json.ts";
import * as s from "./scheme.ts";

export function commitmentOf(contest: string, seed: string, show?: Show): string {
  const parts = [["contest", contest], ["seed", fromHex(seed)]] as const;
  return toHex(namedDigest("fairground/contest-commitment/1", parts, show));
}

export class Contest implements s.Scheme {
  readonly single = false;
  private readonly commitment: string;
  private readonly contest: string;
  private readonly game: number;
  private readonly show?: Show;

  constructor(setting: s.Setting) {
    const { commitment, contest, game } = setting.open;
    s.lendOnly(setting.seats);
    s.params(hasJust(setting.open, ["commitment", "contest", "game"]), "the public part is commitment, contest, game");
    s.params(isHex(commitment) && typeof contest === "string", "a hash, and the name of the contest");
    s.params(isInteger(game) && game >= 0, "games are counted from 0");
    this.commitment = commitment;
    this.contest = contest;
    this.game = game;
    this.show = setting.show;
  }

  ticket(run: s.Run): void {
    s.members(run.ticket, []);
  }

  asks(): s.Ask[] {
    return [];
  }

  share(): void {}

  needs(): number | null {
    return 0;
  }

  deal(run: s.Run, evidence: Json, opening: Json): Chance {
    s.members(evidence, []);
    const { seed } = s.members(opening, ["seed"]);
    s.evidence(isHex(seed), "the seed is 64 hex digits");
    s.evidence(commitmentOf(this.contest, seed, this.show) === this.commitment, "the seed does not fit the commitment");
    const parts = [["contest", this.contest], ["game", this.game], ["run", run.number], [
      "seed",
      fromHex(seed),
    ]] as const;
    return hashStream(namedDigest("fairground/contest-stream/1", parts, this.show), this.show);
  }

  due(runs: readonly s.Run[]): s.Due[] {
    return runs.some((run) => run.dealtLine !== null) ? [{ number: 0, run: null }] : [];
  }

  undealt(): void {}
}
