/** Zombie dice: brains, footprints and shots, on green, yellow and red. The letter beside each says its colour. */

const EDGE = "#1d2233";
export const COLOURS = [
  { name: "green", letter: "G", fill: "#9bd3b6" },
  { name: "yellow", letter: "Y", fill: "#f8d78f" },
  { name: "red", letter: "R", fill: "#f3a59c" },
];
const BLAST = Array.from({ length: 20 }, (_, i) => {
  const angle = i / 20 * 2 * Math.PI, r = i % 2 ? 6.5 : 13;
  return `${(r * Math.cos(angle)).toFixed(1)},${(r * Math.sin(angle)).toFixed(1)}`;
}).join(" ");

/** What a face shows, around the origin. */
export function Symbol({ face }: { face: string | null }) {
  if (face === "b") {
    return (
      <g stroke={EDGE} stroke-width="1.6" stroke-linejoin="round">
        <path d="M-1-11C-6-14-11-11-11-7-15-5-15 1-12 3-13 8-9 12-4 11-3 13-1 13-1 11Z" fill="#f08b7e" />
        <path d="M1-11C6-14 11-11 11-7 15-5 15 1 12 3 13 8 9 12 4 11 3 13 1 13 1 11Z" fill="#f08b7e" />
        <path
          d="M-7-5q3 1 3 4M7-5q-3 1-3 4M-8 4q3-1 4 2M8 4q-3-1-4 2"
          fill="none"
          stroke-width="1.4"
          stroke-linecap="round"
        />
      </g>
    );
  }
  if (face === "s") {
    return <polygon points={BLAST} fill="#f3c25c" stroke={EDGE} stroke-width="1.6" stroke-linejoin="round" />;
  }
  if (face === "f") {
    return (
      <g fill={EDGE}>
        <ellipse cx="-5" cy="3" rx="3.6" ry="6.4" transform="rotate(-10 -5 3)" />
        <circle cx="-7" cy="-6" r="1.7" />
        <circle cx="-3.6" cy="-6.6" r="1.7" />
        <ellipse cx="6" cy="0" rx="3.6" ry="6.4" transform="rotate(10 6 0)" />
        <circle cx="4.6" cy="-9.4" r="1.7" />
        <circle cx="8" cy="-9" r="1.7" />
      </g>
    );
  }
  return <text y="7" text-anchor="middle" font-size="20" font-weight="700" fill={EDGE}>?</text>;
}

const FACES: { [face: string]: string } = { b: "a brain", f: "footprints", s: "a shotgun" };

/** A whole die around (28, 28). */
export function ZombieDie({ colour, face, size = 56 }: { colour: number; face: string | null; size?: number }) {
  const { name, letter, fill } = COLOURS[colour];
  return (
    <svg
      class="zdie"
      viewBox="0 0 56 56"
      width={size}
      height={size}
      role="img"
      aria-label={face ? `${name} die: ${FACES[face]}` : `${name} die`}
    >
      <rect x="1.5" y="1.5" width="53" height="53" rx="11" fill={fill} stroke={EDGE} stroke-width="2" />
      <g transform="translate(31 31) scale(1.3)">
        {face ? <Symbol face={face} /> : null}
      </g>
      {!face && <text x="28" y="35" text-anchor="middle" font-size="20" font-weight="700" fill={EDGE}>{letter}</text>}
      {face && <text x="5" y="14" font-size="11" font-weight="700" fill={EDGE}>{letter}</text>}
    </svg>
  );
}
