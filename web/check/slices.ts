/**
 * Long work in slices. A generator pauses now and then, and says how many lines it has done: whoever runs it may let
 * others go first, or run it to its end at once.
 */

export type Slices<T> = Generator<number, T>;

/** Lines between two pauses. */
export const SLICE = 64;

/** Runs it to its end, at once. */
export function atOnce<T>(work: Slices<T>): T {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
  }
}
