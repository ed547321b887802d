/** All English of the page, in one place. Names from outside come in through `who`, so that none can pretend to be ours. */
import { listed, quoted, shown } from "./check/words.ts";
import { faults } from "./words/verdict.ts";

export { listed };

/** A name from outside within a sentence of ours. */
export const who = quoted;
/** A text from outside that stands alone. */
export const told = shown;

export function plural(count: number, one: string, many = one + "s"): string {
  return `${count.toLocaleString("en")} ${count === 1 ? one : many}`;
}

/** "optimal" as a name: "Optimal" */
export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** A player of the house as a name: "Optimal", "MCTS" */
export const playerName = (player: string) => player === "mcts" ? "MCTS" : capital(player);

/** The beginning and the end of many hex digits. */
export function short(hex: string): string {
  return hex.length > 16 ? `${hex.slice(0, 4)} ${hex.slice(4, 8)} … ${hex.slice(-4)}` : hex;
}

/** Hex digits in groups of four. */
export function grouped(hex: string): string {
  return hex.replace(/.{4}(?=.)/g, "$& ");
}

/** The reader is "you"; everybody else has a name. */
export interface People {
  names: readonly string[];
  me: number | null;
}
export const subject = ({ names, me }: People, seat: number) => seat === me ? "You" : who(names[seat] ?? "?");
export const whose = ({ names, me }: People, seat: number) => seat === me ? "Your" : `${who(names[seat] ?? "?")}’s`;
/** "You take", "Ada takes" */
export const does = (people: People, seat: number, verb: string, third = verb + "s") =>
  `${subject(people, seat)} ${seat === people.me ? verb : third}`;

