/** Playing cards: four shapes and four colours, so that no suit is told by its colour alone. */

const SUITS = [
  { name: "hearts", path: "M0 5C0 1 -6 1 -6 6 -6 10 0 13 0 16 0 13 6 10 6 6 6 1 0 1 0 5Z", fill: "#b5302a" },
  { name: "diamonds", path: "M0 0L6 8 0 16 -6 8Z", fill: "#2f4593" },
  {
    name: "clubs",
    path:
      "M0 1a3.6 3.6 0 0 1 3 5.6 3.6 3.6 0 1 1 -1.6 6.4L2.6 17H-2.6L-1.4 13a3.6 3.6 0 1 1 -1.6 -6.4A3.6 3.6 0 0 1 0 1Z",
    fill: "#14694a",
  },
  {
    name: "spades",
    path: "M0 0C0 4 -7 6 -7 11 -7 15 -2 15 -1 12L-3 17H3L1 12C2 15 7 15 7 11 7 6 0 4 0 0Z",
    fill: "#1d2233",
  },
];
const RANKS = ["2", "3", "4", "5", "6", "7", "8", "9", "T", "J", "Q", "K", "A"];
const NAMES = ["two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "jack", "queen", "king", "ace"];

/** "the ace of spades" */
export function cardName(card: number): string {
  return `the ${NAMES[card % 13]} of ${SUITS[Math.floor(card / 13)].name}`;
}

/** A card around the origin: 50 wide, 72 high. `card` is 0 to 51, suit by suit. */
export function CardFace({ card }: { card: number }) {
  const { path, fill } = SUITS[Math.floor(card / 13)];
  return (
    <g>
      <rect x="-25" y="-36" width="50" height="72" rx="6" fill="#fffdf8" stroke="#1d2233" stroke-width="1.8" />
      <text x="-19" y="-17" font-family="Fraunces,Georgia,serif" font-weight="700" font-size="17" fill={fill}>
        {RANKS[card % 13]}
      </text>
      <g transform="translate(3 -12) scale(1.75)">
        <path d={path} fill={fill} />
      </g>
    </g>
  );
}

export function Card({ card, width = 84 }: { card: number; width?: number }) {
  return (
    <svg class="card-face" viewBox="-27 -38 54 76" width={width} role="img" aria-label={cardName(card)}>
      <CardFace card={card} />
    </svg>
  );
}
