/** Dice with pips or numbers, and FateStones: six faces, three by two, the higher the deeper. */

const PIPS: { [face: number]: [number, number][] } = {
  1: [[1, 1]],
  2: [[0, 0], [2, 2]],
  3: [[0, 0], [1, 1], [2, 2]],
  4: [[0, 0], [2, 0], [0, 2], [2, 2]],
  5: [[0, 0], [2, 0], [1, 1], [0, 2], [2, 2]],
  6: [[0, 0], [2, 0], [0, 1], [2, 1], [0, 2], [2, 2]],
};
export const TINT = ["#fffdf8", "#fffdf8", "#fdf3dc", "#fbe7bd", "#f8d78f", "#f3c25c", "#eaa92d"];
/** Colours of dice, pegs and the like that have no order. A sign stands beside each. */
export const HUES = [
  "#f3c25c",
  "#9fb4f2",
  "#ef9a8f",
  "#9bd3b6",
  "#d7b7ee",
  "#fffdf8",
  "#8fd0d8",
  "#f3b0cd",
  "#cfd39a",
  "#c9bba6",
];

/** One face at a place, with pips from 1 to 6 and a number otherwise. */
export function Face({ value, x = 0, y = 0, size = 40, fill = "var(--bone)", edge = 1.6 }: {
  value: number | string;
  x?: number;
  y?: number;
  size?: number;
  fill?: string;
  edge?: number;
}) {
  const from = size * .26, step = size * .24;
  const pips = PIPS[Number(value)];
  return (
    <g>
      <rect x={x} y={y} width={size} height={size} rx={size * .2} fill={fill} stroke="var(--pip)" stroke-width={edge} />
      {pips?.map(([i, j]) => (
        <circle cx={x + from + i * step} cy={y + from + j * step} r={size * .092} fill="var(--pip)" />
      ))}
      {!pips && (
        <text
          x={x + size / 2}
          y={y + size * .68}
          text-anchor="middle"
          font-weight="700"
          font-size={size * (String(value).length > 2 ? .34 : .5)}
          fill="var(--pip)"
        >
          {String(value)}
        </text>
      )}
    </g>
  );
}

/** A single rolled die. */
export function Die(
  { value, size = 44, fill, label }: { value: number | string; size?: number; fill?: string; label?: string },
) {
  return (
    <svg
      class="die"
      viewBox="-1 -1 42 42"
      width={size}
      height={size}
      role="img"
      aria-label={label ?? `a die that shows ${value}`}
    >
      <Face value={value} fill={fill} />
    </svg>
  );
}

/** Faces in rows of three. */
export function Faces({ faces, tint, label, size = 42, gap = 5 }: {
  faces: (number | string)[];
  tint: (face: number | string) => string;
  label: string;
  size?: number;
  gap?: number;
}) {
  const across = Math.min(faces.length, faces.length <= 4 ? 2 : faces.length > 6 ? 4 : 3);
  const down = Math.ceil(faces.length / across);
  const width = across * (size + gap) - gap, height = down * (size + gap) - gap;
  return (
    <svg viewBox={`-1 -1 ${width + 2} ${height + 2}`} width={width} height={height} role="img" aria-label={label}>
      {faces.map((face, i) => (
        <Face
          value={face}
          x={(i % across) * (size + gap)}
          y={Math.floor(i / across) * (size + gap)}
          size={size}
          fill={tint(face)}
        />
      ))}
    </svg>
  );
}

export function Stone({ die, size }: { die: string; size?: number }) {
  return (
    <Faces
      faces={[...die]}
      tint={(face) => TINT[Number(face)] ?? TINT[0]}
      label={`the die ${[...die].join(" ")}`}
      size={size}
    />
  );
}
