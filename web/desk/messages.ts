/** What the Player signs: EIP-712 messages for one Bank. The checker in `check/` reads them with code of its own. */
import { keccak_256 } from "@noble/hashes/sha3.js";
import { bigEndian, fromHex, fromText, join, toHex } from "../check/bytes.ts";
import { write } from "../check/canonical.ts";
import { theCurve } from "../check/curve.ts";
import type { Json } from "../check/json.ts";
import { spelled } from "../check/schemes/croupier.ts";

const DOMAIN = "EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)";
const TYPES = {
  key: "PublicKey(address owner,address key)",
  bet:
    "Bet(address croupier,address player,address croupierKey,address playerKey,uint256 gameId,uint8 bet,uint8 level," +
    "uint256 chipCost,bytes32 croupierCommitment0,bytes32 croupierCommitment1,bytes32 playerCommitment0," +
    "bytes32 playerCommitment1,uint256 expiry)",
  seed: "Seed(address croupier,address player,uint8 role,uint256 gameId,uint8 seedId,bytes32 nonce)",
  order: "ReplacementOrder(address croupier,address player,uint256 gameId,bytes32 betHash,uint8[5] replacementOrder)",
  call: "LedgerCall(address sender,uint256 number,bytes32 call)",
};

export const keccak = (...parts: Uint8Array[]) => keccak_256(join(parts));
const tag = (text: string) => keccak(fromText(text));

/** A value in 32 bytes: a number, an address behind 0x, or 32 bytes as they are. */
export type Word = bigint | number | string | Uint8Array;
export function word(value: Word): Uint8Array {
  return value instanceof Uint8Array ? value : bigEndian(BigInt(value), 32);
}

/** A bet, field by field as it is signed. Numbers are as the arena writes them. */
export interface BetFields {
  croupier: string;
  player: string;
  croupier_key: string;
  player_key: string;
  game_id: number | string;
  bet: number;
  level: number;
  chip_cost: number | string;
  croupier_commitment_0: string;
  croupier_commitment_1: string;
  player_commitment_0: string;
  player_commitment_1: string;
  expiry: number | string;
}

/** The address of a key, in its spelling. */
export function addressOf(secret: Uint8Array): string {
  const point = theCurve().getPublicKey(secret, false);
  return spelled(toHex(keccak(point.slice(1)).slice(12)));
}

/** Under which key the Bank keeps a game. */
export function gameKey({ croupier, player, game_id: number }: BetFields): string {
  return toHex(keccak(word(croupier), word(player), word(BigInt(number))));
}

/** The fields of a bet in their order, each in 32 bytes. */
export function betWords(bet: BetFields): Uint8Array[] {
  const commitments = [
    bet.croupier_commitment_0,
    bet.croupier_commitment_1,
    bet.player_commitment_0,
    bet.player_commitment_1,
  ];
  return [
    ...[bet.croupier, bet.player, bet.croupier_key, bet.player_key].map(word),
    ...[bet.game_id, bet.bet, bet.level, bet.chip_cost].map((number) => word(BigInt(number))),
    ...commitments.map(fromHex),
    word(BigInt(bet.expiry)),
  ];
}

export const betHash = (bet: BetFields): Uint8Array => keccak(tag(TYPES.bet), ...betWords(bet));

/** Signs for one Bank on one chain, with one key. Signatures are r, s and v as 130 hex digits. */
export class Signer {
  readonly address: string;
  private readonly separator: Uint8Array;

  constructor(private readonly secret: Uint8Array, chain: number | string, bank: string) {
    this.address = addressOf(secret);
    this.separator = keccak(tag(DOMAIN), tag("Fairground Bank"), tag("1"), word(BigInt(chain)), word(bank));
  }

  private sign(structHash: Uint8Array): string {
    const { recovery, rs } = this.signed(keccak(new Uint8Array([0x19, 1]), this.separator, structHash));
    return toHex(new Uint8Array([...rs, 27 + recovery]));
  }

  /** The signature of a digest: r and s, and which of two points it is. */
  signed(digest: Uint8Array): { recovery: number; rs: Uint8Array } {
    const bytes = theCurve().sign(digest, this.secret, { prehash: false, format: "recovered" });
    return { recovery: bytes[0], rs: bytes.slice(1) };
  }

  bet(bet: BetFields): string {
    return this.sign(betHash(bet));
  }

  /** The proof that this account owns this key. */
  key(): string {
    return this.sign(keccak(tag(TYPES.key), word(this.address), word(this.address)));
  }

  order(bet: BetFields, order: readonly number[]): string {
    const { croupier, player, game_id: number } = bet;
    const cards = keccak(...order.map(word));
    return this.sign(
      keccak(tag(TYPES.order), word(croupier), word(player), word(BigInt(number)), betHash(bet), cards),
    );
  }

  /** A fresh seed: a nonce that nobody knows, and the signature of it. */
  seed(croupier: string, gameId: number | string, seedId: number): { seed: string; commitment: string } {
    const nonce = crypto.getRandomValues(new Uint8Array(32));
    const signature = this.sign(
      keccak(tag(TYPES.seed), word(croupier), word(this.address), word(0), word(BigInt(gameId)), word(seedId), nonce),
    );
    const bytes = fromHex(signature);
    const commitment = keccak(
      tag("fairground/croupier-commitment/1"),
      word(bytes[64]),
      bytes.slice(0, 32),
      bytes.slice(32, 64),
    );
    return { seed: toHex(nonce) + signature, commitment: toHex(commitment) };
  }

  /** A call to a Bank in a ledger, in its envelope. The number makes it count once. */
  envelope(number: number | string, call: { [name: string]: Json }): { [name: string]: Json } {
    const hash = keccak(fromText(write(call)));
    const signature = this.sign(keccak(tag(TYPES.call), word(this.address), word(BigInt(number)), hash));
    return { sender: this.address, number, call, signature };
  }
}
