/**
 * Canonical JSON: one way only to write a value.
 * The reader takes nothing else, so a line that it takes is canonical.
 */
import type { Json, JsonObject } from "./json.ts";

export const DEPTH = 32;
const SHORT: { [sign: string]: string } = {
  '"': '\\"',
  "\\": "\\\\",
  "\b": "\\b",
  "\t": "\\t",
  "\n": "\\n",
  "\f": "\\f",
  "\r": "\\r",
};
const LONG: { [sign: string]: string } = { '"': '"', "\\": "\\", b: "\b", t: "\t", n: "\n", f: "\f", r: "\r" };

function writeText(text: string): string {
  let out = '"';
  for (const sign of text) {
    const code = sign.codePointAt(0) as number;
    out += SHORT[sign] ?? (code < 0x20 ? "\\u" + code.toString(16).padStart(4, "0") : sign);
  }
  return out + '"';
}

/** The canonical text of a value, without a line feed. */
export function write(value: Json): string {
  if (value === null || typeof value === "boolean" || typeof value === "number") return String(value);
  if (typeof value === "string") return writeText(value);
  if (Array.isArray(value)) return "[" + value.map(write).join(",") + "]";
  const keys = Object.keys(value).sort();
  return "{" + keys.map((key) => writeText(key) + ":" + write(value[key])).join(",") + "}";
}

class NotCanonical extends Error {}

class Reader {
  private at = 0;
  constructor(private readonly text: string) {}

  whole(): Json {
    const value = this.value(0);
    if (this.at !== this.text.length) throw new NotCanonical("more behind the value");
    return value;
  }

  private value(depth: number): Json {
    const sign = this.text[this.at];
    if (sign === "{") return this.object(depth + 1);
    if (sign === "[") return this.array(depth + 1);
    if (sign === '"') return this.string();
    if (this.word("true")) return true;
    if (this.word("false")) return false;
    if (this.word("null")) return null;
    return this.number();
  }

  private word(word: string): boolean {
    if (!this.text.startsWith(word, this.at)) return false;
    this.at += word.length;
    return true;
  }

  private take(sign: string): boolean {
    if (this.text[this.at] !== sign) return false;
    this.at++;
    return true;
  }

  private need(sign: string): void {
    if (!this.take(sign)) throw new NotCanonical(`no ${sign}`);
  }

  private object(depth: number): JsonObject {
    if (depth > DEPTH) throw new NotCanonical("too deep");
    const out: JsonObject = Object.create(null);
    this.need("{");
    if (this.take("}")) return out;
    let last: string | null = null;
    do {
      if (this.text[this.at] !== '"') throw new NotCanonical("no key");
      const key = this.string();
      // deno-lint-ignore no-control-regex
      if (!/^[\x00-\x7f]*$/.test(key)) throw new NotCanonical("a key that is not ASCII");
      if (last !== null && key <= last) throw new NotCanonical("keys are not sorted, or one is twice");
      last = key;
      this.need(":");
      out[key] = this.value(depth);
    } while (this.take(","));
    this.need("}");
    return out;
  }

  private array(depth: number): Json[] {
    if (depth > DEPTH) throw new NotCanonical("too deep");
    const out: Json[] = [];
    this.need("[");
    if (this.take("]")) return out;
    do out.push(this.value(depth)); while (this.take(","));
    this.need("]");
    return out;
  }

  private string(): string {
    this.need('"');
    let out = "";
    for (;;) {
      const sign = this.text[this.at++];
      if (sign === undefined) throw new NotCanonical("a text without an end");
      if (sign === '"') return out;
      if (sign < " ") throw new NotCanonical("a control sign that is not escaped");
      out += sign === "\\" ? this.escape() : sign;
    }
  }

  private escape(): string {
    const sign = this.text[this.at++];
    if (sign === undefined) throw new NotCanonical("half an escape");
    if (sign !== "u") {
      if (!Object.hasOwn(LONG, sign)) throw new NotCanonical("an escape that is not needed");
      return LONG[sign];
    }
    const digits = this.text.slice(this.at, this.at + 4);
    this.at += 4;
    if (!/^00[01][0-9a-f]$/.test(digits)) throw new NotCanonical("an escape that is not needed");
    const meant = String.fromCharCode(parseInt(digits, 16));
    if (Object.hasOwn(SHORT, meant)) throw new NotCanonical("an escape that has a shorter form");
    return meant;
  }

  private number(): number {
    const found = /^(?:0|-?[1-9][0-9]*)/.exec(this.text.slice(this.at, this.at + 20));
    if (!found) throw new NotCanonical("no value");
    this.at += found[0].length;
    if (/[0-9.eE]/.test(this.text[this.at] ?? "")) throw new NotCanonical("a number that is no plain integer");
    const number = Number(found[0]);
    if (!Number.isSafeInteger(number)) throw new NotCanonical("a number that is too large");
    return number;
  }
}

/** Reads canonical text, or gives null. */
export function read(text: string): { value: Json } | null {
  try {
    return { value: new Reader(text).whole() };
  } catch (error) {
    if (error instanceof NotCanonical) return null;
    throw error;
  }
}

/** Reads UTF-8 strictly, or gives null. A byte order mark is kept, and is then no JSON. */
export function utf8(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}
