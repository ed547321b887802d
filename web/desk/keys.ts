/**
 * The Player's key: made here, kept here, encrypted, and known to nobody else.
 *
 * In IndexedDB it lies under a key of the browser that no script can read out. A file that leaves this browser
 * is encrypted under a passphrase.
 */
import { fromHex, fromText, toHex } from "../check/bytes.ts";
import { loadCurve, theCurve } from "../check/curve.ts";
import { keepRaw, keepThing, raw, thing } from "../arena/secrets.ts";
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

/** This browser's key; a fresh one if there is none. */
export async function ownKey(): Promise<Uint8Array> {
  await loadCurve();
  const kept = await thing("player-key") as unknown as Locked | undefined;
  if (kept) return unlock(await browserKey(), kept);
  let secret = randomBytes(32);
  while (!theCurve().utils.isValidSecretKey(secret)) secret = randomBytes(32);
  await store(secret);
  return secret;
}

async function store(secret: Uint8Array): Promise<void> {
  await keepThing("player-key", await lock(await browserKey(), secret) as unknown as { [name: string]: string });
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
  return JSON.stringify(file, null, 2) + "\n";
}

/** Takes a key from a file instead of the one that is here. False: the file or the passphrase is wrong. */
export async function imported(text: string, passphrase: string): Promise<boolean> {
  try {
    await loadCurve();
    const file = JSON.parse(text) as KeyFile;
    if (file.format !== FORMAT || file.iterations > 10 * ITERATIONS) return false;
    const key = await passphraseKey(passphrase, fromHex(file.salt), file.iterations);
    const secret = await unlock(key, file);
    if (addressOf(secret) !== file.address) return false;
    await store(secret);
    return true;
  } catch {
    return false;
  }
}
