/** Wax, for what is sealed; and small marks. */

/** A seal. Circles in blue are the house's, squares in amber are yours: never by colour alone. */
export function Seal({ letter, kind, size = 52 }: { letter: string; kind: "you" | "house" | "brand"; size?: number }) {
  const fill = kind === "house" ? "#3f57b5" : kind === "you" ? "#9a5b00" : "var(--brand)";
  const points = Array.from({ length: 24 }, (_, i) => {
    const angle = i / 24 * 2 * Math.PI, r = i % 2 ? 19 : 21.5;
    return `${(22 + r * Math.cos(angle)).toFixed(1)},${(22 + r * Math.sin(angle)).toFixed(1)}`;
  }).join(" ");
  return (
    <svg class="wax" viewBox="0 0 44 44" width={size} height={size} aria-hidden="true">
      <polygon points={points} fill={fill} stroke={fill} stroke-width="2" stroke-linejoin="round" />
      {kind === "you"
        ? (
          <rect
            x="10"
            y="10"
            width="24"
            height="24"
            rx="5"
            fill="none"
            stroke="#fff"
            stroke-opacity=".6"
            stroke-width="1.6"
          />
        )
        : <circle cx="22" cy="22" r="14.5" fill="none" stroke="#fff" stroke-opacity=".55" stroke-width="1.6" />}
      <text
        x="22"
        y="28.5"
        text-anchor="middle"
        font-family="Fraunces,Georgia,serif"
        font-weight="700"
        font-size="18"
        fill="#fff"
      >
        {letter}
      </text>
    </svg>
  );
}

export function Tick() {
  return (
    <svg class="ico" viewBox="0 0 16 16" aria-hidden="true">
      <path
        d="M3 8.5l3.2 3.2L13 4.6"
        fill="none"
        stroke="currentColor"
        stroke-width="2.4"
        stroke-linecap="round"
        stroke-linejoin="round"
      />
    </svg>
  );
}

export function Cross() {
  return (
    <svg class="ico" viewBox="0 0 16 16" aria-hidden="true">
      <path d="M4 4l8 8M12 4l-8 8" fill="none" stroke="currentColor" stroke-width="2.6" stroke-linecap="round" />
    </svg>
  );
}

export function Tent() {
  return (
    <svg viewBox="0 0 32 32" width="30" height="30" aria-hidden="true">
      <path
        d="M16 4L4 15v13h24V15Z"
        fill="var(--stripe)"
        stroke="var(--ink)"
        stroke-width="2"
        stroke-linejoin="round"
      />
      <path d="M16 4L10 15v13H4V15ZM16 4l6 11v13h6V15Z" fill="var(--brand)" />
      <path
        d="M16 4L4 15v13h24V15ZM4 15q3 3.6 6 0 3 3.6 6 0 3 3.6 6 0 3 3.6 6 0"
        fill="none"
        stroke="var(--ink)"
        stroke-width="2"
        stroke-linejoin="round"
      />
      <path d="M16 4V1l4 1.4-4 1.4" fill="var(--you-line)" stroke="var(--ink)" stroke-width="1.2" />
    </svg>
  );
}
