/** The one live region: what a screen reader hears of what happens. */
import { signal } from "@preact/signals";

const said = signal("");

/** Says a sentence. The same sentence twice is heard twice. */
export function say(text: string): void {
  said.value = said.value === text ? text + "\u00a0" : text;
}

export function Say() {
  return <p class="sr" role="status" aria-live="polite" id="say">{said.value}</p>;
}
