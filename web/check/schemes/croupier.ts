/** `croupier/1`: the Blind Croupier. Seeds are signatures, and their commitments stand in a signed bet. */
import { keccak_256 } from "@noble/hashes/sha3.js";
import { bigEndian, type Chance, fromHex, fromText, join, type Named, type Show, toHex, toNumber } from "../bytes.ts";
import { theCurve } from "../curve.ts";
import { Fault } from "../fault.ts";
import { hasJust, isHex, isObject, type Json, type JsonObject, readInt } from "../json.ts";
import type { Story } from "../table.ts";
import * as s from "./scheme.ts";

const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const BET_TYPE =
  "Bet(address croupier,address player,address croupierKey,address playerKey,uint256 gameId,uint8 bet,uint8 level," +
  "uint256 chipCost,bytes32 croupierCommitment0,bytes32 croupierCommitment1,bytes32 playerCommitment0," +
  "bytes32 playerCommitment1,uint256 expiry)";
const SEED_TYPE = "Seed(address croupier,address player,uint8 role,uint256 gameId,uint8 seedId,bytes32 nonce)";
const ORDER_TYPE =
  "ReplacementOrder(address croupier,address player,uint256 gameId,bytes32 betHash,uint8[5] replacementOrder)";
const DOMAIN_TYPE = "EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)";

const ADDRESSES = ["bank", "croupier", "player", "croupier_key", "player_key"];
const NUMBERS = ["chain", "game_id", "bet", "level", "chip_cost", "expiry"];
const COMMITMENTS = [
  "croupier_commitment_0",
  "croupier_commitment_1",
  "player_commitment_0",
  "player_commitment_1",
];

export function keccak(...parts: Uint8Array[]): Uint8Array {
  return keccak_256(join(parts));
}

export function word(value: bigint | number): Uint8Array {
  return bigEndian(BigInt(value), 32);
}

/** A tag stands for the keccak of its text. */
export function tag(text: string): Uint8Array {
  return keccak(fromText(text));
}

/** The EIP-55 spelling of an address of 40 lower-case hex digits. */
export function spelled(address: string): string {
  const hash = toHex(keccak(fromText(address)));
  return "0x" + [...address].map((digit, i) => hash[i] >= "8" ? digit.toUpperCase() : digit).join("");
}

export function isAddress(value: Json | undefined): value is string {
  return typeof value === "string" && /^0x[0-9a-fA-F]{40}$/.test(value) &&
    spelled(value.slice(2).toLowerCase()) === value;
}

/** Who signed this? The address in EIP-55 spelling, or null. */
function signer(hash: Uint8Array, r: Uint8Array, s: Uint8Array, v: number): string | null {
  const [rr, ss] = [toNumber(r), toNumber(s)];
  if ((v !== 27 && v !== 28) || rr < 1n || rr >= ORDER || ss < 1n || ss > ORDER / 2n) return null;
  const { Signature } = theCurve();
  try {
    const key = new Signature(rr, ss, v - 27).recoverPublicKey(hash).toBytes(false);
    return spelled(toHex(keccak(key.slice(1)).slice(12)));
  } catch {
    return null;
  }
}

/** Where signatures count: one Bank on one chain. */
export function separatorOf(chain: bigint, bank: string): Uint8Array {
  return keccak(tag(DOMAIN_TYPE), tag("Fairground Bank"), tag("1"), word(chain), word(BigInt(bank)));
}

/** Who signed a message for that Bank? The address in EIP-55 spelling, or null. */
export function signerOf(separator: Uint8Array, structHash: Uint8Array, signature: Json | undefined): string | null {
  if (!isSignature(signature)) return null;
  const bytes = fromHex(signature);
  const hash = keccak(new Uint8Array([0x19, 1]), separator, structHash);
  return signer(hash, bytes.slice(0, 32), bytes.slice(32, 64), bytes[64]);
}

interface Told {
  nonce: Uint8Array;
  r: Uint8Array;
  s: Uint8Array;
  v: number;
}

