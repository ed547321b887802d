/** Our own hash chain: made of this browser's randomness, given link by link. */
import { digest, fromHex, toHex } from "../check/bytes.ts";
import { linkBefore } from "../check/schemes/hash_chains.ts";

/** Answers a `tip`, `next-tip` or `link` for a run, from the root that this seat keeps. */
export function chainAnswer(
  { root, table, seat, length }: { root: string; table: string; seat: number; length: number },
  kind: string,
  run: number,
): string {
  const name = fromHex(table);
  const generation = Math.floor((run - 1) / length) + (kind === "next-tip" ? 1 : 0);
  const wanted = kind === "link" ? ((run - 1) % length) + 1 : 0;
  let link = toHex(digest("fairground/page-chain/1", fromHex(root), name, seat, generation));
  for (let i = length; i > wanted; i--) link = linkBefore(name, seat, generation, i, link);
  return link;
}
