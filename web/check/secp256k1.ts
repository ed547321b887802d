/** Of all that the package has, this curve alone is loaded. */
export { secp256k1 } from "@noble/curves/secp256k1.js";
