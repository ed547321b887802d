/** The arena's routes, typed. What goes wrong is a `Problem` with the arena's own words. */
import type { Json } from "../check/json.ts";

/** An answer that the arena refused, or no answer at all (status 0). */
export class Problem extends Error {
  constructor(readonly status: number, readonly code: string, readonly detail: string) {
    super(detail);
  }

  /** Nobody answered: it may be tried again. */
  get isAway(): boolean {
    return this.status === 0 || this.status >= 502;
  }
}

export interface Player {
  name: string;
  sentence: string;
  exact: boolean;
}

export interface Role {
  name: string;
  least: number;
  most: number;
  players: Player[];
}

/** A JSON Schema, as far as forms and pictures need it. */
export interface Schema {
  type?: string | string[];
  properties?: { [name: string]: Schema };
  items?: Schema;
  prefixItems?: Schema[];
  enum?: Json[];
  const?: Json;
  anyOf?: Schema[];
  oneOf?: Schema[];
  $ref?: string;
  $defs?: { [name: string]: Schema };
  default?: Json;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
  pattern?: string;
  title?: string;
  description?: string;
  "x-look"?: string;
}

export interface Game {
  name: string;
  title: string;
  summary: string;
  roles: Role[];
  params: Schema;
  view?: Schema;
  move?: Schema;
  /** How it is played, in a few sentences. */
  how?: string;
}

export interface Ask {
  id: string;
  kind: string;
  step: number;
  head: string;
  n?: number | string;
  run?: number;
}

export interface Choice {
  move: Json;
  words: string;
}

/** What a seat sees. */
export interface SeatView {
  self: string;
  game: string;
  seat: number;
  seats: { name: string; by: string; lends: string; player?: string; left?: number; open?: boolean }[];
  step: number;
  head: string;
  over: boolean;
  view: Json;
  asks: Ask[];
  waiting_for: number[];
  moves?: Json;
  choices?: Choice[];
  form?: Schema;
  words?: string | string[];
  rematch?: string;
  payoff?: number[] | null;
  void?: string | null;
}

export interface TableRow {
  id: string;
  game: string;
  params: { [name: string]: Json };
  state: "open" | "playing" | "over";
  seats: { name: string; player?: string | null; open?: boolean }[];
  words?: string;
  lines: number;
}

export interface ContestRow {
  id: string;
  title?: string;
  state: string;
  parts: { base: number; length: number; oracle_type: string; games: number }[];
  commitment: string;
  closes?: string | number | null;
  teams: number;
}

export interface NewSeat {
  name: string;
  player?: string;
  lends?: string;
  open?: boolean;
}

export interface NewTable {
  game: string;
  params: { [name: string]: Json };
  seats: NewSeat[];
  dealer?: string;
  options?: { [name: string]: Json };
  listed?: boolean;
  seconds?: number;
}

export interface MadeSeat {
  seat: number;
  name: string;
  url?: string;
  player?: string;
}

export interface MadeTable {
  self: string;
  seats: MadeSeat[];
}

export interface Hint {
  move: Json;
  words: string;
  exact: boolean;
  value?: Json;
  /** Where perfect play mixes: how often it makes each of its moves. */
  mix?: { move: Json; words: string; share: string }[];
}

