/** The pictures of the games, for the lobby. */
import type { ComponentChildren } from "preact";
import { CardFace } from "./cards.tsx";
import { Face, HUES, TINT } from "./dice.tsx";
import { Seal } from "./seals.tsx";
import { Symbol } from "./zombies.tsx";

function Scene({ label, children }: { label: string; children: ComponentChildren }) {
  return <svg viewBox="0 0 260 150" role="img" aria-label={label}>{children}</svg>;
}

export function DiceScene() {
  const dice: [number, number, string, number, number][] = [
    [130, 34, "#f3c25c", 5, -7],
    [190, 112, "#9fb4f2", 4, 8],
    [70, 112, "#9bd3b6", 6, -4],
  ];
  return (
    <Scene label="three dice in a circle, each beats the next">
      <defs>
        <marker id="head" viewBox="0 0 8 8" refX="6" refY="4" markerWidth="5.4" markerHeight="5.4" orient="auto">
          <path d="M0 0L8 4 0 8Z" fill="#1d2233" />
        </marker>
      </defs>
      {["M162 40 Q187 54 192 80", "M160 124 Q130 138 101 124", "M70 80 Q74 54 98 42"].map((d) => (
        <path d={d} fill="none" stroke="#1d2233" stroke-width="2.6" stroke-linecap="round" marker-end="url(#head)" />
      ))}
      {dice.map(([x, y, fill, value, turn]) => (
        <g transform={`rotate(${turn} ${x} ${y})`}>
          <Face value={value} x={x - 25} y={y - 25} size={50} fill={fill} edge={2} />
        </g>
      ))}
    </Scene>
  );
}

export function CodeScene() {
  const rows = [[0, 0, 1, 1, 1, 2], [2, 0, 3, 1, 2, 1], [2, 4, 3, 1, 4, 0]];
  return (
    <Scene label="a board with three guesses and their answers">
      <rect x="34" y="10" width="192" height="130" rx="14" fill="#fffaf0" stroke="#1d2233" stroke-width="2" />
      {rows.map((row, j) => (
        <g font-weight="700" fill="#1d2233">
          {row.slice(0, 4).map((digit, i) => (
            <g>
              <circle
                cx={62 + i * 33}
                cy={34 + j * 41}
                r="13.5"
                fill={HUES[digit]}
                stroke="#1d2233"
                stroke-width="1.6"
              />
              <text x={62 + i * 33} y={39 + j * 41} text-anchor="middle" font-size="14">{digit}</text>
            </g>
          ))}
          <text x="206" y={30 + j * 41} text-anchor="end" font-size="12">● {row[4]}</text>
          <text x="206" y={47 + j * 41} text-anchor="end" font-size="12">○ {row[5]}</text>
        </g>
      ))}
    </Scene>
  );
}

export function FateScene() {
  const stone = (die: string, x: number, y: number, turn: number) => (
    <g transform={`translate(${x} ${y}) rotate(${turn})`}>
      {[...die].map((face, i) => (
        <Face
          value={face}
          x={(i % 3) * 34 - 50}
          y={Math.floor(i / 3) * 34 - 33}
          size={31}
          fill={TINT[Number(face)]}
          edge={1.8}
        />
      ))}
    </g>
  );
  return (
    <Scene label="two odd dice, one of them sealed">
      {stone("111666", 68, 66, -7)}
      {stone("333444", 190, 86, 6)}
      <svg x="160" y="4" width="52" height="52">
        <Seal letter="F" kind="brand" />
      </svg>
    </Scene>
  );
}

export function ZombieScene() {
  const die = (x: number, y: number, fill: string, turn: number, face: string) => (
    <g transform={`rotate(${turn} ${x} ${y})`}>
      <rect x={x - 28} y={y - 28} width="56" height="56" rx="11" fill={fill} stroke="#1d2233" stroke-width="2" />
      <g transform={`translate(${x} ${y}) scale(1.42)`}>
        <Symbol face={face} />
      </g>
    </g>
  );
  return (
    <Scene label="three dice: a brain, footprints and a shot">
      {die(62, 84, "#9bd3b6", -9, "b")}
      {die(132, 66, "#f8d78f", 6, "f")}
      {die(202, 86, "#f3b2aa", -3, "s")}
    </Scene>
  );
}

export function CardScene() {
  const cards = [47, 48, 49, 11, 25];
  return (
    <Scene label="a fan of five cards">
      {cards.map((card, i) => (
        <g transform={`translate(${130 + (i - 2) * 37} ${80 + (i - 2) ** 2 * 4.5}) rotate(${(i - 2) * 8}) scale(1.12)`}>
          <CardFace card={card} />
        </g>
      ))}
    </Scene>
  );
}

/** For a game that has no picture of its own. */
export function PlainScene({ letter }: { letter: string }) {
  return (
    <Scene label="a ticket">
      <path
        d="M50 45h160a0 0 0 0 1 0 0v20a12 12 0 0 0 0 24v20H50V89a12 12 0 0 0 0-24Z"
        fill="#fffaf0"
        stroke="#1d2233"
        stroke-width="2"
      />
      <path d="M170 48V106" stroke="#1d2233" stroke-width="2" stroke-dasharray="4 5" />
      <text
        x="110"
        y="90"
        text-anchor="middle"
        font-family="Fraunces,Georgia,serif"
        font-weight="700"
        font-size="36"
        fill="#b5302a"
      >
        {letter}
      </text>
    </Scene>
  );
}
