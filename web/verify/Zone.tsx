/** Where files are dropped, and which are looked at. */
import { useEffect, useRef } from "preact/hooks";
import { busy, chosen, files, forgery, lookAtSample, take, typed } from "./state.ts";
import { outside, page } from "./words.ts";

export function Zone() {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const over = (event: DragEvent) => event.preventDefault();
    const drop = (event: DragEvent) => {
      event.preventDefault();
      void take(event.dataTransfer?.files);
    };
    addEventListener("dragover", over);
    addEventListener("drop", drop);
    return () => {
      removeEventListener("dragover", over);
      removeEventListener("drop", drop);
    };
  }, []);
  return (
    <div class={busy.value ? "zone busy" : "zone"}>
      <p>
        <strong>{page.drop}</strong>
        <br />
        <span class="small mute">{page.dropMore}</span>
      </p>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label={page.choose}
        onChange={({ currentTarget }) => {
          void take(currentTarget.files).then(() => currentTarget.value = "");
        }}
      />
      <button type="button" class="btn" onClick={() => input.current?.click()}>{page.choose}</button>
      <button type="button" class="btn quiet" onClick={lookAtSample}>{page.sample}</button>
    </div>
  );
}

/** What is looked at, and what may be taken away again. */
export function Files() {
  const games = files.value.filter(({ kind }) => kind !== "receipts");
  const receipts = files.value.filter(({ kind }) => kind === "receipts");
  return (
    <div class="files">
      <div class="choice" role="group" aria-label={page.games}>
        {games.map((file, i) => (
          <button
            type="button"
            class="chip"
            aria-pressed={i === chosen.value}
            key={i}
            onClick={() => {
              chosen.value = i;
              forgery.value = null;
            }}
          >
            {outside(file.name)}
          </button>
        ))}
      </div>
      {receipts.map((file) => (
        <Removable
          key={file.name}
          text={outside(file.name)}
          remove={() => files.value = files.value.filter((other) => other !== file)}
        />
      ))}
      {typed.value.map((head) => (
        <Removable
          key={head}
          text={page.receiptKept(outside(head))}
          remove={() => typed.value = typed.value.filter((other) => other !== head)}
        />
      ))}
      <form
        class="receipt"
        onSubmit={(event) => {
          event.preventDefault();
          const field = event.currentTarget.elements.namedItem("head") as HTMLInputElement;
          const head = field.value.trim();
          if (head && !typed.value.includes(head)) typed.value = [...typed.value, head];
          field.value = "";
        }}
      >
        <label class="small" for="head">{page.receiptLabel}</label>
        <input
          id="head"
          name="head"
          class="mono"
          autocomplete="off"
          spellcheck={false}
          placeholder={page.receiptHint}
        />
        <button type="submit" class="btn">{page.receiptAdd}</button>
      </form>
    </div>
  );
}

function Removable({ text, remove }: { text: string; remove: () => void }) {
  return (
    <span class="chip">
      {text}
      <button type="button" aria-label={page.remove(text)} onClick={remove}>×</button>
    </span>
  );
}
