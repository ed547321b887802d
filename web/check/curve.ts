/** The curve of the Croupier's signatures. It is large, so it comes before it is needed, and only then. */
import type { secp256k1 } from "@noble/curves/secp256k1.js";

let curve: typeof secp256k1 | null = null;

/** Loads it, and the Croupier's schemes. To be awaited before his records are judged. */
export async function loadCurve(): Promise<void> {
  curve ??= (await import("./secp256k1.ts")).secp256k1;
}

export function theCurve(): typeof secp256k1 {
  if (!curve) throw new Error("loadCurve() comes first");
  return curve;
}
