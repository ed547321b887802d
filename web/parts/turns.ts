/** Long work a little at a time, so that the page stays alive: it draws, it listens, and it can be left. */
import type { Slices } from "../check/slices.ts";

/** Milliseconds of work before the browser may do something else. */
const TURN = 30;

/** Runs work to its end. `null`: nobody wants it any more. */
export async function inTurns<T>(
  work: Slices<T>,
  isWanted: () => boolean,
  tell: (lines: number) => void = () => {},
): Promise<T | null> {
  for (;;) {
    const until = performance.now() + TURN;
    while (performance.now() < until) {
      const { done, value } = work.next();
      if (done) return value;
      tell(value);
    }
    await new Promise((go) => setTimeout(go));
    if (!isWanted()) return null;
  }
}
