/** Lists that the arena gives a page at a time. */
import { useEffect, useState } from "preact/hooks";
import { Problem } from "../arena/api.ts";

export interface Page<Row, Place> {
  rows: Row[];
  /** Where the next page begins; `null`: there is none. */
  next: Place | null;
}

interface Rows<Row> {
  /** `null`: none has come yet. */
  rows: Row[] | null;
  /** Asks for the next page, if there is one and nobody has asked for it yet. */
  more: (() => void) | null;
  /** Why the last page did not come. */
  trouble: string;
}

/**
 * The rows so far. Who wants other rows gives the component another `key`: an answer that comes
 * late is then for a list that is no longer shown.
 */
export function useRows<Row, Place>(load: (after: Place | null) => Promise<Page<Row, Place>>): Rows<Row> {
  const [shown, show] = useState<Page<Row, Place> | null>(null);
  const [asking, ask] = useState(true);
  const [trouble, setTrouble] = useState("");
  const turn = async (before: Page<Row, Place> | null) => {
    ask(true);
    try {
      const { rows, next } = await load(before?.next ?? null);
      show({ rows: [...before?.rows ?? [], ...rows], next });
      setTrouble("");
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      setTrouble(error.detail);
    } finally {
      ask(false);
    }
  };
  useEffect(() => void turn(null), []);
  const more = shown && shown.next !== null && !asking ? () => void turn(shown) : null;
  return { rows: shown?.rows ?? null, more, trouble };
}
