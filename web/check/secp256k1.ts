/** What only the Croupier's records need: of that package this curve alone, and his two schemes. */
import { Croupier } from "./schemes/croupier.ts";
import { Croupier2017 } from "./schemes/croupier_2017.ts";
import { SCHEMES } from "./schemes/index.ts";

export { secp256k1 } from "@noble/curves/secp256k1.js";

SCHEMES["croupier/1"] = Croupier;
SCHEMES["croupier-2017/0"] = Croupier2017;
