/** The Croupier's desk and the Bank in a ledger, over HTTP. Integers beyond 2^53 are text, as everywhere. */
import { call, Problem } from "../arena/api.ts";
import type { Json } from "../check/json.ts";
import type { BetFields, Signer } from "./messages.ts";

export interface About {
  account: string;
  key: string;
  chain: number | string;
  bank: string;
  chip_cost: number | string;
  step_time: number | string;
  confirmations: number;
  trusted: string;
  play_money: string;
}

export interface BankTerms {
  chain: number;
  bank: string;
  chip_cost: number | string;
  step_time: number;
  faucet: number | string;
  trusted: string;
  now: number;
}

export interface Account {
  available: number | string;
  open_games: number;
  key: string;
  purse: number | string;
  next_number?: number | string;
}

/** A game as the Bank keeps it. */
export interface BankGame {
  bet_hash: string;
  step: number;
  outcome: number;
  deadline: number;
  order: number;
  hand: number;
}

export interface BankEvent {
  event: string;
  [field: string]: Json;
}

export interface Offer {
  id: string;
  croupier: string;
  player: string;
  croupier_key: string;
  game_id: number | string;
  commitments: [string, string];
  expiry: number | string;
}

export interface Sight {
  stage: string;
  seeds: [string | null, string | null];
  trouble: string;
}

/** The last step that the Bank took. */
export const STEP = { none: 0, bet: 1, croupier0: 2, dealt: 3, order: 4, croupier1: 5, final: 6 };
export const OUTCOME = { open: 0, settled: 1, playerForfeited: 3, croupierForfeited: 4 };
export const NO_KEY = "0x" + "0".repeat(40);

export const desk = {
  about: () => call<About>("GET", "/croupier"),
  offer: (player: string) => call<Offer>("POST", "/croupier/offers", { player }),
  bet: (id: string, bet: BetFields, signature: string) =>
    call<unknown>("POST", `/croupier/games/${id}/bet`, { bet, signature }),
  look: (id: string) => call<Sight>("GET", `/croupier/games/${id}`),
  order: (id: string, order: readonly number[], signature: string, seed: string) =>
    call<unknown>("POST", `/croupier/games/${id}/order`, { order, signature, seed }),
  seed: (id: string, seed: string) => call<unknown>("POST", `/croupier/games/${id}/seed`, { seed_id: 1, seed }),
  transcript: (id: string) => call<string>("GET", `/croupier/games/${id}/transcript`),
};

/** A call to the Bank: its name, and its values by their names. */
export interface BankCall {
  call: string;
  bet?: BetFields;
  [value: string]: Json | BetFields | undefined;
}

/** A Bank, wherever it is. What it says is compared with what was computed here; see `player`. */
export interface Bank {
  terms(): Promise<BankTerms>;
  account(owner: string): Promise<Account>;
  /** A game as the Bank kept it so many blocks ago. */
  game(key: string, confirmations?: number): Promise<BankGame>;
  /** What it recorded of a game that began at this height. */
  events(key: string, since: number): Promise<BankEvent[]>;
  /** The number that the next bet of two parties must have. */
  next(croupier: string, player: string): Promise<number | string>;
  /** The height of its last block; 0 where there are none. */
  height(): Promise<number>;
  send(signer: Signer, made: BankCall): Promise<void>;
}

/** Play money, where a ledger gives it away. */
export const faucet = (owner: string, amount: string) => call<Account>("POST", "/bank/faucet", { owner, amount });

/** The Bank in the arena's ledger. */
export const ledger: Bank = {
  terms: () => call<BankTerms>("GET", "/bank"),
  account: (owner) => call<Account>("GET", `/bank/accounts/${owner}`),
  game: (key) => call<BankGame>("GET", `/bank/games/${key}`),
  events: async (key) => (await call<{ events: BankEvent[] }>("GET", `/bank/games/${key}/events`)).events,
  next: async (croupier, player) =>
    (await call<{ game_id: number | string }>("GET", `/bank/next/${croupier}/${player}`)).game_id,
  height: () => Promise.resolve(0),
  /** Makes a call in the name of a key. Somebody else with this key may have been quicker: then it is numbered anew. */
  async send(signer, made) {
    for (let tries = 0;; tries++) {
      const { next_number: number = 0 } = await ledger.account(signer.address);
      try {
        await call("POST", "/bank/calls", signer.envelope(number, made as unknown as { [name: string]: Json }));
        return;
      } catch (error) {
        const overtaken = error instanceof Problem && /WrongNumber/.test(error.detail);
        if (!overtaken || tries === 4) throw error;
      }
    }
  },
};

/** As the arena writes integers: beyond 2^53 as text. */
export const written = (value: bigint): number | string =>
  value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : String(value);
