/** A place to drop a transcript, with receipts beside it if there are any. Nothing leaves the browser. */
import { signal } from "@preact/signals";
import { useRef, useState } from "preact/hooks";
import { go } from "../pages/route.ts";
import { w } from "../words.ts";

/** What was dropped last. */
export const dropped = signal<{ name: string; bytes: Uint8Array; receipts: string } | null>(null);

export async function takeFiles(files: FileList | null | undefined): Promise<void> {
  const all = [...files ?? []];
  const record = all.find(({ name }) => !name.endsWith(".receipts"));
  if (!record) return;
  const receipts = all.find(({ name }) => name.endsWith(".receipts"));
  dropped.value = {
    name: record.name,
    bytes: new Uint8Array(await record.arrayBuffer()),
    receipts: receipts ? await receipts.text() : "",
  };
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
        class="sr"
        tabIndex={-1}
        aria-label={w.drop.choose}
        onChange={(event) => void takeFiles(event.currentTarget.files)}
      />
      <div class="acts">
        <button type="button" class="btn" onClick={() => input.current?.click()}>{w.drop.choose}</button>
      </div>
    </div>
  );
}
