/** What the page looks at. */
import { signal } from "@preact/signals";
import { fromText } from "../check/bytes.ts";
import { type File, fileOf } from "./files.ts";
import type { Forgery } from "./forge.ts";
import { sample } from "./sample.ts";
import { outside, page } from "./words.ts";

export const files = signal<readonly File[]>([]);
/** Which of the games is looked at. */
export const chosen = signal(0);
/** Receipts that were typed in. */
export const typed = signal<readonly string[]>([]);
export const forgery = signal<Forgery | null>(null);
export const trouble = signal("");
/** Files are being read. */
export const busy = signal(false);

/** Lines that are checked so far, of a record that takes its time. */
export const lines = signal(0);

function look(found: readonly File[]): void {
  files.value = found;
  chosen.value = 0;
  typed.value = [];
  forgery.value = null;
}

export function lookAtSample(): void {
  look([
    fileOf(page.sampleName, fromText(sample.record)),
    fileOf(page.sampleReceipts, fromText(sample.receipts)),
  ]);
}

/** Games that come alone replace what was there. Receipts that come alone join it. */
export async function take(list: FileList | null | undefined): Promise<void> {
  const given = [...list ?? []]; // a list that was dropped is gone after the first pause
  const read: File[] = [];
  trouble.value = "";
  busy.value = true;
  await new Promise((painted) => setTimeout(painted)); // so that it can be seen before the work begins
  for (const file of given) {
    try {
      read.push(fileOf(file.name, new Uint8Array(await file.arrayBuffer())));
    } catch {
      trouble.value = page.unreadableFile(outside(file.name));
    }
  }
  busy.value = false;
  if (!read.length) return;
  if (read.every(({ kind }) => kind === "receipts")) files.value = [...files.value, ...read];
  else look(read);
}
