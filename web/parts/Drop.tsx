/** A place to drop a transcript, with receipts beside it if there are any. Nothing leaves the browser. */
import { signal } from "@preact/signals";
import { useRef, useState } from "preact/hooks";
import { fromText } from "../check/bytes.ts";
import { go } from "../pages/route.ts";
import { w } from "../words.ts";

/** What was dropped last. */
export const dropped = signal<{ name: string; bytes: Uint8Array; receipts: Uint8Array | null } | null>(null);

/** Why the last one could not be taken. */
const trouble = signal("");

let takes = 0;

export async function takeFiles(files: FileList | null | undefined): Promise<void> {
  const all = [...files ?? []];
  if (!all.length) return;
  const take = ++takes;
  const record = all.find(({ name }) => !name.endsWith(".receipts"));
  const receipts = all.find(({ name }) => name.endsWith(".receipts"));
  trouble.value = record ? "" : w.drop.onlyReceipts;
  if (!record) return;
  try {
    const bytes = new Uint8Array(await record.arrayBuffer());
    const kept = receipts ? new Uint8Array(await receipts.arrayBuffer()) : null;
    if (take !== takes) return; // another file was dropped meanwhile
    dropped.value = { name: record.name, bytes, receipts: kept };
  } catch {
    if (take === takes) trouble.value = w.drop.unreadable(record.name);
    return;
  }
  go("#/verify");
}

async function takeSample(): Promise<void> {
  const take = ++takes;
  const { sample: { record, receipts } } = await import("../verify/sample.ts");
  if (take !== takes) return;
  trouble.value = "";
  dropped.value = { name: "example.jsonl", bytes: fromText(record), receipts: fromText(receipts) };
  go("#/verify");
}

export function Drop() {
  const input = useRef<HTMLInputElement>(null);
  const [over, setOver] = useState(false);
  return (
    <div
      class={over ? "zone over" : "zone"}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        void takeFiles(event.dataTransfer?.files);
      }}
    >
      <strong>{w.drop.here}</strong>
      <span class="mute small">{w.drop.from}</span>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        onChange={(event) => {
          void takeFiles(event.currentTarget.files);
          event.currentTarget.value = ""; // the same file may be chosen again
        }}
      />
      <div class="acts">
        <button type="button" class="btn" onClick={() => input.current?.click()}>{w.drop.choose}</button>
        <button type="button" class="btn quiet" onClick={() => void takeSample()}>{w.drop.example}</button>
      </div>
      {trouble.value && <p class="notice bad" role="alert">{trouble.value}</p>}
    </div>
  );
}
