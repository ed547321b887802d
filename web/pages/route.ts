/** Where we are: in the fragment, so that a seat's secret never reaches a log, a referrer or a proxy. */
import { signal } from "@preact/signals";

export interface Route {
  page: string;
  parts: string[];
  /** A moment of a record: `@12`. */
  at: number | null;
}

function read(): Route {
  const [, hash = ""] = location.hash.match(/^#\/?(.*)$/) ?? [];
  const [, path, at] = hash.match(/^(.*?)(?:@(\d+))?$/) as RegExpMatchArray;
  const [page = "", ...parts] = path.split("/").map((part) => {
    try {
      return decodeURIComponent(part);
    } catch {
      return part;
    }
  });
  return { page, parts, at: at === undefined ? null : Number(at) };
}

export const route = signal(read());
addEventListener("hashchange", () => route.value = read());

export function go(hash: string): void {
  location.hash = hash;
}

/** Goes to another moment of the same page, without a step in the history of the browser. */
export function goAt(at: number | null): void {
  const base = location.hash.replace(/@\d+$/, "");
  history.replaceState(null, "", at === null ? base : `${base}@${at}`);
  route.value = read();
}