function readSeed(text: string): Told {
  const bytes = fromHex(text);
  return { nonce: bytes.slice(0, 32), r: bytes.slice(32, 64), s: bytes.slice(64, 96), v: bytes[96] };
}

const isSeed = (value: Json | undefined): value is string => typeof value === "string" && /^[0-9a-f]{194}$/.test(value);
export const isSignature = (value: Json | undefined): value is string =>
  typeof value === "string" && /^[0-9a-f]{130}$/.test(value);

/** The signed bet, and what follows from it. */
export class Bet {
  readonly hash: Uint8Array;
  readonly separator: Uint8Array;
  private readonly open: JsonObject;

  constructor(open: JsonObject, private readonly show?: Show) {
    this.open = open;
    s.params(hasJust(open, [...ADDRESSES, ...NUMBERS, ...COMMITMENTS, "signature"]), "not the members of a bet");
    s.params(ADDRESSES.every((name) => isAddress(open[name])), "an address is not in its spelling");
    for (const name of NUMBERS) {
      const number = readInt(open[name]);
      const most = name === "bet" || name === "level" ? 2n ** 8n : 2n ** 256n;
      s.params(number !== null && number >= 0n && number < most, `${name} is out of range`);
    }
    s.params(COMMITMENTS.every((name) => isHex(open[name])), "a commitment is 64 hex digits");
    s.params(new Set(COMMITMENTS.map((name) => open[name])).size === 4, "equal commitments");
    s.params(open.croupier !== open.player && open.croupier_key !== open.player_key, "one party only");
    s.params(isSignature(open.signature), "the signature is 130 hex digits");
    this.separator = separatorOf(readInt(open.chain) as bigint, open.bank as string);
    this.hash = keccak(
      tag(BET_TYPE),
      ...["croupier", "player", "croupier_key", "player_key"].map((name) => this.address(name)),
      ...["game_id", "bet", "level", "chip_cost"].map((name) => this.number(name)),
      ...COMMITMENTS.map((name) => fromHex(open[name] as string)),
      this.number("expiry"),
    );
    s.params(this.isSigned(this.hash, open.signature, "player_key"), "the bet is not signed by the Player's key");
  }

  private address(name: string): Uint8Array {
    return word(BigInt(this.open[name] as string));
  }

  private number(name: string): Uint8Array {
    return word(readInt(this.open[name]) as bigint);
  }

  private message(structHash: Uint8Array): Uint8Array {
    return keccak(new Uint8Array([0x19, 1]), this.separator, structHash);
  }

  private isSigned(structHash: Uint8Array, signature: Json, key: string): boolean {
    return signerOf(this.separator, structHash, signature) === this.open[key];
  }

  orderHash(order: readonly number[]): Uint8Array {
    return keccak(
      tag(ORDER_TYPE),
      this.address("croupier"),
      this.address("player"),
      this.number("game_id"),
      this.hash,
      keccak(...order.map(word)),
    );
  }

  isOrderSigned(order: readonly number[], signature: Json): boolean {
    return this.isSigned(this.orderHash(order), signature, "player_key");
  }

  /** Is this the seed that the party bound itself to? */
  isGoodSeed(value: Json | undefined, party: "croupier" | "player", id: number): boolean {
    if (!isSeed(value)) return false;
    const told = readSeed(value);
    const commitment = this.shown("fairground/croupier-commitment/1", [
      ["v", word(told.v)],
      ["r", told.r],
      ["s", told.s],
    ]);
    if (toHex(commitment) !== this.open[`${party}_commitment_${id}`]) return false;
    const structHash = keccak(
      tag(SEED_TYPE),
      this.address("croupier"),
      this.address("player"),
      word(party === "croupier" ? 1 : 0),
      this.number("game_id"),
      word(id),
      told.nonce,
    );
    return signer(this.message(structHash), told.r, told.s, told.v) === this.open[`${party}_key`];
  }

  private value(seed: string): Uint8Array {
    const { r, s, v } = readSeed(seed);
    return keccak(tag("fairground/croupier-seed/1"), word(v), r, s);
  }

