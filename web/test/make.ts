/**
 * Makes honest records of random games, and the receipts that their seats would keep: for the campaign, not for the checker.
 * deno run --allow-write web/test/make.ts FOLDER SEED COUNT
 */
import { hmac } from "@noble/hashes/hmac.js";
import { sha3_256 } from "@noble/hashes/sha3.js";
import { digest, fromHex, fromText, HOUSE, toHex } from "../check/bytes.ts";
import { write } from "../check/canonical.ts";
import { ZEROS } from "../check/chain.ts";
import { answer } from "../check/games/codebreaking.ts";
import { GAMES } from "../check/games/index.ts";
import { type Json, type JsonObject, object, writeInt } from "../check/json.ts";
import { linkBefore } from "../check/schemes/hash_chains.ts";
import { SCHEMES } from "../check/schemes/index.ts";
import type { Run, Seat } from "../check/schemes/scheme.ts";
import { seal } from "../check/seals.ts";

/** Random numbers that a seed gives again. */
export class Random {
  private count = 0;
  constructor(private readonly seed: string) {}
  bytes(): Uint8Array {
    return digest("test/random", this.seed, this.count++);
  }
  hex(): string {
    return toHex(this.bytes());
  }
  below(n: number): number {
    return Number(BigInt("0x" + toHex(this.bytes().slice(0, 6))) % BigInt(n));
  }
  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)];
  }
  chance(percent: number): boolean {
    return this.below(100) < percent;
  }
}

interface Chain {
  links: string[];
}

function params(game: string, random: Random): JsonObject {
  if (game === "intransitive/1") {
    return random.chance(50)
      ? object({})
      : object({ dice: [[1], [2, 0, "9007199254740993"], [3, -4], ["-90071992547409931", 5]] });
  }
  if (game === "codebreaking/1") {
    return object({
      base: 2 + random.below(3),
      length: 1 + random.below(3),
      oracle: random.pick(["fair", "fair", "nice", "evil"]),
    });
  }
  if (game === "fatestones/1") {
    return random.pick([
      object({}),
      object({ dice: ["111666", "222555", "333333", "333333", "333444", "333444"], scratch: "redeal" }),
      object({ dice: ["111666", "222555", "333333", "333333", "333333", "333444"], scratch: "end" }),
      object({ hands: [["333333", "111666"], ["333333", "222555"]] }),
    ]);
  }
  if (game.includes("poker")) return object({ bet: 1 + random.below(10), level: 1 + random.below(5) });
  const players = 2 + random.below(4);
  return random.pick([
    object({ players, brains_to_win: 3 }),
    object({
      players,
      brains_to_win: 2,
      weak_dice: 2,
      strong_dice: 1,
      tough_dice: 1,
      weak_die_faces: "bbf",
      strong_die_faces: "bs",
      tough_die_faces: "f",
    }),
    object({ players, max_turns: 1, weak_dice: 3, strong_dice: 0, tough_dice: 0, strong_die_faces: "" }),
    object({
      players,
      max_turns: 2,
      weak_dice: 0,
      strong_dice: 2,
      tough_dice: 2,
      weak_die_faces: "",
      strong_die_faces: "bs",
    }),
  ]);
}

export interface Made {
  text: string;
  receipts: string;
}

export interface Wish {
  game?: string;
  dealer?: string;
  leave?: number;
  length?: number;
  params?: JsonObject;
  /** How many moves and draws there are at most. */
  turns?: number;
}

