/** Opening tables and sitting down at them. The secret of a seat is kept before anything else happens. */
import { arena, type Game, idOf, type MadeSeat, type NewSeat, secretOf } from "./api.ts";
import type { JsonObject } from "../check/json.ts";
import { mustBeSafe } from "./safe.ts";
import { keep, keepThing, thing } from "./secrets.ts";
import { signal } from "@preact/signals";
import { playerName } from "../words.ts";

const LENGTH = 256;

/** One's own name, for seats. */
export const ownName = signal("Guest");
thing("name").then((name) => typeof name === "string" && (ownName.value = name)).catch(() => {});

export function rename(name: string): void {
  ownName.value = name;
  void keepThing("name", name);
}

/** Where the seat of ours is played. */
export const seatHash = (id: string, secret: string) =>
  `#/seat/${encodeURIComponent(id)}/${encodeURIComponent(secret)}`;

/** Our seat at a table, kept before it is played. */
async function keepSeat(game: Game, { name, url }: MadeSeat, others: string[]): Promise<string> {
  const id = idOf(url as string), secret = secretOf(url as string);
  await keep({ id, secret, game: game.name, title: game.title, name, others });
  return seatHash(id, secret);
}

/** Who sits in a seat: we ourselves, a player of the house, or whoever comes. */
export type Sitter = { you: true } | { player: string } | { open: true };

/** Opens a table. Returns where to go: our seat, or the table if we only watch. */
export async function openTable(
  game: Game,
  params: JsonObject,
  sitters: readonly Sitter[],
  listed: boolean,
): Promise<string> {
  mustBeSafe();
  const own = ownName.value.trim() || "Guest";
  const used = new Map<string, number>();
  const named = (name: string) => {
    const times = (used.get(name) ?? 0) + 1;
    used.set(name, times);
    return times > 1 ? `${name} ${times}` : name;
  };
  const seats: NewSeat[] = sitters.map((sitter) => {
    if ("player" in sitter) return { name: named(playerName(sitter.player)), player: sitter.player };
    if ("open" in sitter) return { name: named("Open seat"), open: true, lends: "chain" };
    return { name: named(own), lends: "chain" };
  });
  const made = await arena.open({
    game: game.name,
    params,
    seats,
    dealer: "hash-chains/1",
    options: { length: LENGTH },
    listed,
    seconds: seats.some(({ open }) => open) ? 3600 : 86400,
  });
  const mine = sitters.findIndex((sitter) => "you" in sitter);
  const others = seats.filter((_, seat) => seat !== mine).map(({ name }) => name);
  const seat = made.seats[mine];
  return seat?.url ? await keepSeat(game, seat, others) : `#/table/${encodeURIComponent(idOf(made.self))}`;
}

/** Takes an open seat. */
export async function sitDown(game: Game, id: string, others: string[]): Promise<string> {
  mustBeSafe();
  return keepSeat(game, await arena.sit(id, ownName.value.trim() || "Guest", "chain"), others);
}

/** The same game again. */
export async function rematch(game: Game, id: string, secret: string, others: string[]): Promise<string> {
  const made = await arena.rematch(id, secret);
  const seat = made.seats.find(({ url }) => url);
  return seat ? keepSeat(game, seat, others) : `#/table/${encodeURIComponent(idOf(made.self))}`;
}
