/** `zombie/2`: eat brains, run from shotguns, and stop in time. */
import { isBetween, type Json, type JsonObject, object } from "../json.ts";
import { type Awaits, counted, type Game, member, only, params } from "./game.ts";

const COLOURS = ["weak", "strong", "tough"];
const DICE = [6, 4, 3];
const FACES = ["bbbffs", "bbffss", "bffsss"];

export interface Die {
  colour: number;
  face: string | null;
}

type Stage = "shuffle" | "decide" | "take" | "throw" | "over";

/** What lies on the table. */
export interface ZombieView {
  stage: Stage;
  /** The seats in the order of their turns. */
  order: number[];
  playing: number[];
  /** Whose turn it is. */
  turn: number | null;
  round: number;
  extra: number;
  maxTurns: number;
  brainsToWin: number;
  scores: number[];
  gone: number[];
  bag: number[];
  faces: string[];
  cells: (Die | null)[];
  brainDice: number[];
  shotgunDice: number[];
  brains: number;
  rolls: number;
  /** The dice of the last roll, and how the turn of it ended. */
  last: { seat: number; dice: Die[]; end: "shot" | "held" | "passed" | null; brains: number } | null;
}

export class Zombie implements Game {
  readonly seats: number;
  readonly params: JsonObject;
  private readonly dice: number[];
  private readonly faces: string[];
  private readonly brainsToWin: number;
  private readonly maxTurns: number;

  private stage: Stage = "shuffle";
  private readonly order: number[];
  private last: number;
  private playing: number[] = [];
  private at = 0;
  private round = 1;
  private extra = 0;
  private readonly scores: number[];
  private readonly gone = new Set<number>();
  private bag: number[] = [];
  private cells: (Die | null)[] = [];
  private brainDice: number[] = [];
  private shotguns = 0;
  private shotgunDice: number[] = [];
  private lastRoll: ZombieView["last"] = null;
  private brains = 0;
  private rolls = 0;

  constructor(given: JsonObject) {
    only(given, [
      "players",
      ...COLOURS.flatMap((colour) => [`${colour}_dice`, `${colour}_die_faces`]),
      "brains_to_win",
      "max_turns",
    ]);
    const out: { [name: string]: Json } = {};
    const number = (name: string, least: number, most: number, otherwise: number): number => {
      const value = member(given, name, otherwise);
      params(isBetween(value, least, most), `${name} is ${least} to ${most}`);
      return out[name] = value;
    };
    this.seats = number("players", 2, 100, 2);
    this.dice = COLOURS.map((colour, i) => number(`${colour}_dice`, 0, 1000, DICE[i]));
    this.brainsToWin = number("brains_to_win", 1, 1_000_000, 13);
    this.maxTurns = number("max_turns", 0, 1_000_000, 0);
    this.faces = COLOURS.map((colour, i) => {
      const value = member(given, `${colour}_die_faces`, FACES[i]);
      params(typeof value === "string" && /^[bfs]{0,1000}$/.test(value), "faces are b, f and s");
      params(value !== "" || this.dice[i] === 0, "a die without faces");
      out[`${colour}_die_faces`] = value;
      return value;
    });
    params(this.dice.reduce((a, b) => a + b) >= 3, "at least three dice");
    params(this.faces.some((faces, i) => this.dice[i] > 0 && faces.includes("b")), "no die has a brain");
    this.params = object(out);
    this.order = Array.from({ length: this.seats }, (_, seat) => seat);
    this.scores = this.order.map(() => 0);
    this.last = this.seats - 1;
    this.clear();
  }

  /** All dice are in the bag again. */
  private clear(): void {
    this.bag = [...this.dice];
    this.cells = [null, null, null];
    this.brainDice = [0, 0, 0];
    this.shotguns = 0;
    this.shotgunDice = [0, 0, 0];
    this.brains = 0;
    this.rolls = 0;
  }

  view(): ZombieView {
    return {
      stage: this.stage,
      order: [...this.order],
      playing: [...this.playing],
      turn: this.stage === "shuffle" ? null : this.playing[this.at] ?? null,
      round: this.round,
      extra: this.extra,
      maxTurns: this.maxTurns,
      brainsToWin: this.brainsToWin,
      scores: [...this.scores],
      gone: [...this.gone],
      bag: [...this.bag],
      faces: this.faces,
      cells: this.cells.map((die) => die && { ...die }),
      brainDice: [...this.brainDice],
      shotgunDice: [...this.shotgunDice],
      brains: this.brains,
      rolls: this.rolls,
      last: this.lastRoll,
    };
  }

  private get inBag(): number {
    return this.bag[0] + this.bag[1] + this.bag[2];
  }

  /** How many values the next draw could have. */
  private options(): number {
    if (this.stage === "shuffle") return this.last + 1;
    if (this.stage === "take") return this.inBag;
    return this.faces[(this.thrown() as Die).colour].length;
  }

  private thrown(): Die | undefined {
    return this.cells.find((die) => die !== null && die.face === null) ?? undefined;
  }

