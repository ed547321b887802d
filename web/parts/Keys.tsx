/** Keys: one table drives the handlers and the help. Tab is never a key of ours. */
import { signal } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { w } from "../words.ts";

export interface Key {
  /** As `KeyboardEvent.key` has it. */
  key: string;
  /** What it is called in the help; the key itself by default. */
  shown?: string;
  does: string;
  run: () => void;
}

const tables = signal<readonly (readonly Key[])[]>([]);
export const helpOpen = signal(false);

/** Adds keys while a part is there. Later parts come first. */
export function useKeys(keys: readonly Key[]): void {
  const now = useRef(keys);
  now.current = keys;
  const names = keys.map(({ key, does }) => key + does).join("\n");
  // With the part itself, not after it was painted: whoever is quick must not lose a key.
  useLayoutEffect(() => {
    const table = keys.map((key, i) => ({ ...key, run: () => now.current[i]?.run() }));
    tables.value = [table, ...tables.value];
    return () => void (tables.value = tables.value.filter((other) => other !== table));
  }, [names]);
}

const WRITES = "input:not([type=radio]):not([type=checkbox]), select, textarea, [contenteditable]";

addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
  const target = event.target as Element | null;
  if (target?.closest?.(WRITES)) return;
  // What a focused control does by itself stays its own.
  if (event.key.startsWith("Arrow") && target?.closest?.("input[type=radio]")) return;
  if ((event.key === "Enter" || event.key === " ") && target?.closest?.("a, button, summary")) return;
  if (helpOpen.value || document.querySelector("dialog[open]")) return;
  const found = tables.value.flat().find(({ key }) => key.toLowerCase() === event.key.toLowerCase());
  if (!found) return;
  event.preventDefault();
  // Who chooses by a digit means this choice by the Enter that follows, and not a button that was pressed before.
  if (/^\d$/.test(event.key) && target?.closest?.("a, button, summary")) (target as HTMLElement).blur();
  found.run();
});

/** The help that `?` opens. */
export function KeyHelp() {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (helpOpen.value && !dialog.current?.open) dialog.current?.showModal();
    if (!helpOpen.value && dialog.current?.open) dialog.current.close();
  }, [helpOpen.value]);
  const rows = tables.value.flat();
  return (
    <dialog ref={dialog} class="sheet" aria-labelledby="keys-title" onClose={() => helpOpen.value = false}>
      <h2 id="keys-title">{w.keys.title}</h2>
      <dl class="keys">
        {rows.map(({ key, shown, does }) => (
          <div key={key}>
            <dt>
              <kbd>{shown ?? key.toUpperCase()}</kbd>
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <form method="dialog">
        <button type="submit" class="btn go">{w.close}</button>
      </form>
    </dialog>
  );
}
