/** The schemes by their names. Those of the Croupier come with his curve (`loadCurve`): no table is dealt by them. */
import { Contest } from "./contest.ts";
import { HashChains } from "./hash_chains.ts";
import { HmacUser } from "./hmac_user.ts";
import type { Scheme, Setting } from "./scheme.ts";
import { Seeded, System } from "./unproven.ts";

export const SCHEMES: { [name: string]: new (setting: Setting) => Scheme } = {
  "hmac-sha3-user/1": HmacUser,
  "hash-chains/1": HashChains,
  "contest/1": Contest,
  "seeded/1": Seeded,
  "system/1": System,
};