  awaits(): Awaits {
    if (this.stage === "over") {
      return { kind: "over", payoff: this.won(this.playing[0]) };
    }
    if (this.stage === "decide") return { kind: "move", seats: [this.playing[this.at]] };
    return { kind: "draw", n: BigInt(this.options()), hidden: false };
  }

  private won(winner: number): number[] {
    return this.order.map((_, seat) => seat === winner ? this.seats - 1 : -1);
  }

  draw(value: bigint): void {
    const v = Number(value);
    if (this.stage === "shuffle") {
      [this.order[v], this.order[this.last]] = [this.order[this.last], this.order[v]];
      this.last--;
      if (this.last === 0) this.shuffled();
    } else {
      this.step(v);
      this.goOn();
    }
  }

  private shuffled(): void {
    this.playing = this.order.filter((seat) => !this.gone.has(seat));
    this.at = 0;
    this.stage = "decide";
  }

  private step(v: number): void {
    if (this.stage === "take") {
      const [green, yellow] = this.bag;
      const colour = v < green ? 0 : v < green + yellow ? 1 : 2;
      this.bag[colour]--;
      this.cells[this.cells.indexOf(null)] = { colour, face: null };
    } else {
      const die = this.thrown() as Die;
      die.face = this.faces[die.colour][v];
    }
  }

  /** Does all that needs no draw. */
  private goOn(): void {
    for (;;) {
      if (this.stage === "take" && (this.inBag === 0 || !this.cells.includes(null))) this.stage = "throw";
      if (this.stage === "throw" && !this.thrown()) return this.sort();
      if (this.options() > 1) return;
      this.step(0);
    }
  }

  private roll(): void {
    const empty = this.cells.filter((die) => die === null).length;
    if (empty > this.inBag) {
      this.bag = this.bag.map((count, colour) => count + this.brainDice[colour]);
      this.brainDice = [0, 0, 0];
    }
    for (const die of this.cells) if (die) die.face = null;
    this.stage = "take";
    this.goOn();
  }

  private sort(): void {
    const dice = this.cells.flatMap((die) => die ? [{ ...die }] : []);
    this.cells = this.cells.map((die) => {
      if (die === null || die.face === "f") return die;
      if (die.face === "b") {
        this.brains++;
        this.brainDice[die.colour]++;
      } else {
        this.shotguns++;
        this.shotgunDice[die.colour]++;
      }
      return null;
    });
    this.rolls++;
    this.stage = "decide";
    this.lastRoll = { seat: this.playing[this.at], dice, end: this.shotguns >= 3 ? "shot" : null, brains: this.brains };
    if (this.shotguns >= 3) this.endTurn();
  }

  private endTurn(): void {
    this.clear();
    this.at++;
    this.stage = "decide";
    if (this.at >= this.playing.length) this.endRound();
  }

  private endRound(): void {
    const highest = Math.max(...this.scores);
    const decided = this.maxTurns ? this.round === this.maxTurns : highest >= this.brainsToWin;
    if (decided || this.extra) {
      const level = this.playing.filter((seat) => this.scores[seat] === highest);
      if (level.length === 1) {
        this.playing = level;
        this.at = 0;
        this.stage = "over";
        return;
      }
      this.playing = level;
      this.extra++;
    }
    this.at = 0;
    this.round++;
    this.stage = "decide";
  }

  isLegal(_seat: number, move: Json): boolean {
    return move === "roll" || move === "pass" || (move === "hold" && this.rolls > 0);
  }

  play(moves: ReadonlyMap<number, Json>): void {
    for (const [seat, move] of moves) {
      if (move === "roll") this.roll();
      else {
        if (move === "hold") this.scores[seat] += this.brains;
        this.lastRoll = { seat, dice: [], end: move === "hold" ? "held" : "passed", brains: this.brains };
        this.endTurn();
      }
    }
  }

  endsWithout(seat: number): number[] | null {
    if (this.gone.size + 2 < this.seats) return null;
    const left = this.order.find((other) => other !== seat && !this.gone.has(other)) as number;
    return this.won(left);
  }

  leave(seat: number): void {
    const shuffled = this.stage !== "shuffle";
    const wasOver = this.stage === "over";
    const turn = this.playing[this.at] === seat;
    if (shuffled && turn) this.clear();
    const before = this.playing.slice(0, this.at).filter((other) => other === seat).length;
    this.playing = this.playing.filter((other) => other !== seat);
    this.at -= before;
    this.gone.add(seat);
    this.scores[seat] = 0;
    if (!shuffled) return;
    if (wasOver && this.playing.length) return;
    // A roll of somebody else goes on where it is.
    if (!turn && (this.stage === "take" || this.stage === "throw")) return;
    this.stage = "decide";
    if (this.playing.length === 0) {
      this.playing = this.order.filter((other) => !this.gone.has(other));
      this.at = 0;
    } else if (this.at >= this.playing.length) this.endRound();
  }

  ending(names: readonly string[]): string | null {
    if (this.stage !== "over") return null;
    const [seat] = this.playing;
    return `${names[seat]} wins with ${counted(this.scores[seat], "brain")}.`;
  }
}
