/** Digests, numbers, and the streams that draws are read from. */
import { sha3_256 } from "@noble/hashes/sha3.js";

export type Part = string | number | bigint | Uint8Array;
/** The house, where a seat is wanted. */
export const HOUSE = 2n ** 64n - 1n;

export function fromHex(text: string): Uint8Array {
  const out = new Uint8Array(text.length / 2);
  for (let i = 0; i < out.length; i++) out[i] = parseInt(text.slice(2 * i, 2 * i + 2), 16);
  return out;
}

export function toHex(bytes: Uint8Array): string {
  let out = "";
  for (const byte of bytes) out += byte.toString(16).padStart(2, "0");
  return out;
}

export function fromText(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** An unsigned number, big-endian, in so many bytes. */
export function bigEndian(value: bigint, size: number): Uint8Array {
  const out = new Uint8Array(size);
  for (let i = size - 1; i >= 0; i--) {
    out[i] = Number(value & 255n);
    value >>= 8n;
  }
  return out;
}

export function toNumber(bytes: Uint8Array): bigint {
  return bytes.length ? BigInt("0x" + toHex(bytes)) : 0n;
}

export function join(parts: readonly Uint8Array[]): Uint8Array {
  const out = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}

function raw(part: Part): Uint8Array {
  if (typeof part === "string") return fromText(part);
  if (part instanceof Uint8Array) return part;
  return bigEndian(BigInt(part), 8);
}

/** The tag and the parts, each behind its length. */
export function frame(tag: string, parts: readonly Part[]): Uint8Array {
  return join([tag, ...parts].flatMap((part) => {
    const bytes = raw(part);
    return [bigEndian(BigInt(bytes.length), 4), bytes];
  }));
}

export function digest(tag: string, ...parts: Part[]): Uint8Array {
  return sha3_256(frame(tag, parts));
}

/** A part of a digest, and what it is called in docs/format.md. */
export type Named = readonly [name: string, part: Part];

/** A computation, for those who want to see it. */
export type Working =
  | { kind: "digest"; how: string; parts: readonly Named[]; gives: string }
  /** A number below n, out of bytes. */
  | { kind: "draw"; n: bigint; bytes: string; value: bigint }
  /** A number below n, out of a number of the house and one of a seat. */
  | { kind: "sum"; n: bigint; mine: bigint; yours: bigint; value: bigint };

/** Takes what was computed. Nothing depends on it. */
export type Show = (working: Working) => void;

/** The digest of parts that have names. */
export function namedDigest(tag: string, parts: readonly Named[], show?: Show): Uint8Array {
  const out = digest(tag, ...parts.map(([, part]) => part));
  show?.({ kind: "digest", how: "SHA3-256", parts: [["tag", tag], ...parts], gives: toHex(out) });
  return out;
}

/** Where draws come from. */
export interface Chance {
  below(n: bigint): bigint;
}

/** Numbers from a stream of bytes that comes in blocks. */
export class ByteStream implements Chance {
  private rest = new Uint8Array(0);
  private next = 0n;
  constructor(private readonly block: (index: bigint) => Uint8Array, private readonly show?: Show) {}

  take(count: number): Uint8Array {
    while (this.rest.length < count) this.rest = join([this.rest, this.block(this.next++)]) as Uint8Array<ArrayBuffer>;
    const out = this.rest.slice(0, count);
    this.rest = this.rest.slice(count);
    return out;
  }

  below(n: bigint): bigint {
    let size = 0;
    let all = 1n;
    while (all < n) {
      all <<= 8n;
      size++;
    }
    const limit = all - (all % n);
    for (;;) {
      const bytes = this.take(size);
      const x = toNumber(bytes);
      if (x >= limit) continue;
      this.show?.({ kind: "draw", n, bytes: toHex(bytes), value: x % n });
      return x % n;
    }
  }
}

/** The hash stream of a root of 32 bytes. */
export function hashStream(root: Uint8Array, show?: Show): ByteStream {
  const block = (index: bigint) => namedDigest("fairground/stream-block/1", [["root", root], ["block", index]], show);
  return new ByteStream(block, show);
}

/** 0 … n−1, shuffled by a stream. */
export function shuffle(n: number, chance: Chance): number[] {
  const out = Array.from({ length: n }, (_, i) => i);
  for (let i = n - 1; i > 0; i--) {
    const j = Number(chance.below(BigInt(i + 1)));
    [out[i], out[j]] = [out[j], out[i]];
  }
  return out;
}

function multiply(a: number, b: number): [number, number] {
  const product = BigInt(a) * BigInt(b);
  return [Number(product >> 32n), Number(product & 0xffffffffn)];
}

/** Philox4x32-10. */
export function philox(counter: readonly number[], key: readonly number[]): number[] {
  let [c0, c1, c2, c3] = counter;
  let [k0, k1] = key;
  for (let round = 0; round < 10; round++) {
    const [high0, low0] = multiply(0xd2511f53, c0);
    const [high1, low1] = multiply(0xcd9e8d57, c2);
    [c0, c1, c2, c3] = [(high1 ^ c1 ^ k0) >>> 0, low1, (high0 ^ c3 ^ k1) >>> 0, low0];
    k0 = (k0 + 0x9e3779b9) >>> 0;
    k1 = (k1 + 0xbb67ae85) >>> 0;
  }
  return [c0, c1, c2, c3];
}

/** The tape of a seed: one stream for a whole game. */
export function tape(seed: string, game: bigint): ByteStream {
  const first = digest("fairground/seeded-key/1", seed);
  const key = [Number(toNumber(first.slice(0, 4))), Number(toNumber(first.slice(4, 8)))];
  const low = Number(game & 0xffffffffn);
  const high = Number((game >> 32n) & 0xffffffffn);
  return new ByteStream((index) =>
    join(philox([Number(index & 0xffffffffn), low, high, 0], key).map((word) => bigEndian(BigInt(word), 4)))
  );
}
