/** A choice that belongs to one question. */
import { useState } from "preact/hooks";

/**
 * Keeps what was chosen for `question`. When another question is asked, `none` is chosen again: an index, a code or
 * a card that was chosen for the old one never answers the new one.
 */
export function useChoice<T>(question: string, none: T): [T, (change: (now: T) => T) => void] {
  const [kept, setKept] = useState({ question, value: none });
  const valueOf = (state: typeof kept) => state.question === question ? state.value : none;
  return [valueOf(kept), (change) => setKept((state) => ({ question, value: change(valueOf(state)) }))];
}
