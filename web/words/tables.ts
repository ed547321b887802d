/** The English of the list of tables. */
export const t = {
  title: "All tables",
  lead: "Those whose players let others find them. Sit down where a seat is free; watch or look at the others.",
  none: "There is no such table.",
  more: "Show more",
  state: "Which tables",
  states: { "": "all", open: "with a free seat", playing: "being played", over: "over" } as { [state: string]: string },
  game: "Which game",
  anyGame: "all games",
};
