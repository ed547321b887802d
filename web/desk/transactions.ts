/** Transactions of a chain (EIP-1559), and calls of a contract whose values all have a fixed size. */
import { fromHex, fromText, join, toHex } from "../check/bytes.ts";
import { keccak, type Signer, type Word, word } from "./messages.ts";

export const BET =
  "(address,address,address,address,uint256,uint8,uint8,uint256,bytes32,bytes32,bytes32,bytes32,uint256)";
export const SIGNATURE = "(uint8,bytes32,bytes32)";

export const hex = (bytes: Uint8Array) => "0x" + toHex(bytes);
export const quantity = (value: bigint | number) => "0x" + BigInt(value).toString(16);

/** The first bytes of the hash of a name with its types: of a function, an error or an event. */
export const selector = (signature: string) => toHex(keccak(fromText(signature)));

/** The bytes of a call: its selector, and each value in 32 bytes. */
export function callData(signature: string, values: readonly Word[]): string {
  return "0x" + selector(signature).slice(0, 8) + toHex(join(values.map(word)));
}

/** A signature of 130 hex digits as the contract takes it: v, r, s. */
export function signatureWords(signature: string): Word[] {
  const bytes = fromHex(signature);
  return [bytes[64], bytes.slice(0, 32), bytes.slice(32, 64)];
}

/** The 32-byte pieces of an answer. */
export function wordsOf(data: string): string[] {
  return data.slice(2).match(/.{64}/g) ?? [];
}

type Item = Uint8Array | Item[];

/** RLP, the encoding of transactions. */
function rlp(item: Item): Uint8Array {
  if (item instanceof Uint8Array && item.length === 1 && item[0] < 0x80) return item;
  const isList = Array.isArray(item);
  const body = isList ? join(item.map(rlp)) : item;
  const start = isList ? 0xc0 : 0x80;
  if (body.length < 56) return join([new Uint8Array([start + body.length]), body]);
  const size = minimal(BigInt(body.length));
  return join([new Uint8Array([start + 55 + size.length]), size, body]);
}

/** An integer in as few bytes as it needs. */
function minimal(value: bigint): Uint8Array {
  const digits = value ? value.toString(16) : "";
  return fromHex(digits.padStart(digits.length + digits.length % 2, "0"));
}

export interface Draft {
  chain: number;
  nonce: number;
  tip: bigint;
  /** What a unit of gas may cost at most. */
  most: bigint;
  gas: bigint;
  to: string;
  value: bigint;
  data: string;
}

/** A signed transaction: its bytes, and the hash that it is found by. */
export function signedTransaction(signer: Signer, draft: Draft): { raw: string; hash: string } {
  const { chain, nonce, tip, most, gas, to, value, data } = draft;
  const fields: Item[] = [
    ...[BigInt(chain), BigInt(nonce), tip, most, gas].map(minimal),
    fromHex(to.slice(2)),
    minimal(value),
    fromHex(data.slice(2)),
    [],
  ];
  const typed = (items: Item[]) => join([new Uint8Array([2]), rlp(items)]);
  const { recovery, rs } = signer.signed(keccak(typed(fields)));
  const number = (bytes: Uint8Array) => minimal(BigInt(hex(bytes)));
  const raw = typed([...fields, minimal(BigInt(recovery)), number(rs.slice(0, 32)), number(rs.slice(32))]);
  return { raw: hex(raw), hash: hex(keccak(raw)) };
}
