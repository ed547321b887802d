/** The schemes by their names. */
import { Contest } from "./contest.ts";
import { Croupier } from "./croupier.ts";
import { Croupier2017 } from "./croupier_2017.ts";
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
  "croupier/1": Croupier,
  "croupier-2017/0": Croupier2017,
};
