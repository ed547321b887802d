/** What is wrong with a record: a code, and a line where there is one. */
export class Fault extends Error {
  constructor(
    readonly code: string,
    readonly reason: string,
    readonly line: number | null | undefined = undefined,
  ) {
    super(`${code}: ${reason}`);
  }
}
