/** Pegs with their digit in them, and the counts of an answer. */
import { HUES } from "./dice.tsx";

export function Peg({ digit, size = 40, empty = false }: { digit?: number; size?: number; empty?: boolean }) {
  return (
    <svg class="peg" viewBox="0 0 40 40" width={size} height={size} aria-hidden="true">
      {empty || digit === undefined
        ? <circle cx="20" cy="20" r="16" fill="none" stroke="var(--line-2)" stroke-width="2" stroke-dasharray="4 3.4" />
        : (
          <>
            <circle cx="20" cy="20" r="17.5" fill={HUES[digit % HUES.length]} stroke="#1d2233" stroke-width="1.8" />
            <text
              x="20"
              y={digit > 9 ? 25.5 : 26.5}
              text-anchor="middle"
              font-weight="700"
              font-size={digit > 9 ? 15 : 18}
              fill="#1d2233"
            >
              {digit}
            </text>
          </>
        )}
    </svg>
  );
}
