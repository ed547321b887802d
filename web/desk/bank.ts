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
  version?: number;
}

export interface Account {
  available: number | string;
  open_games: number;
  key: string;
  purse: number | string;
  next_number: number | string;
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
export const OUTCOME = { open: 0, settled: 1, released: 2, playerForfeited: 3, croupierForfeited: 4 };
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

export const bank = {
  terms: () => call<BankTerms>("GET", "/bank"),
  account: (owner: string) => call<Account>("GET", `/bank/accounts/${owner}`),
  game: (key: string) => call<BankGame>("GET", `/bank/games/${key}`),
  events: (key: string) => call<{ events: BankEvent[] }>("GET", `/bank/games/${key}/events`),
  next: (croupier: string, player: string) =>
    call<{ game_id: number | string }>("GET", `/bank/next/${croupier}/${player}`),
  faucet: (owner: string, amount: string) => call<Account>("POST", "/bank/faucet", { owner, amount }),
  /** Makes a call in the name of a key. Somebody else with this key may have been quicker: then it is numbered anew. */
  async send(signer: Signer, made: { [name: string]: Json }): Promise<BankEvent[]> {
    for (let tries = 0;; tries++) {
      const { next_number: number } = await bank.account(signer.address);
      try {
        return (await call<{ events: BankEvent[] }>("POST", "/bank/calls", signer.envelope(number, made))).events;
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
