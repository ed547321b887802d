/** The verdict on the record of a session: every hand, and whether they come to the balance that both signed. */
import { type Answer, answering, together, unanswered } from "./answers.ts";
import { fromHex, fromText, toHex } from "./bytes.ts";
import { type Claim, Evidence } from "./claims.ts";
import { counted } from "./games/game.ts";
import { readingRecord, readLine, split } from "./chain.ts";
import { Fault } from "./fault.ts";
import { hasJust, isHex, isObject, type Json, type JsonObject, readInt } from "./json.ts";
import { isAddress, isSignature, keccak, separatorOf, signerOf, tag, word } from "./schemes/croupier.ts";
import { atOnce, type Slices } from "./slices.ts";
import { replaying } from "./table.ts";
import { whole } from "./whole.ts";

export interface SessionVerdict {
  ok: boolean;
  verdict: "valid" | "invalid";
  /** What happened, in a sentence. */
  result: string | null;
  answers: Answer[];
  claims: Claim[];
  fault: { line: number | null; code: string; reason: string } | null;
  hands: number | null;
  /** What the Player has in the end, in wei, by what both have signed. */
  share: string | null;
}

const FORMAT = "fairground-session/1";
const SESSION_TYPE = "Session(address croupier,address player,address croupierKey,address playerKey,uint256 number," +
  "uint256 playerFunds,uint256 croupierFunds,uint256 expiry)";
const STATE_TYPE = "State(bytes32 session,uint256 hands,uint256 playerShare,bytes32 head,bool last)";
const PARTIES = ["croupier", "player", "croupier_key", "player_key"];
const FUNDS = ["number", "player_funds", "croupier_funds", "expiry"];
const PLAYER = 1;

interface Session {
  separator: Uint8Array;
  place: string[];
  terms: JsonObject;
  name: Uint8Array;
  opening: Json;
  hands: string[];
  state: JsonObject;
  signatures: { player: Json; croupier: Json };
  disputed: string | null;
}

function malformed(reason: string, line: number): Fault {
  return new Fault("session/format", reason, line);
}

function amount(value: Json | undefined, line: number): bigint {
  const number = readInt(value);
  if (number === null || number < 0n || number >= 2n ** 256n) throw malformed("a number is out of range", line);
  return number;
}

function transcript(event: JsonObject, kind: string, line: number): string {
  if (event.kind !== kind || typeof event.transcript !== "string") throw malformed(`not a line of kind ${kind}`, line);
  return event.transcript;
}

function read(bytes: Uint8Array): Session {
  const events = split(bytes).map((piece, i) => {
    const found = readLine(piece);
    if (!found) throw malformed("a line is not canonical JSON", i + 1);
    return found.event;
  });
  let disputed: string | null = null;
  if (events.at(-1)?.kind === "disputed") {
    disputed = transcript(events.at(-1) as JsonObject, "disputed", 1);
    events.pop();
  }
  if (events.length < 2) throw malformed("it has a beginning and an end", 1);
  const [first, last] = [events[0], events[events.length - 1]];
  if (first.kind !== "session" || first.format !== FORMAT || last.kind !== "state") {
    throw malformed("it does not begin and end as a session does", 1);
  }
  const { terms, bank } = first;
  const { state } = last;
  if (!isObject(terms) || !hasJust(terms, [...PARTIES, ...FUNDS])) throw malformed("not the terms of a session", 1);
  if (!PARTIES.every((name) => isAddress(terms[name])) || !isAddress(bank)) throw malformed("not an address", 1);
  if (!isObject(state) || !hasJust(state, ["session", "hands", "player_share", "head", "last"])) {
    throw malformed("not a state", 1);
  }
  if (!isHex(state.session) || !isHex(state.head) || typeof state.last !== "boolean") {
    throw malformed("not a state", 1);
  }
  const signatures = { player: last.player_signature, croupier: last.croupier_signature };
  if (![first.signature, signatures.player, signatures.croupier].every(isSignature)) {
    throw malformed("a signature is 130 hex digits", 1);
  }
  const chain = amount(first.chain, 1);
  return {
    separator: separatorOf(chain, bank),
    place: [chain.toString(), bank, ...PARTIES.map((name) => terms[name] as string)],
    terms,
    name: keccak(
      tag(SESSION_TYPE),
      ...PARTIES.map((name) => word(BigInt(terms[name] as string))),
      ...FUNDS.map((name) => word(amount(terms[name], 1))),
    ),
    opening: first.signature,
    hands: events.slice(1, -1).map((event) => transcript(event, "hand", 1)),
    state,
    signatures,
    disputed,
  };
}

interface Hand {
  /** What it brought the Player, net, in wei. */
  won: bigint;
  chip: bigint;
  answers: Answer[];
}