/** One honest record. */
export function make(random: Random, wish: Wish = {}): Made {
  const gameName = wish.game ?? random.pick(Object.keys(GAMES));
  const dealers = Object.keys(SCHEMES).filter((name) => name !== "croupier/1" && name !== "croupier-2017/0");
  const dealer = wish.dealer ?? random.pick([...dealers, "hash-chains/1", "hash-chains/1", "hmac-sha3-user/1"]);
  const game = GAMES[gameName](wish.params ?? params(gameName, random));
  const leave = wish.leave ?? random.pick([0, 0, 2, 6]);
  const notes = random.pick([0, 0, 5, 30]);
  const table = random.hex();
  const raw = fromHex(table);
  const lends = { "hash-chains/1": ["nothing", "stir", "chain"], "hmac-sha3-user/1": ["nothing"] }[dealer] ??
    ["nothing"];
  const seats: Seat[] = Array.from({ length: game.seats }, (_, i) => {
    const by = random.chance(70) ? "self" : "house";
    return {
      name: random.pick(["Ann", "Bob", "Cy", "Dee"]) + (random.chance(50) ? "" : i),
      by,
      lends: by === "self" ? random.pick(lends) : "nothing",
    };
  });
  if (dealer === "hmac-sha3-user/1" && random.chance(90)) {
    const seat = random.pick(seats);
    seat.by = "self";
    seat.lends = "number";
  }
  const length = wish.length ?? random.pick([2, 2, 3, 5, 40]);
  const chainOf = (seat: number | bigint, generation: number): Chain => {
    const links = [random.hex()];
    for (let i = length; i > 0; i--) links.unshift(linkBefore(raw, seat, generation, i, links[0]));
    return { links };
  };
  const houseChains = [chainOf(HOUSE, 0)];
  const seatChains = seats.map((_, seat) => [chainOf(seat, 0)]);
  const seed = random.hex();
  const open: JsonObject = {
    "hash-chains/1": object({ length, stir: random.pick(["once", "each"]), tip: houseChains[0].links[0] }),
    "contest/1": object({
      commitment: toHex(digest("fairground/contest-commitment/1", "cup", fromHex(seed))),
      contest: "cup",
      game: random.below(9),
    }),
    "seeded/1": object({ game: random.below(9), seed: "tape " + random.below(1000) }),
  }[dealer] ?? object({});
  const scheme = new SCHEMES[dealer]({ table: raw, seats, open });

  const lines: string[] = [];
  const receipts: string[] = [];
  let head = ZEROS;
  const add = (event: { [key: string]: Json }) => {
    const text = write(object({ ...event, prev: head })) + "\n";
    lines.push(text);
    head = toHex(sha3_256(fromText(text)));
  };
  const keeps = seats.map(() => random.pick([0, 30, 100]));
  const keep = (seat: number) => {
    if (random.chance(keeps[seat])) receipts.push(JSON.stringify({ head, seat, step: lines.length, table }));
  };
  const note = () => {
    while (random.chance(notes)) add({ kind: "note", body: object({ remark: random.pick(["hm", "ä\u0007", "🎲"]) }) });
  };
  const gone = new Set<number>();
  const here = (seat: number) => !gone.has(seat);
  const runs: Run[] = [];
  const openings = new Map<number, JsonObject>();
  let ended: number[] | null = null;
  let pending: number[] = [];

  /** Perhaps somebody leaves. */
  const maybeLeave = (run: Run | null): boolean => {
    if (!random.chance(leave)) return false;
    const seat = random.pick([...seats.keys()].filter(here));
    add({ kind: "forfeit", seat, by: random.pick(["seat", "house"]), reason: "gone" });
    gone.add(seat);
    const payoff = game.endsWithout(seat);
    if (payoff) ended = payoff;
    else if (run) pending.push(seat);
    else game.leave(seat);
    return true;
  };

  const moveOf = (seat: number): Json => {
    const found = guesses.find((move) => game.isLegal(seat, move));
    return found as Json;
  };
  let guesses: Json[] = [];
  const code = () =>
    Array.from({ length: game.params.length as number }, () => random.below(game.params.base as number));
  const candidates = (): Json[] => {
    if (gameName === "intransitive/1") return [random.below(3), 0, 1, 2];
    if (gameName === "fatestones/1") return [random.below(3), 0];
    if (gameName.includes("poker")) {
      return [random.chance(20) ? [0, 0, 0, 0, 0] : Array.from({ length: 5 }, () => random.below(2))];
    }
    if (gameName.startsWith("zombie")) return [random.pick(["roll", "roll", "hold", "hold", "pass"]), "roll"];
    const all: Json[] = [];
    for (let i = 0; i < 40; i++) all.push(code(), answer(code(), code()));
    all.push([game.params.length as number, 0]);
    if (random.chance(8)) all.unshift("give up");
    const total = (game.params.base as number) ** (game.params.length as number);
    for (let value = 0; value < total; value++) {
      const digits: number[] = [];
      for (
        let rest = value, i = 0;
        i < (game.params.length as number);
        i++, rest = Math.floor(rest / (game.params.base as number))
      ) {
        digits.unshift(rest % (game.params.base as number));
      }
      all.push(digits, answer(digits, code()));
    }
    for (let f = 0; f <= 4; f++) for (let p = 0; p <= 4; p++) all.push([f, p]);
    all.push("no code");
    return all;
  };

  add({
    kind: "start",
    format: "fairground/1",
    table,
    game: gameName,
    params: game.params,
    dealer,
    public: open,
    seats: seats.map((seat) => object({ ...seat })),
  });
  const WORDS = ["rain", "", "  ", "\u200b", "tin roof", "🎲", "x".repeat(200)];
  let guard = 0;
  while (!ended && guard++ < (wish.turns ?? 400)) {
    const awaits = game.awaits();
    if (awaits.kind === "over") {
      ended = awaits.payoff;
      break;
    }
    if (awaits.kind === "move") {
      if (maybeLeave(null)) continue;
      const place = { step: lines.length, head };
      const moves = new Map<number, Json>();
      if (awaits.seats.length === 1) {
        const [seat] = awaits.seats;
        keep(seat);
        note();
        guesses = candidates();
        const move = moveOf(seat);
        add({ kind: "move", seat, move });
        game.play(moves.set(seat, move));
        continue;
      }
      const keys = new Map<number, string>();
      const order = () => random.chance(50) ? awaits.seats : [...awaits.seats].reverse();
      for (const seat of awaits.seats) keep(seat);
      let left = false;
      for (const seat of order()) {
        note();
        left = maybeLeave(null);
        if (left) break;
        guesses = candidates();
        keys.set(seat, random.hex());
        moves.set(seat, moveOf(seat));
        add({
          kind: "seal",
          seat,
          commitment: seal(raw, seat, place, keys.get(seat) as string, moves.get(seat) as Json),
        });
      }
      if (left) continue;
      for (const seat of awaits.seats) keep(seat);
      for (const seat of order()) {
        note();
        left = maybeLeave(null);
        if (left) break;
        add({ kind: "open", seat, key: keys.get(seat) as string, move: moves.get(seat) as Json });
      }
      if (!left) game.play(moves);
      continue;
    }
    // A draw. Perhaps the house keeps the ticket back, and leaves.
    const number = runs.length + 1;
    if (random.chance(leave / 2) && random.chance(20)) {
      const before = gone.size;
      note();
      const seat = random.pick([...seats.keys()].filter(here));
      if (game.endsWithout(seat)) {
        add({ kind: "forfeit", seat, by: "house", reason: "silent" });
        gone.add(seat);
        ended = game.endsWithout(seat);
        continue;
      }
      if (gone.size === before && lines.at(-1)?.includes('"kind":"note"')) break;
    }
    const generation = Math.floor((number - 1) / length);
    const link = ((number - 1) % length) + 1;
    const last = link === length;
    const place = { step: lines.length, head };
    const key = random.hex();
    const mine = awaits.n < 2n ** 40n ? BigInt(random.below(Number(awaits.n))) : 5n;
    let ticket = object({});
    if (dealer === "hmac-sha3-user/1") {
      ticket = object({
        hmac: toHex(hmac(sha3_256, fromText(key.toUpperCase()), fromText(mine.toString()))).toUpperCase(),
      });
      openings.set(number, object({ key: key.toUpperCase(), number: writeInt(mine) }));
    } else if (dealer === "hash-chains/1") {
      if (last) {
        houseChains.push(chainOf(HOUSE, generation + 1));
        for (const seat of seats.keys()) seatChains[seat].push(chainOf(seat, generation + 1));
        ticket.tip = houseChains[generation + 1].links[0];
      }
      if (awaits.hidden) {
        ticket.blind = toHex(digest("fairground/blind-commitment/1", raw, HOUSE, place.step, place.head, fromHex(key)));
        openings.set(number, object({ key }));
      }
    } else if (dealer === "contest/1") openings.set(0, object({ seed }));
    else if (dealer === "seeded/1") openings.set(number, object({}));
    else openings.set(number, object({ root: key }));
    const run: Run = {
      number,
      n: awaits.n,
      hidden: awaits.hidden,
      place,
      ticket,
      ticketLine: lines.length + 1,
      shares: [],
      dealtLine: null,
      draws: [],
    };
    scheme.ticket(run);
    add({ kind: "ticket", run: number, n: writeInt(awaits.n), hidden: awaits.hidden, ticket });
    runs.push(run);
    for (;;) {
      const asks = scheme.asks(run, here);
      if (!asks.length || ended) break;
      const ask = random.chance(60) ? asks[0] : random.pick(asks);
      keep(ask.seat);
      note();
      if (maybeLeave(run)) continue;
      const value: Json = ask.share === "number"
        ? writeInt(BigInt(random.below(Number(awaits.n < 2n ** 40n ? awaits.n : 9n))))
        : ask.share === "stir"
        ? (random.chance(85) ? "words " + random.below(99) : random.pick(WORDS))
        : ask.share === "tip"
        ? seatChains[ask.seat][0].links[0]
        : ask.share === "next-tip"
        ? seatChains[ask.seat][generation + 1].links[0]
        : seatChains[ask.seat][generation].links[link];
      scheme.share(run, ask.seat, ask.share, value);
      run.shares.push({ seat: ask.seat, kind: ask.share, value, line: lines.length + 1 });
      add({ kind: "share", run: number, seat: ask.seat, share: ask.share, value });
    }
    if (ended) break;
    const opening = openings.get(dealer === "contest/1" ? 0 : number) ?? null;
    const evidence = dealer === "hash-chains/1"
      ? object({ link: houseChains[generation].links[link] })
      : dealer === "hmac-sha3-user/1" || dealer === "system/1"
      ? (awaits.hidden ? object({}) : openings.get(number) as JsonObject)
      : object({});
    const chance = scheme.deal(run, evidence, opening);
    for (;;) {
      const now = game.awaits();
      if (now.kind !== "draw" || now.hidden !== run.hidden || (scheme.single && run.draws.length)) break;
      const value = chance.below(now.n);
      run.draws.push([now.n, value]);
      game.draw(value);
    }
    run.dealtLine = lines.length + 1;
    add({
      kind: "dealt",
      run: number,
      draws: run.draws.map(([n, value]) => [writeInt(n), run.hidden ? null : writeInt(value)]),
      evidence,
    });
    for (const seat of pending) {
      if (ended) break;
      const payoff = game.endsWithout(seat);
      if (payoff) ended = payoff;
      else game.leave(seat);
    }
    pending = [];
  }
  if (ended) {
    for (const due of scheme.due(runs)) {
      const draws = due.run ? due.run.draws.map(([n, value]) => [writeInt(n), writeInt(value)]) : [];
      add({ kind: "opening", run: due.number, draws, evidence: openings.get(due.number) as JsonObject });
    }
    add({ kind: "end", payoff: ended });
  }
  return { text: lines.join(""), receipts: receipts.map((line) => line + "\n").join("") };
}

if (import.meta.main) {
  const [folder, seed, count, wish] = Deno.args;
  for (let i = 0; i < Number(count); i++) {
    const made = make(new Random(`${seed} ${i}`), wish ? JSON.parse(wish) : {});
    const name = `${folder}/made-${seed}-${String(i).padStart(5, "0")}`;
    Deno.writeTextFileSync(name + ".jsonl", made.text);
    if (made.receipts) Deno.writeTextFileSync(name + ".receipts", made.receipts);
  }
}