export const w = {
  name: "Fairground",
  skip: "Skip to the main part",
  nav: {
    label: "Main",
    play: "Play",
    contests: "Contests",
    croupier: "Croupier",
    verify: "Verify",
    bots: "Build a bot",
  },
  yourName: "Your name",
  nameOnly: "name only, no account",
  connected: "connected",
  notConnected: "not connected",
  lost: "The connection is lost. Trying again. Nothing is lost: your secrets are kept in this browser.",
  unsafe:
    "This connection is not safe, so browsers keep no secrets here. You can watch and check. To play, open this arena by https, or on your own machine.",
  keyboard: "Keyboard",
  close: "Close",
  notFound: "There is nothing here.",
  failed: "This page has failed to draw itself. That is our mistake, and says nothing about the game.",
  toLobby: "To the lobby",
  working: "One moment …",

  lobby: {
    title: "Games you need not trust",
    headline: "Games you do not have to take on trust.",
    lead:
      "Your browser adds its part to every roll, and checks every line as it is written. You keep the record and its receipts, and can check them again, offline.",
    cannot: "What we cannot prove.",
    cannotText:
      "That a stranger is a person, that somebody was silent, that nobody whispered. And your browser runs the script that this arena serves.",
    wholeList: "The whole list",
    games: "Games",
    play: "Play",
    opponent: (game: string) => `Opponent in ${game}`,
    more: "More ways to play",
    yours: "Your games",
    keptHere: "kept in this browser",
    noneYours: "No games yet. What you play is kept here, with its secrets and receipts.",
    yourMove: "your move",
    waiting: "waiting",
    practise: (count: number) => `Practise: ${plural(count, "position")}`,
    verdicts: {
      valid: "valid",
      invalid: "invalid",
      unfinished: "stopped by the house",
      "cannot be judged": "over",
    },
    goOn: "Go on",
    look: "Look",
    notBegun: "waits until every seat is taken",
    allYours: (count: number) => `Show all ${count}`,
    line: (count: number) => `line ${count} · your secrets are kept here`,
    results: { won: "you won", lost: "you lost", level: "nobody won" } as { [result: string]: string },
    seats: (count: number) => plural(count, "seat"),
    moreShort: "More …",
    contest: "A contest",
    versus: (title: string, others: readonly string[]) =>
      others.length ? `${title} with ${listed(others.map(told))}` : title,
    open: "Open tables",
    openOne: "Open a table",
    allTables: "All tables",
    noneOpen: "Nobody waits at a table. Open one, and others can sit down.",
    sit: "Sit down",
    watch: "Watch",
    free: (free: number, all: number) => `${plural(all, "seat")}, ${free} free`,
    playing: (lines: number) => `being played · ${plural(lines, "line")}`,
    wasPlayed: (lines: number) => `over · ${plural(lines, "line")}`,
    contests: "Running contests",
    vs: (name: string) => `vs ${name}`,
    allContests: "All contests",
    noContests: "No contest is running.",
    committed: "codes committed",
    part: (games: number, kind: string, base: number, length: number) =>
      `${plural(games, `${kind} code`)} of ${plural(length, "digit")} below ${base}`,
    teams: (count: number) => plural(count, "team"),
    check: "Check any game",
  },

  intervals: {
    caption: "Mean guesses with 95 % intervals.",
    row: (rank: number | null, name: string, mean: string, low: string, high: string) =>
      `${rank === null ? "" : `${rank}: `}${name} ${mean}, ${low} to ${high}.`,
    level: (count: number) => `The first ${count} cannot be told apart yet.`,
  },

  drop: {
    here: "Drop a transcript here",
    from: "from this arena or any other. Nothing is uploaded.",
    choose: "Choose a file",
    example: "Try an example",
    onlyReceipts: "These are receipts. Choose the transcript together with them.",
    unreadable: (name: string) => `${who(name)} cannot be read.`,
    keep: "Or keep the checker:",
    keepAfter: "one file, works without us and without a network.",
  },

  foot: {
    money: "Play money and test chains. Nothing here is a licence to run a casino.",
    api: "API",
    docs: "Documents",
  },

  play: {
    title: (game: string) => `${game}: a new game`,
    who: "Who plays",
    seat: (number: number, role: string) => `Seat ${number}, ${role}`,
    you: "You",
    anyone: "Anyone who sits down",
    params: "How it is played",
    listed: "Others may find it in the lobby and watch",
    open: "Open the table",
    seats: "How many seats",
    chain: "Your browser holds a hash chain of its own. Every draw is made from the house’s chain and yours.",
    refused: "The arena refuses this:",
    none: "There is no such game here.",
  },

  table: {
    label: "The table",
    yourMove: "● your move",
    rules: "Rules",
    leave: "Leave",
    leaveAsk: "Leave for good? You lose this game, and the record says that you left.",
    leaveYes: "Leave the game",
    stay: "Stay",
    hint: "Hint",
    coach: "Coach",
    exact: "exact",
    guess: "a search, not exact",
    asksRematch: "you are asked to play again",
    mixes: "Perfect play mixes. So often it makes each move:",
    remark: "Say something to the table",
    remarkHint: "It stands in the record, for everybody and for ever.",
    say: "Say it",
    hintNoted: "The record notes that you asked.",
    waitingFor: (names: readonly string[]) => `Waiting for ${listed(names.map(who))}.`,
    none: "There is no such table here.",
    openSeats: "The game begins when every seat is taken.",
    invite: "Send somebody this address:",
    getUp: "Get up",
    takeDown: "Take this table down",
    neverBegan: "The game never began. Nobody came in an hour, or everybody got up.",
    forget: "Take it off my games",
    elsewhere: "This seat is being played in another tab of this browser.",
    takeOver: "Play here instead",
    noSecret:
      "This browser keeps no secrets for this seat, so it cannot play on: they were made in the browser that sat down first.",
    replay: (line: number, all: number) => `Replay: line ${line} of ${all}`,
    toLive: "Back to the game",
    toEnd: "To the end",
    replayLabel: "Replay",
    theEnd: "the end",
    liveNow: "live",
    first: "First line",
    back: "Back",
    forward: "Forward",
    rematch: "Play again",
    saveGame: "Save the game",
    saveReceipts: "Save the receipts",
    watching: "You are watching",
    gone: "has left",
    you: (name: string) => `You, ${told(name)}`,
    byHouse: "run by the house, lends nothing to chance",
    lends: {
      chain: "own hash chain",
      stir: "own words in each draw",
      number: "own numbers",
      nothing: "lends nothing",
      seed: "own seeds",
    } as {
      [lends: string]: string;
    },
    yourChain: "a hash chain that this page made for you in this browser",
    left: (seconds: number) => `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, "0")}`,
    sent: "Your answer is kept, and on its way.",
    cannotReach: "The arena does not answer. Your answer is kept, and is sent again.",
    voided: "The house voided this game. Nobody wins, and nothing is proven.",
    won: (people: People, seat: number) => `${does(people, seat, "win")}.`,
    nobody: "Nobody wins.",
  },

  strip: {
    label: "The record, checked by your browser",
    checks: (checked: number, all: number) => `${checked.toLocaleString("en")} of ${plural(all, "line")} check out`,
    how: "Checked here, by this page, line by line. The page’s own code came from this arena.",
    chanceOnly:
      "This page does not know the rules of this game. It has checked the chain of lines, all chance and all seals, and claims no more.",
    chainOnly: "This page knows neither the rules nor the chance of this game. It has checked the chain of lines only.",
    stillHidden:
      "What is hidden is opened in the end, and checked then. Until then, answers that rest on it are the house’s word.",
    waits: "waits for you",
    go: (line: number) => `Replay line ${line}`,
    next: { move: "Your move", seal: "Your choice, sealed" } as { [kind: string]: string },
    elided: (first: number, last: number) =>
      `Lines ${first.toLocaleString("en")} to ${last.toLocaleString("en")}: move the slider to see them.`,
    bytes: "The bytes",
    hash: "its hash, which the next line must name",
    copy: "Copy the link to this moment",
    copied: "Copied",
    copyReceipt: "Copy",
    good: "checked",
    bad: "wrong",
    open: "not checked yet",
    receipt: "Your receipts",
    receipts: (count: number) =>
      count
        ? `${plural(count, "receipt")} kept, the last of line`
        : "None yet. One is kept before each of your answers.",
    what: "What are they for?",
    whatFor:
      "A receipt is the hash of the last line that you saw before you answered. It shows that everything up to there stood before your answer, so the house cannot have chosen its part by it. This browser keeps one for every answer.",
    alarm: "The arena does not play fair here",
    at: (line: number) => `Line ${line}`,
    stop: "This browser gives no more answers at this table. Save the record: it is your evidence.",
  },

  /** What each kind of line is called. */
  line: {
    start: {
      "hash-chains/1": "The house fixed its chain",
      "hmac-sha3-user/1": "The table was opened",
      "system/1": "The table was opened",
    } as { [dealer: string]: string },
    opened: "The table was opened",
    tip: (hex: string) => `tip ${short(hex)}`,
    ticket: (run: number) => `Draw ${run} is called`,
    bound: "the house is bound by its chain",
    hmac: (hex: string) => `HMAC ${short(hex.toLowerCase())}`,
    unproven: "nothing binds the house here",
    fixed: (people: People, seat: number) =>
      seat === people.me ? "You fixed yours" : `${subject(people, seat)} fixed a chain`,
    fixedNext: (people: People, seat: number) => `${subject(people, seat)} fixed the next chain`,
    link: (people: People, seat: number, run: number) => `${whose(people, seat)} link for draw ${run}`,
    hashes: (people: People, seat: number) => seat === people.me ? "hashes to your tip" : "hashes to the tip",
    stir: (people: People, seat: number) => `${subject(people, seat)} stirred the draw`,
    number: (people: People, seat: number) => `${whose(people, seat)} number for the draw`,
    dealt: (mixed: boolean) => mixed ? "Drawn, from all parts" : "Drawn",
    hiddenDraw: "Drawn, and hidden until the end",
    draws: (draws: readonly [string, string][]) =>
      draws.slice(0, 3).map(([n, value]) => `${value} of ${n}`).join(", ") + (draws.length > 3 ? " …" : ""),
    seal: (people: People, seat: number) => `${subject(people, seat)} sealed a choice`,
    open: (people: People, seat: number) => `${subject(people, seat)} opened the seal`,
    move: (people: People, seat: number, move: string) => `${does(people, seat, "play")} ${move}`,
    hint: (people: People, seat: number | null) =>
      seat === null ? "A hint was asked for" : `${subject(people, seat)} asked for a hint`,
    note: "A note",
    remark: (people: People, seat: number | null) => seat === null ? "A remark" : does(people, seat, "say"),
    left: (people: People, seat: number, by: string) =>
      by === "house" ? `${subject(people, seat)} left, as the house says` : `${subject(people, seat)} left`,
    opening: "The house opened what was hidden",
    void: "The house voided the game",
    end: "The end",
  },

  /** What an arena did wrong, by the code of it. */
  wrong: {
    ...faults,
    "page/two-histories": "The arena showed another line here before. It tells two histories.",
    "page/does-not-follow":
      "This line does not name the hash of the line before it. Something was changed, put in or taken out.",
    "page/other-history": "The arena asks for an answer in another history than the one that it showed.",
    "page/withheld": "The arena speaks of this line, and does not show it.",
    "page/not-asked": "By the rules nothing is to be answered here. The arena asks for it all the same.",
    "page/not-what-you-said": "This stands in the record as your answer. It is not what you answered.",
    "page/receipt": "You kept the hash of this line before you answered. The line that stands here now is another one.",
  } as { [code: string]: string },

  verdict: {
    short: {
      valid: "",
      invalid: "Some line is not what it must be.",
      unfinished: "The record stops before the game was closed.",
      "cannot be judged": "This page does not know this game or its chance.",
    } as { [verdict: string]: string },
    provesNothing: "Nothing is claimed.",
    depths: {
      none: "",
      chain: "Checked: the chain of lines.",
      "chance and seals":
        "Checked: the chain of lines, all chance and all seals. The rules of this game are not known here.",
    } as { [depth: string]: string },
    said: (verdict: string) => `The game is over, and was checked: ${verdict}.`,
  },

  /** What the coach offers when a game is over. */
  askReview: "Review my decisions",

  keys: {
    title: "Keyboard",
    help: "Show this list",
    state: "Say how it stands",
    back: "One line back",
    forward: "One line forward; at the end, back to the game",
    home: "First line",
    end: "The end, live again",
    lobby: "To the lobby",
    openTable: "Open a table",
    hint: "Ask for a hint",
    choose: "Choose",
  },

  generic: {
    table: "The table",
    hidden: "hidden",
    none: "none",
    yes: "yes",
    no: "no",
    move: "Your move",
    doIt: "Do it",
    past:
      "What lay on the table then is not kept: this page does not know the rules of this game. The lines are all here.",
  },

  fate: {
    pitch: "Three odd dice each, a secret choice, one roll. Ties eat the dice.",
    facts: "2 players · 1 min",
    round: (round: number, dice: number) => `round ${round} · ${plural(dice, "die left", "dice left")}`,
    sealed: "Sealed",
    yourSeal: "Your seal",
    notYet: "not yet",
    thenBoth: "then both are opened",
    chooseLegend: "Choose one of your dice",
    chosen: "chosen",
    sealIt: "Seal my choice",
    sealing:
      "Sealing sends 32 bytes that hide your choice until you open it. The script that seals comes from the house.",
    wait: "Your choice is sealed.",
    odds: "Who beats whom",
    oddsCaption: "How often, of 36, the die in the row beats the die in the column",
    tie: "tie",
    tied: (count: number) => count ? `${count} tied` : "no ties",
    deal: (people: People, hands: readonly string[][]) =>
      `${does(people, 0, "have", "has")} ${listed(hands[0])}. ${does(people, 1, "have", "has")} ${listed(hands[1])}.`,
    dealt: "The dice are dealt",
    took: (people: People, seat: number, die: string) => `${does(people, seat, "take")} ${die}`,
    rolled: (a: number, b: number) =>
      a === b ? `Both show ${a}: a tie, and both dice are gone` : `The dice show ${a} and ${b}`,
    rolls: (people: People, dice: readonly string[], rolls: readonly number[]) =>
      `${does(people, 0, "roll")} ${rolls[0]} with ${dice[0]}, ${does(people, 1, "roll").replace(/^You/, "you")} ${
        rolls[1]
      } with ${dice[1]}.`,
    tieGone: "Tie. Both dice are gone.",
    choose: (count: number) => `Choose one of your ${plural(count, "die", "dice")}.`,
  },

  dice: {
    pitch: "A beats B beats C beats A. So do not choose first.",
    facts: "2 players · 1 min",
    faces: (faces: string) => `faces ${faces}`,
    chooseLegend: "Choose a die",
    take: "Take it",
    takeDie: (letter: string) => `Take die ${letter}`,
    first: (people: People, seat: number) => `${does(people, seat, "choose")} first`,
    taken: (people: People, seat: number, letter: string) => `${does(people, seat, "take")} die ${letter}`,
    has: (people: People, seat: number) => seat === people.me ? "yours" : `taken by ${who(people.names[seat])}`,
    rolled: (people: People, rolls: readonly string[]) =>
      `${does(people, 0, "roll")} ${rolls[0]}, ${does(people, 1, "roll").replace(/^You/, "you")} ${rolls[1]}`,
    coin: "A coin says who chooses first",
    choose: "Choose a die.",
    odds: "Who beats whom",
    oddsCaption: "The chance that the die in the row beats the die in the column.",
    cycle: "The circle",
    cycleNone: "No circle here.",
    cycleIs: (letters: readonly string[]) => `${letters.join(" beats ")} beats ${letters[0]}.`,
    champion: (letter: string) => `${letter} beats every other die.`,
    unbeaten: (letters: readonly string[]) => `No die beats ${letters.join(" or ")}.`,
    level: "No die beats another.",
    second: "Each die is beaten by another, so whoever chooses second has the better of it.",
    beats: (a: string, b: string, percent: string) => `${a} beats ${b} in ${percent}`,
    ties: (percent: string) => `${percent} ties`,
    why: "The higher roll wins.",
  },

  code: {
    pitch: "A fair, a nice or an evil keeper. Only the fair one has drawn a code.",
    facts: "solo · 3 min",
    fair: "a fair keeper",
    nice: "a nice keeper",
    evil: "an evil keeper",
    keep: "I keep the code",
    size: (base: number, length: number) => `${length} places · digits 0 to ${base - 1}`,
    board: "The board",
    guess: (number: number) => `Guess ${number}`,
    yourGuess: "Your guess",
    full: "in place",
    partial: "elsewhere",
    answer: (full: number, partial: number) => `${full} in place, ${partial} elsewhere`,
    left: (count: number) => count === 1 ? "1 code left" : `${count.toLocaleString("en")} codes left`,
    ask: "Ask",
    back: "Take back",
    giveUp: "Give up",
    digit: (digit: number) => `digit ${digit}`,
    typed: "Digits, with blanks between them",
    place: (place: number) => `place ${place}`,
    empty: "empty",
    hiddenCode: "The code is drawn, hidden and committed to. It is opened in the end.",
    noCode: "This keeper has drawn no code. It must show one in the end that fits every answer.",
    ownCode: "Think of a code. You must show one in the end that fits every answer.",
    theCode: "The code",
    waitsForAnswer: "waits for the answer",
    legend: "● right digit, right place",
    legendPartial: "○ right digit, wrong place",
    wasNone: "There was no code.",
    solved: (people: People, steps: number) =>
      `${does(people, 1, "find")} the code with ${plural(steps, "guess", "guesses")}.`,
    gaveUp: (people: People) => `${does(people, 1, "give")} up.`,
    asks: (people: People, code: string) => `${does(people, 1, "ask")} ${code}`,
    answers: (people: People, full: number, partial: number) =>
      `${does(people, 0, "answer")}: ${full} in place, ${partial} elsewhere`,
    shows: (people: People, code: string) => `${does(people, 0, "show")} the code ${code}`,
    says: (people: People) => `${does(people, 0, "say")}: no code`,
    gives: (people: People) => `${does(people, 1, "give")} up`,
    yourTurn: "Make a guess.",
    keeper: "Your answer",
    keeperHow:
      "Think of a code, and answer. You may change your mind as long as one code fits all your answers. Each answer says how many codes would be left.",
    showLegend: "Show your code",
    show: "Show it",
    none: "There is no code",
    impossible: (row: number) => `Row ${row} cannot be true: no code fits the answers up to it.`,
    noFit: (row: number, full: number, partial: number, f: number, p: number) =>
      `This code does not fit row ${row}: it would give ${full} in place and ${partial} elsewhere, and the answer was ${f} and ${p}.`,
    oneFits: (code: string) => `Only ${code} fits all answers.`,
  },

  zombie: {
    pitch: "Eat brains, dodge shotguns, stop in time. Nobody else stops in time either.",
    facts: "2–8 players · 5 min",
    scores: "Brains",
    round: (round: number, max: number) => max ? `round ${round} of ${max}` : `round ${round}`,
    toWin: (brains: number) => `first to ${brains} brains`,
    byTurns: (turns: number) => `most brains after ${plural(turns, "round")}`,
    extra: "tie break",
    tied: "Tie. One more round for those who lead.",
    rolling: "Dice rolling area",
    brainArea: "Brains this turn",
    shotArea: "Shotguns this turn",
    bag: "In the bag",
    roll: "Roll",
    hold: "Stop and score",
    turn: (people: People, seat: number) => seat === people.me ? "Your turn." : `${who(people.names[seat])}’s turn.`,
    rolls: (people: People, seat: number) => `${does(people, seat, "roll")}`,
    holds: (people: People, seat: number) =>
      `${does(people, seat, "stop")} and score`.replace(/s and score$/, "s and scores"),
    passes: (people: People, seat: number) => `${does(people, seat, "pass", "passes")}`,
    shown: (brains: number, feet: number, shots: number) =>
      listed([
        ...(brains ? [plural(brains, "brain")] : []),
        ...(feet ? [`${feet} got away`] : []),
        ...(shots ? [plural(shots, "shotgun")] : []),
      ]),
    shot: (people: People, seat: number) =>
      `${subject(people, seat)} ${
        seat === people.me ? "were" : "was"
      } shot three times: the turn is over, and nothing is scored.`,
    held: (people: People, seat: number, brains: number) =>
      `${does(people, seat, "score")} ${plural(brains, "brain")}.`,
    passed: (people: People, seat: number) => `${does(people, seat, "pass", "passes")}.`,
    stands: (brains: number, shots: number) => `${plural(brains, "brain")} and ${plural(shots, "shotgun")} so far.`,
    score: (people: People, seat: number, score: number) => `${subject(people, seat)} ${score}`,
    decide: "Roll, or stop and score.",
    decideFirst: "Roll.",
    risk: (percent: string) => `${percent} chance to be shot down`,
    riskHow: "Counted over all dice that can come out of the bag, and all their faces.",
    odds: (people: People, seat: number, again: boolean) =>
      `If ${does(people, seat, "roll").replace(/^You/, "you")}${again ? " again" : ""}`,
    expected: (brains: string) => `Otherwise ${brains} more brains on average.`,
    shuffle: "The order of turns is drawn",
    out: "out",
    gone: "left",
  },
};
