/** A page for an address behind which there is nothing, with a way out. */
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { w } from "../words.ts";

export function Nothing({ words, children }: { words: string; children?: ComponentChildren }) {
  useEffect(() => {
    document.title = `${words} · ${w.name}`;
  }, [words]);
  return (
    <main id="main" class="wrap narrow" tabIndex={-1}>
      <h1>{words}</h1>
      {children}
      <p>
        <a class="btn" href="#/">{w.toLobby}</a>
      </p>
    </main>
  );
}
