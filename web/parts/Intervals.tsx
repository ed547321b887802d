/** Means with their 95 % intervals. One band lies behind those that cannot be told apart from the first. */
import type { Standing } from "../arena/contests.ts";
import { told, w } from "../words.ts";

export interface Row {
  rank: number | null;
  name: string;
  mean: number;
  low: number;
  high: number;
  own?: boolean;
}

/** Solved games below which a mean has no interval that is worth a look. */
export const ENOUGH_GAMES = 5;

/** Does the interval around a mean say anything? A few games, or games that all took the same, give none. */
export function hasInterval<T extends Pick<Standing, "solved" | "mean" | "low" | "high">>(
  row: T,
): row is T & { mean: string; low: string; high: string } {
  return row.mean !== null && row.low !== null && row.high !== null && row.solved >= ENOUGH_GAMES &&
    row.low !== row.high;
}

export function Intervals({ rows }: { rows: readonly Row[] }) {
  if (!rows.length) return null;
  const from = Math.min(...rows.map(({ low }) => low)), to = Math.max(...rows.map(({ high }) => high));
  const width = to - from || 1;
  const all = matchMedia("(min-width: 30rem)").matches ? 400 : 290; // on a phone the type stays as large
  const x = (value: number) => 118 + (value - from) / width * (all - 138);
  const level = rows.filter(({ low }) => low <= rows[0].high);
  const ticks = (all < 400 ? [0, .5, 1] : [0, 1 / 3, 2 / 3, 1]).map((part) => from + part * width);
  const height = rows.length * 27;
  const words = rows.map(({ rank, name, mean, low, high }) =>
    w.intervals.row(rank, told(name), mean.toFixed(2), low.toFixed(2), high.toFixed(2))
  );
  return (
    <figure class="iv">
      <figcaption class="sr">{w.intervals.caption} {words.join(" ")}</figcaption>
      <svg viewBox={`0 0 ${all} ${height + 26}`} aria-hidden="true" font-size="13">
        {level.length > 1 && (
          <rect x="110" y="3" width={all - 114} height={level.length * 27} rx="9" fill="var(--sunk)" />
        )}
        {ticks.map((tick) => (
          <g key={tick}>
            <path d={`M${x(tick)} 2V${height + 6}`} stroke="var(--line-2)" stroke-opacity=".35" />
            <text x={x(tick)} y={height + 22} text-anchor="middle" font-size="11.5" fill="var(--ink-2)">
              {tick.toFixed(2)}
            </text>
          </g>
        ))}
        {rows.map(({ rank, name, mean, low, high, own }, i) => (
          <g key={i}>
            <text x="0" y={i * 27 + 21} font-weight={own ? 700 : 400} fill="var(--ink)">
              {rank === null ? "–" : rank}
              {rank !== null && rows.filter((row) => row.rank === rank).length > 1
                ? "="
                : ""} {told(name).slice(0, 13)}
            </text>
            <path
              d={`M${x(low)} ${i * 27 + 16}H${x(high)}`}
              stroke="var(--ink)"
              stroke-width="3"
              stroke-linecap="round"
            />
            <circle
              cx={x(mean)}
              cy={i * 27 + 16}
              r="5.5"
              fill={own ? "var(--you-line)" : "var(--card)"}
              stroke="var(--ink)"
              stroke-width="3"
            />
          </g>
        ))}
      </svg>
      {level.length > 1 && <p class="small mute">{w.intervals.level(level.length)}</p>}
    </figure>
  );
}