/** One request: whether there is JSON in the answer, and its bytes. */
async function ask(method: string, path: string, body?: unknown, once?: string): Promise<[boolean, Uint8Array]> {
  let response: Response, bytes: Uint8Array;
  try {
    response = await fetch(path, {
      method,
      headers: {
        ...(body !== undefined && { "Content-Type": "application/json" }),
        ...(once !== undefined && { "Idempotency-Key": `"${once}"` }),
      },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    bytes = new Uint8Array(await response.arrayBuffer());
  } catch { // no answer, or one that broke off
    throw new Problem(0, "arena/away", "The arena does not answer.");
  }
  const isJson = /json$|json;/.test(response.headers.get("Content-Type") ?? "");
  if (response.ok) return [isJson, bytes];
  const other = { code: "arena/error", detail: `The arena says ${response.status}.` };
  const { code, detail } = isJson ? JSON.parse(asText(bytes)) : other;
  throw new Problem(response.status, code, detail);
}

const asText = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

/** A file, byte for byte. */
export const fetched = async (path: string) => (await ask("GET", path))[1];

/**
 * What the arena answers. Text that is no JSON comes back as text.
 *
 * `once` is a random secret: the same request with it is carried out once, and gets the same answer again.
 */
export async function call<T>(method: string, path: string, body?: unknown, once?: string): Promise<T> {
  const [isJson, bytes] = await ask(method, path, body, once);
  const text = asText(bytes);
  return isJson && text ? JSON.parse(text) : text as T;
}

/** The identity of a table or contest: the last piece of its address. */
export function idOf(url: string): string {
  return new URL(url, location.origin).pathname.split("/")[2];
}

/** The secret in a seat's private address. */
export function secretOf(url: string): string {
  return new URL(url, location.origin).pathname.split("/")[4];
}

/** As the arena says it: what each seat can be played by, and what is known of each player. */
interface Declared extends Omit<Game, "roles"> {
  roles: (Omit<Role, "players"> & { players: { [name: string]: string } })[];
  players: Player[];
}

let catalogue: Promise<Game[]> | null = null;

/** The games of this arena, asked for once. */
export function games(): Promise<Game[]> {
  catalogue ??= call<{ games: Declared[] }>("GET", "/games").then(({ games }) =>
    games.map((game) => {
      const exact = new Set(game.players.filter((player) => player.exact).map(({ name }) => name));
      const roles = game.roles.map((role) => ({
        ...role,
        players: Object.entries(role.players).map(([name, sentence]) => ({ name, sentence, exact: exact.has(name) })),
      }));
      return { ...game, roles };
    })
  );
  catalogue.catch(() => catalogue = null);
  return catalogue;
}

const seatPath = (id: string, secret: string) =>
  `/tables/${encodeURIComponent(id)}/seats/${encodeURIComponent(secret)}`;

export const arena = {
  open: (wanted: NewTable) => call<MadeTable>("POST", "/tables", wanted),
  transcript: (id: string, after: number) =>
    call<string>("GET", `/tables/${encodeURIComponent(id)}/transcript?after=${after}`),
  table: (id: string) => call<SeatView>("GET", `/tables/${encodeURIComponent(id)}`),
  seat: (id: string, secret: string) => call<SeatView>("GET", seatPath(id, secret)),
  answer: (id: string, secret: string, ask: string, answer: Json) =>
    call<{ line: number; head: string }>("POST", seatPath(id, secret), { ask, answer }),
  leave: (id: string, secret: string) => call<unknown>("POST", `${seatPath(id, secret)}/forfeit`, { reason: "left" }),
  getUp: (id: string, secret: string) => call<unknown>("DELETE", seatPath(id, secret)),
  remark: (id: string, secret: string, text: string) =>
    call<unknown>("POST", `${seatPath(id, secret)}/remark`, { text }),
  hint: (id: string, secret: string) => call<Hint>("POST", `${seatPath(id, secret)}/hint`, {}),
  rematch: (id: string, secret: string) => call<MadeTable>("POST", `${seatPath(id, secret)}/rematch`, {}),
  review: <T>(id: string) => call<T>("GET", `/tables/${encodeURIComponent(id)}/review`),
  tryAgain: <T>(id: string, line: number, seat: number, move: Json) =>
    call<T>("POST", `/tables/${encodeURIComponent(id)}/review`, { line, seat, move }),
  sit: (id: string, name: string, lends: string) =>
    call<MadeSeat>("POST", `/tables/${encodeURIComponent(id)}/seats`, { name, lends }),
  allTables: (states: string, game: string, after: number) =>
    call<{ tables: TableRow[]; next: number | null }>(
      "GET",
      `/tables?${new URLSearchParams({ state: states, after: String(after), ...(game && { game }) })}`,
    ),
  tables: () => call<{ tables: TableRow[] }>("GET", "/tables?state=open,playing&limit=20"),
  contests: () => call<{ contests: ContestRow[] }>("GET", "/contests?state=running,closed&limit=5"),
};
