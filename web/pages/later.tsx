/** A page, or a part of one, that is loaded when it is wanted. */
import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { w } from "../words.ts";

/** Milliseconds until it is tried again. */
const PATIENCE = 1500;

export function later<P extends object>(load: () => Promise<ComponentType<P>>): ComponentType<P> {
  let loaded: ComponentType<P> | null = null;
  return function Later(props: P) {
    const [, again] = useState(0);
    const [failed, setFailed] = useState(false);
    useEffect(() => {
      let here = true;
      const attempt = () =>
        load().then((page) => {
          loaded = page;
          again((count) => count + 1);
        }, () => {
          setFailed(true);
          setTimeout(() => here && attempt(), PATIENCE);
        });
      if (!loaded) void attempt();
      return () => void (here = false);
    }, []);
    const Page = loaded;
    if (Page) return <Page {...props} />;
    return <p class="wrap mute">{failed ? w.lost : w.working}</p>;
  };
}
