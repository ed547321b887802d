/** Positions to practise on, and what was learnt of them: kept in this browser. */
import type { Json } from "../check/json.ts";
import { changeThing, thing } from "./secrets.ts";

/** Right answers in a row after which a position sits: as for `fairground learn`. */
const ENOUGH = 2;

/** Where a seat has to decide: before a line of the record of a game that is over. */
export interface Position {
  table: string;
  line: number;
  seat: number;
  title: string;
  /** Right answers in a row. */
  streak: number;
}

type Place = Pick<Position, "table" | "line" | "seat">;

const KEPT = "learning";
const same = (a: Place, b: Place) => a.table === b.table && a.line === b.line && a.seat === b.seat;
const listOf = (kept: Json | undefined) => (Array.isArray(kept) ? kept : []) as unknown as Position[];

function changed(how: (all: Position[]) => Position[]): Promise<void> {
  return changeThing(KEPT, (kept) => how(listOf(kept)) as unknown as Json);
}

/** All of them; those that are known least come first. */
export async function positions(): Promise<Position[]> {
  return listOf(await thing(KEPT)).sort((a, b) => a.streak - b.streak);
}

export const sits = ({ streak }: Position) => streak >= ENOUGH;

/** Adds what is not there yet. */
export function learn(found: readonly Omit<Position, "streak">[]): Promise<void> {
  return changed((all) => [
    ...all,
    ...found.filter((one) => !all.some((other) => same(one, other))).map((one) => ({ ...one, streak: 0 })),
  ]);
}

/** Writes down how it was answered: a wrong answer begins the row anew. */
export async function note(place: Omit<Position, "streak">, right: boolean): Promise<void> {
  await learn([place]);
  await changed((all) => all.map((one) => same(one, place) ? { ...one, streak: right ? one.streak + 1 : 0 } : one));
}

/** A game that nobody keeps any more cannot be practised on. */
export const forgetTable = (table: string) => changed((all) => all.filter((one) => one.table !== table));
