/** The games by their names. */
import type { JsonObject } from "../json.ts";
import { CodeBreaking } from "./codebreaking.ts";
import { FateStones } from "./fatestones.ts";
import type { Game } from "./game.ts";
import { Intransitive } from "./intransitive.ts";
import { Poker } from "./poker.ts";
import { Zombie } from "./zombie.ts";

export const GAMES: { [name: string]: (params: JsonObject) => Game } = {
  "intransitive/1": (params) => new Intransitive(params),
  "codebreaking/1": (params) => new CodeBreaking(params),
  "fatestones/1": (params) => new FateStones(params),
  "poker/2": (params) => new Poker(params),
  "bank-poker/1": (params) => new Poker(params, true),
  "zombie/2": (params) => new Zombie(params),
};