/** A hand; refused unless it is valid, and this one of this session. */
function* played(session: Session, number: number, text: string, line: number, toTheEnd: boolean): Slices<Hand> {
  const refuse = (reason: string) => new Fault("session/hand", `hand ${number}: ${reason}`, line);
  try {
    const lines = yield* readingRecord(fromText(text));
    const story = yield* replaying(lines);
    const evidence = new Evidence(story, [], whole(story).unsigned);
    const answers = answering(evidence, yield* evidence.all());
    const bet = lines[0].event.public;
    if (lines[0].event.dealer !== "croupier/1" || !isObject(bet)) throw refuse("it is not of the Croupier");
    const place = [amount(bet.chain, line).toString(), bet.bank, ...PARTIES.map((name) => bet[name])];
    const game = 2n ** 255n + (amount(session.terms.number, line) << 128n) + BigInt(number);
    if (place.join() !== session.place.join() || amount(bet.game_id, line) !== game) {
      throw refuse("it is of another session, or another hand");
    }
    if (toTheEnd && lines.some(({ event }) => event.kind === "forfeit")) throw refuse("it was not played to its end");
    const payoff = story.payoff;
    if (!Array.isArray(payoff)) throw refuse("it is not over");
    const chip = amount(bet.chip_cost, line);
    return { won: (readInt(payoff[PLAYER]) as bigint) * chip, chip, answers };
  } catch (error) {
    if (error instanceof Fault && !error.code.startsWith("session/")) throw refuse(error.reason);
    throw error;
  }
}

function* judging(session: Session): Slices<SessionVerdict> {
  const { terms, state, separator } = session;
  const end = session.hands.length + 2;
  const mustSign = (hash: Uint8Array, signature: Json, key: string, line: number) => {
    if (signerOf(separator, hash, signature) !== terms[key]) {
      throw new Fault("session/signature", `it is not signed by the ${key}`, line);
    }
  };
  mustSign(session.name, session.opening, "player_key", 1);
  let head: Uint8Array = new Uint8Array(32);
  let share = amount(terms.player_funds, 1);
  const hands: Hand[] = [];
  for (const [number, text] of session.hands.entries()) {
    hands.push(yield* played(session, number, text, number + 2, true));
    share += hands[number].won;
    head = keccak(head, keccak(fromText(text)));
  }
  const said = [state.session, amount(state.hands, 1), amount(state.player_share, 1), state.head];
  if (said.join() !== [toHex(session.name), session.hands.length, share, toHex(head)].join()) {
    throw new Fault("session/other-balance", "the hands come to another balance than the signed state", end);
  }
  if (session.hands.length || state.last) {
    const hash = keccak(
      tag(STATE_TYPE),
      session.name,
      word(session.hands.length),
      word(share),
      fromHex(state.head as string),
      word(state.last ? 1 : 0),
    );
    mustSign(hash, session.signatures.player, "player_key", end);
    mustSign(hash, session.signatures.croupier, "croupier_key", end);
  }
  const count = session.hands.length;
  if (session.disputed !== null) hands.push(yield* played(session, count, session.disputed, end + 1, false));
  const chip = hands[0]?.chip ?? 1n;
  const last = state.last === true, disputed = session.disputed !== null;
  const funds = amount(terms.player_funds, 1);
  const chips = (wei: bigint) => counted(Number(wei / chip), "chip");
  const total = chips(funds + amount(terms.croupier_funds, 1));
  return {
    ok: true,
    verdict: "valid",
    result: resultOf((share - funds) / chip, count, last, disputed),
    answers: together(hands.map(({ answers }) => answers), last, disputed),
    claims: [{
      claim: "SIGNED",
      seat: null,
      name: null,
      condition: "the keys are theirs alone",
      result: count
        ? `both parties signed that after ${counted(count, "hand")} the Player has ${chips(share)} of ${total}; ` +
          "and the hands, played again, come to just that"
        : last
        ? "both parties signed that no hand was played"
        : "both parties signed no hand to its end",
      lines: [end],
      witness: null,
    }],
    fault: null,
    hands: count,
    share: share.toString(),
  };
}

function resultOf(won: bigint, hands: number, last: boolean, disputed: boolean): string {
  const all = `in ${counted(hands, "hand")}${last || disputed ? "" : " so far"}.`;
  const chips = counted(Number(won < 0n ? -won : won), "chip");
  const said = won === 0n
    ? `The Player breaks even ${all}`
    : `The Player ${won > 0n ? "wins" : "loses"} ${chips} ${all}`;
  return disputed ? `${said} One more hand ended at the Bank.` : said;
}

/** Checks the record of a session. What the Bank made of it, only the Bank can say. */
export function* checkingSession(bytes: Uint8Array): Slices<SessionVerdict> {
  try {
    return yield* judging(read(bytes));
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const { code, reason, line } = error;
    return {
      ok: false,
      verdict: "invalid",
      result: null,
      answers: unanswered(error, "invalid"),
      claims: [],
      fault: { line: line ?? null, code, reason },
      hands: null,
      share: null,
    };
  }
}

/** The same, at once. */
export const checkSession = (bytes: Uint8Array): SessionVerdict => atOnce(checkingSession(bytes));
