import type { Owed } from "./answers.ts";

/** What is wrong with a record: a code, and a line where there is one. */
export class Fault extends Error {
  /** Who stopped an unfinished game. */
  owed?: Owed;

  constructor(
    readonly code: string,
    readonly reason: string,
    readonly line: number | null | undefined = undefined,
  ) {
    super(`${code}: ${reason}`);
  }
}