  gameSeed(id: number, croupier: string, player: string): Uint8Array {
    return this.shown("fairground/croupier-mix/1", [
      ["bet", this.hash],
      ["seed number", word(id)],
      ["value of the Croupier's seed", this.value(croupier)],
      ["value of the Player's seed", this.value(player)],
    ]);
  }

  /** The keccak of a tag and words of 32 bytes. */
  private shown(text: string, parts: readonly Named[]): Uint8Array {
    const out = keccak(tag(text), ...parts.map(([, part]) => part as Uint8Array));
    this.show?.({
      kind: "digest",
      how: "keccak-256",
      parts: [["tag, as its own hash", text], ...parts],
      gives: toHex(out),
    });
    return out;
  }
}

const GENERATE = tag("fairground/croupier-generate/1");

/** All draws that follow from a game's seed. */
export function chanceOf(seed: Uint8Array, show?: Show): Chance {
  return {
    below: (n) => {
      const all = 2n ** 32n;
      for (;;) {
        seed = keccak(GENERATE, seed);
        const x = toNumber(seed.slice(28));
        if (x >= all - (all % n)) continue;
        show?.({ kind: "draw", n, bytes: toHex(seed.slice(28)), value: x % n });
        return x % n;
      }
    },
  };
}

export class Croupier implements s.Scheme {
  readonly single = false;
  readonly bet: Bet;
  private readonly lender: number[];
  private readonly show?: Show;

  constructor(setting: s.Setting) {
    this.show = setting.show;
    s.lendOnly(setting.seats, "seed");
    this.lender = s.lenders(setting.seats, "seed");
    s.params(this.lender.join() === "1", "seat 1 lends seeds, and no other");
    this.bet = new Bet(setting.open, setting.show);
  }

  ticket(run: s.Run): void {
    const { seed } = s.members(run.ticket, ["seed"]);
    s.evidence(run.number <= 2 && !run.hidden, "there are two runs, and nothing is hidden");
    s.evidence(this.bet.isGoodSeed(seed, "croupier", run.number - 1), "not the seed of the Croupier");
  }

  asks(run: s.Run, here: (seat: number) => boolean): s.Ask[] {
    return s.missing(run, this.lender, "seed", here);
  }

  share(run: s.Run, _seat: number, _kind: string, value: Json): void {
    s.shares(this.bet.isGoodSeed(value, "player", run.number - 1), "not the seed of the Player");
  }

  needs(): number | null {
    return null;
  }

  deal(run: s.Run, evidence: Json): Chance {
    s.members(evidence, []);
    const given = run.shares.find((share) => share.kind === "seed");
    s.evidence(given !== undefined, "the Player's seed is missing");
    return chanceOf(this.bet.gameSeed(run.number - 1, run.ticket.seed as string, given.value as string), this.show);
  }

  due(): s.Due[] {
    return [];
  }

  undealt(): void {}

  isUnsigned({ lines, seats, decisions }: Story, remarks: string[]): boolean {
    const start = lines[0].event;
    const { params, public: open } = start;
    const same = isObject(params) && isObject(open) && params.bet === open.bet && params.level === open.level;
    if (start.game !== "bank-poker/1" || !same) throw new Fault("bank/other-bet", "not the game of the bet", 1);
    if (seats.some((seat) => seat.by === "house" && seat.lends === "seed")) {
      remarks.push(
        "one program made the seeds of both parties, so the cards prove nothing to the person in front of it",
      );
    }
    if (start.table !== toHex(this.bet.hash)) remarks.push("line 1: the table does not bear the name of its bet");
    const order = decisions.find(({ kind }) => kind === "move");
    if (!order) return false;
    const note = lines[order.line - 2].event;
    if (note.kind !== "note" || !isObject(note.body) || !hasJust(note.body, ["order_signature"])) {
      remarks.push(`line ${order.line}: the order is not signed here`);
      return true;
    }
    const move = lines[order.line - 1].event.move as number[];
    if (!this.bet.isOrderSigned(move, note.body.order_signature)) {
      throw new Fault("bank/other-order", "the Player did not sign this order", order.line - 1);
    }
    return false;
  }
}
