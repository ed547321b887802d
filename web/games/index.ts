/** The games that have a file of their own. */
import { codebreaking } from "./codebreaking.tsx";
import { fatestones } from "./fatestones.tsx";
import { intransitive } from "./intransitive.tsx";
import { poker } from "./poker.tsx";
import { zombie } from "./zombie.tsx";
import type { GamePage } from "./game.ts";
import { generic } from "./generic.tsx";

// deno-lint-ignore no-explicit-any
export const GAME_PAGES: readonly GamePage<any>[] = [fatestones, zombie, intransitive, codebreaking, poker];

/** The file for a game, by its name in a record. */
// deno-lint-ignore no-explicit-any
export function pageFor(name: string): GamePage<any> {
  return GAME_PAGES.find(({ names }) => names.includes(name)) ?? generic;
}
