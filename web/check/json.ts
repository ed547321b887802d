/** JSON values as a record holds them. Objects have no prototype, so that no key is special. */
export type Json = null | boolean | number | string | Json[] | JsonObject;
export interface JsonObject {
  [key: string]: Json;
}

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function object(members: { [key: string]: Json }): JsonObject {
  return Object.assign(Object.create(null), members);
}

/** True if the object has just these members. */
export function hasJust(value: JsonObject, names: readonly string[]): boolean {
  return Object.keys(value).length === names.length && names.every((name) => name in value);
}

/** The number of levels that arrays and objects may nest. */
const DEEPEST = 32;

/** Reads JSON that need not be canonical; throws for deep nesting, too. */
export function plainJson(text: string): unknown {
  let depth = 0;
  for (const [sign] of text.replace(/"(?:[^"\\]|\\.)*"/gs, "").matchAll(/[[{}\]]/g)) {
    depth += sign === "[" || sign === "{" ? 1 : -1;
    if (depth > DEEPEST) throw new SyntaxError("nested too deep");
  }
  return JSON.parse(text);
}

/** A JSON number that is an integer. `true` is never one. */
export function isInteger(value: Json | undefined): value is number {
  return typeof value === "number";
}

export function isBetween(value: Json | undefined, least: number, most: number): value is number {
  return isInteger(value) && value >= least && value <= most;
}

const SAFE = BigInt(Number.MAX_SAFE_INTEGER);

/** Reads an `int` of the format: a number, or decimal text if it is beyond 2^53−1. */
export function readInt(value: Json | undefined): bigint | null {
  if (typeof value === "number") return BigInt(value);
  if (typeof value !== "string" || value.length > 4000 || !/^-?[1-9][0-9]*$/.test(value)) return null;
  const number = BigInt(value);
  return number > SAFE || number < -SAFE ? number : null;
}

/** Writes an `int` of the format. */
export function writeInt(value: bigint): Json {
  return value > SAFE || value < -SAFE ? value.toString() : Number(value);
}

/** How many code points a text has. */
export function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

const HEX = /^[0-9a-f]{64}$/;
export function isHex(value: Json | undefined): value is string {
  return typeof value === "string" && HEX.test(value);
}
