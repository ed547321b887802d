/**
 * What this browser keeps of its games, in IndexedDB: secrets, answers and receipts.
 *
 * An answer is kept before it is sent. So whatever happens in between, the same answer is sent again, and never
 * another one.
 */
import { toHex } from "../check/bytes.ts";
import type { Json } from "../check/json.ts";

/** The head of an ask, kept before it was answered. */
export interface Receipt {
  table: string;
  seat: number;
  /** The number of the line whose hash it is. */
  step: number;
  head: string;
}

/** An answer that was given, or is about to be. */
export interface Answer {
  head: string;
  answer: Json;
  /** Behind a seal: its key, and the move. */
  key?: string;
  move?: Json;
}

/** A seat of ours. */
export interface Kept {
  id: string;
  secret: string;
  game: string;
  title: string;
  name: string;
  others: string[];
  /** Where all links of our chains come from: 32 bytes of this browser's own randomness. */
  root: string;
  answers: { [ask: string]: Answer };
  receipts: Receipt[];
  opened: number;
  lines: number;
  /** What is to be told of it in the lobby. */
  state: "yours" | "theirs" | "over";
  verdict?: "valid" | "invalid" | "unfinished" | "cannot be judged";
  result?: string;
}

/** So many fresh random bytes, in hex. */
export function random(count = 32): string {
  return toHex(crypto.getRandomValues(new Uint8Array(count)));
}

let opened: Promise<IDBDatabase> | null = null;

function database(): Promise<IDBDatabase> {
  opened ??= new Promise((resolve, reject) => {
    const request = indexedDB.open("fairground", 1);
    request.onupgradeneeded = () => {
      request.result.createObjectStore("seats", { keyPath: "id" });
      request.result.createObjectStore("things");
    };
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
  return opened;
}

async function within<T>(
  store: string,
  mode: IDBTransactionMode,
  work: (store: IDBObjectStore) => IDBRequest<T> | void,
): Promise<T> {
  const transaction = (await database()).transaction(store, mode, { durability: "strict" });
  const request = work(transaction.objectStore(store));
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve(request ? request.result : undefined as T);
    transaction.onerror = () => reject(transaction.error);
    transaction.onabort = () => reject(transaction.error);
  });
}

const channel = new BroadcastChannel("fairground/kept");
const watchers = new Set<() => void>();
channel.onmessage = () => watchers.forEach((watcher) => watcher());

/** Calls back when something that is kept has changed, in this tab or in another. */
export function onChange(watcher: () => void): () => void {
  watchers.add(watcher);
  return () => watchers.delete(watcher);
}

function changed(): void {
  channel.postMessage(0);
  watchers.forEach((watcher) => watcher());
}

export async function keep(seat: Omit<Kept, "root" | "answers" | "receipts" | "opened" | "lines" | "state">) {
  const fresh = { answers: {}, receipts: [], opened: Date.now(), lines: 0, state: "theirs" as const };
  await within("seats", "readwrite", (store) => {
    const found = store.get(seat.id);
    found.onsuccess = () => found.result ?? store.put({ ...fresh, ...seat, root: random() });
  });
  changed();
}

export const kept = (id: string) => within<Kept | undefined>("seats", "readonly", (store) => store.get(id));
export const allKept = () => within<Kept[]>("seats", "readonly", (store) => store.getAll());

/** Changes what is kept of a seat, in one step, and returns it. */
export async function change(id: string, how: (seat: Kept) => void): Promise<Kept> {
  let seat: Kept | undefined;
  await within("seats", "readwrite", (store) => {
    const found = store.get(id);
    found.onsuccess = () => {
      seat = found.result as Kept | undefined;
      if (!seat) return;
      how(seat);
      store.put(seat);
    };
  });
  if (!seat) throw new Error("This browser keeps no secret for this seat.");
  changed();
  return seat;
}

export async function forget(id: string): Promise<void> {
  await within("seats", "readwrite", (store) => store.delete(id));
  changed();
}

/** Small things by name, such as one's own name. */
export const thing = (name: string) => within<Json | undefined>("things", "readonly", (store) => store.get(name));
export const keepThing = (name: string, value: Json) =>
  within("things", "readwrite", (store) => store.put(value, name)).then(changed);

/** Changes a thing in one step, whatever other tabs do meanwhile. */
export async function changeThing(name: string, how: (value: Json | undefined) => Json): Promise<void> {
  await within("things", "readwrite", (store) => {
    const found = store.get(name);
    found.onsuccess = () => store.put(how(found.result), name);
  });
  changed();
}

/** The same for what is no JSON: a key that no script can read. */
export const raw = (name: string) => within<unknown>("things", "readonly", (store) => store.get(name));
export const keepRaw = (name: string, value: unknown) =>
  within("things", "readwrite", (store) => store.put(value, name));
