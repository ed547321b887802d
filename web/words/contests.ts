/** The English of contests, oracles and bots. */
import { plural, told } from "../words.ts";

export const c = {
  title: "Contests",
  lead:
    "All teams meet the same hidden codes, each in an order of its own, and usually in a disguise. Whoever finds more of them ranks first; then whoever needs fewer steps.",
  none: "No contest yet. Open the first one.",
  running: "running",
  closed: "closed",
  more: "Show more",
  kind: { fair: "fair", nice: "nice", evil: "evil" } as { [kind: string]: string },
  part: (games: number, base: number, length: number, kind: string) =>
    `${plural(games, "game")} of ${length} digits below ${base}, ${kind}`,
  teams: (count: number) => plural(count, "team"),

  open: {
    title: "Open a contest",
    games: "Games",
    base: "Digits (base)",
    length: "Places",
    kind: "Oracle",
    kinds: {
      fair: "fair: a code is drawn beforehand, and committed to",
      nice: "nice: answers so that you learn most",
      evil: "evil: answers so that you learn least",
    } as { [kind: string]: string },
    disguise: "Disguise",
    disguises: {
      drawn: "drawn: digits and places change for each team",
      none: "none: the same for all, so codes can be passed on",
    } as { [kind: string]: string },
    closes: "Closes after",
    hours: { 1: "an hour", 24: "a day", 168: "a week" } as { [hours: number]: string },
    go: "Open the contest",
    kept: "Only this browser will know how to close it early.",
  },

  page: {
    title: (id: string) => `Contest ${told(id).slice(0, 6)}`,
    until: (time: string) => `It closes ${time}.`,
    since: (time: string) => `It closed ${time}.`,
    standings: "Standings",
    nobody: "Nobody has entered yet.",
    how:
      "Ranks go by games solved, then by the mean number of steps. The 95 % interval shows how far chance can move the mean: intervals made like this hold the true mean 95 times in 100. It takes at least 5 solved games.",
    rank: "Rank",
    team: "Team",
    solved: "Solved",
    mean: "Mean steps",
    range: "95 %",
    tooFew: "too few games",
    allSame: "all the same",
    worst: "Worst",
    progress: (done: number, all: number) => `${done} of ${all}`,
    parts: {
      title: "By kind of game",
      text: "What the games took all official entries together.",
      head: "Games",
    },
    factories: {
      title: "By oracle factory",
      text: "Ranked by the steps that each forced, over the games that were solved. All its answers are its own word.",
      head: "Factory",
    },
    here: "this arena",
    removed: "Removed by the creator",
    removedText: "Before their first submission. The contest’s book says so.",
    training: "Training",
    trainingText: "Later versions of a team. They never rank.",
    showTraining: (count: number) => `Show ${plural(count, "training entry", "training entries")}`,
    before: "Fixed before anybody entered",
    beforeText: "This is the hash of the seed from which all of that follows:",
    afterText: "The contest is closed, so the seed is open. The file below has it, with every game of every team.",
    check: "Check the whole contest here",
    checking: "Playing every game again …",
    checked: (games: number) =>
      `${
        plural(games, "game")
      } played again in this browser. Every answer, order, disguise and the whole table follow from the seed that was fixed before.`,
    failed: (line: number | null, reason: string) =>
      line === null ? `Invalid: ${told(reason)}` : `Invalid at line ${line}: ${told(reason)}`,
    file: "Save the contest file",
    closeIt: "Close the contest now",
    closeAsk: "Close it now? Games that are not finished count as unfinished.",
    closeYes: "Close it",
    keep: "Keep it open",
    gone: "There is no such contest here.",
  },

  hand: {
    title: "Enter by hand",
    text: "Play as a team, to feel what a bot feels. Only a team’s first entry ranks.",
    team: "Team",
    enter: "Enter",
    yours: (team: string) => `You are in, as ${told(team)}.`,
    game: (number: number) => `Game ${number}`,
    done: (steps: number) => steps ? `found in ${plural(steps, "step")}` : "given up",
  },

  oracle: {
    title: "Find the code",
    is: (length: number, base: number, kind: string) =>
      `${length} digits, each from 0 to ${base - 1}. The oracle is ${kind}.`,
    found: (steps: number) => `Found, in ${plural(steps, "step")}.`,
    gaveUp: "Given up.",
    giveUp: "Give up",
    back: "Back to the contest",
    earlier: (count: number) => `${plural(count, "earlier step")} not shown.`,
    gone: "There is no such oracle here.",
    commitment: "The code was fixed before you began. This is its hash:",
    seed:
      "All codes of this contest follow from one secret seed, fixed before anybody entered. This is the seed’s hash, the same for every game of the contest:",
  },

  bots: {
    title: "Build a bot",
    lead: "A bot finds hidden codes by asking. Four requests are all there is, in any language.",
    first: "1. A contest to practise in",
    firstText: "Everybody may open one. This makes three small games that close in an hour.",
    make: "Open a practice contest",
    made: "Your contest:",
    second: "2. Let it play",
    secondText: "Copy one of these. Each is complete, and plays every game of the contest.",
    copy: "Copy",
    copied: "Copied",
    third: "3. See what it does",
    thirdText: "Steps and results appear here while your bot plays.",
    nothing: "Open a practice contest first.",
    over: "Your last practice contest is closed. Open another one.",
    fourth: "4. What to know",
    facts: [
      "A submission that is not legal is refused with 422 and costs nothing. The answer’s “detail” says why.",
      "429 and 503: wait as many seconds as Retry-After says, and send the same again.",
      "Ask every oracle for its base and length: the games of a contest may differ.",
      "Only a team’s first entry ranks. Its answer has a team_key: keep it, later versions need it.",
      "Digits and places are disguised anew for each team and game. Nothing learned in one helps in another.",
    ],
    api: "All routes",
  },
};
