/**
 * The Player's key: made here or taken from a file, and kept here, encrypted. No key is ever overwritten: another one
 * can be used instead, and the earlier ones stay.
 *
 * In IndexedDB it lies under a key of the browser that no script can read out. A file that leaves this browser
 * is encrypted under a passphrase.
 */
import { fromHex, fromText, toHex } from "../check/bytes.ts";
import { loadCurve, theCurve } from "../check/curve.ts";
import type { Json, JsonObject } from "../check/json.ts";
import { changeThing, keepRaw, keepThing, raw, thing } from "../arena/secrets.ts";
import { addressOf } from "./messages.ts";

const ITERATIONS = 600_000;
const FORMAT = "fairground-key/1";

interface Locked {
  iv: string;
  text: string;
}

interface KeyFile extends Locked {
  format: string;
  address: string;
  salt: string;
  iterations: number;
}

const randomBytes = (count: number) => crypto.getRandomValues(new Uint8Array(count));

async function lock(key: CryptoKey, secret: Uint8Array): Promise<Locked> {
  const iv = randomBytes(12);
  const text = await crypto.subtle.encrypt({ name: "AES-GCM", iv }, key, secret as BufferSource);
  return { iv: toHex(iv), text: toHex(new Uint8Array(text)) };
}

async function unlock(key: CryptoKey, { iv, text }: Locked): Promise<Uint8Array> {
  const way = { name: "AES-GCM", iv: fromHex(iv) as BufferSource };
  return new Uint8Array(await crypto.subtle.decrypt(way, key, fromHex(text) as BufferSource));
}

/** The browser's own key: scripts may use it, and cannot see it. */
async function browserKey(): Promise<CryptoKey> {
  const kept = await raw("key-of-this-browser") as CryptoKey | undefined;
  if (kept) return kept;
  const made = await crypto.subtle.generateKey({ name: "AES-GCM", length: 256 }, false, ["encrypt", "decrypt"]);
  await keepRaw("key-of-this-browser", made);
  return made;
}

async function passphraseKey(passphrase: string, salt: Uint8Array, iterations: number): Promise<CryptoKey> {
  const base = await crypto.subtle.importKey("raw", fromText(passphrase) as BufferSource, "PBKDF2", false, [
    "deriveKey",
  ]);
  const how = { name: "PBKDF2", hash: "SHA-256", salt: salt as BufferSource, iterations };
  return crypto.subtle.deriveKey(how, base, { name: "AES-GCM", length: 256 }, false, ["encrypt", "decrypt"]);
}

/** A key as it is kept: where it came from, and whether a file of it was saved here. */
interface Kept extends Locked {
  /** Keys of earlier versions do not say. */
  origin?: Origin;
  saved?: boolean;
}

export type Origin = "made" | "file";

const CURRENT = "player-key";
const OTHERS = "other-player-keys";

const current = async () => await thing(CURRENT) as unknown as Kept | undefined;
const others = async () => (await thing(OTHERS) ?? {}) as unknown as { [address: string]: Kept };
const keepCurrent = (kept: Kept) => keepThing(CURRENT, kept as unknown as Json);

/** This browser's key; a fresh one if there is none. */
export async function ownKey(): Promise<Uint8Array> {
  await loadCurve();
  const kept = await current();
  if (kept) return unlock(await browserKey(), kept);
  let secret = randomBytes(32);
  while (!theCurve().utils.isValidSecretKey(secret)) secret = randomBytes(32);
  await keepCurrent({ ...await lock(await browserKey(), secret), origin: "made" });
  return secret;
}

/** What is known of the key that is used: `null` where nothing says where it came from. */
export async function aboutKey(): Promise<{ origin: Origin | null; saved: boolean }> {
  const { origin = null, saved = false } = await current() ?? {};
  return { origin, saved };
}

/** The addresses of the keys that were used here before. None is ever thrown away. */
export const otherKeys = async () => Object.keys(await others());

/** Uses another key from now on, and puts the present one with the others first. */
async function replaceBy(key: Kept): Promise<void> {
  const address = addressOf(await ownKey()), before = await current();
  await changeThing(OTHERS, (kept) => ({ ...kept as JsonObject, [address]: before as unknown as Json }));
  await keepCurrent(key);
}

/** Uses one of the keys that were used here before. */
export async function useOther(address: string): Promise<void> {
  await replaceBy((await others())[address]);
}

/** Uses a key that came from a file. */
export async function useKey(secret: Uint8Array): Promise<void> {
  await replaceBy({ ...await lock(await browserKey(), secret), origin: "file", saved: true });
}

/** The key as a file, under a passphrase. */
export async function exported(passphrase: string): Promise<string> {
  const secret = await ownKey(), salt = randomBytes(16);
  const locked = await lock(await passphraseKey(passphrase, salt, ITERATIONS), secret);
  const file: KeyFile = {
    format: FORMAT,
    address: addressOf(secret),
    salt: toHex(salt),
    iterations: ITERATIONS,
    ...locked,
  };
  await keepCurrent({ ...await current() as Kept, saved: true });
  return JSON.stringify(file, null, 2) + "\n";
}

/** Opens a key file. Nothing is kept yet. `null`: the file or the passphrase is wrong. */
export async function opened(
  text: string,
  passphrase: string,
): Promise<{ secret: Uint8Array; address: string } | null> {
  try {
    await loadCurve();
    const file = JSON.parse(text) as KeyFile;
    if (file.format !== FORMAT || file.iterations > 10 * ITERATIONS) return null;
    const key = await passphraseKey(passphrase, fromHex(file.salt), file.iterations);
    const secret = await unlock(key, file);
    return addressOf(secret) === file.address ? { secret, address: file.address } : null;
  } catch {
    return null;
  }
}
