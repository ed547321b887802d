/**
 * The Player of the Blind Croupier, in this browser: it signs, keeps its seeds, and believes neither the Croupier
 * nor the Bank.
 *
 * One loop, led by the Bank: look how far the Bank says that the hand is, compare that with what was computed here,
 * do what is owed next, look again. So the same code plays a hand, takes it up again after a reload, and goes on
 * without the Croupier. Whatever leaves this browser is kept first.
 */
import { Problem } from "../arena/api.ts";
import { keepThing, thing } from "../arena/secrets.ts";
import { fromText, toHex } from "../check/bytes.ts";
import { check } from "../check/check.ts";
import { Poker } from "../check/games/poker.ts";
import { type Json, object } from "../check/json.ts";
import { Bet, chanceOf } from "../check/schemes/croupier.ts";
import { d } from "../words/croupier.ts";
import {
  type Bank,
  type BankCall,
  type BankGame,
  desk,
  faucet,
  ledger,
  NO_KEY,
  OUTCOME,
  STEP,
  written,
} from "./bank.ts";
import { ChainBank } from "./chain.ts";
import { ownKey } from "./keys.ts";
import { type BetFields, betHash, gameKey, Signer } from "./messages.ts";
import {
  account,
  address,
  Alarm,
  alarm,
  cards,
  chain,
  choice,
  deadline,
  ended,
  type Hand,
  type Node,
  node,
  reached,
  type Stage,
  stage,
  steps,
  terms,
  trouble,
  upkeep,
} from "./shown.ts";

/** Seconds in which a signed bet may be taken. */
const EXPIRY = 120;
/** Seconds that the Croupier has to bring something to the Bank before this browser does it; at most half a step. */
const PATIENCE = 60;
const PAUSE = 400;
/** A node of somebody else's should not be asked all the time. */
const CHAIN_PAUSE = 1000;
const ROYAL = [250, 500, 750, 1000, 4000];

let bank: Bank = ledger;
let signer: Signer;
let hand: Hand | null = null;
let signed: Bet;
let his: [string | null, string | null] = [null, null];
let running = false;

const chips = (wei: number | string) => BigInt(wei) / BigInt(terms.value?.chip_cost ?? 1);
export const chipsOf = (wei: number | string) => Number(chips(wei));

function tell(words: string, detail = "", checked = true): void {
  if (steps.value.some((step) => step.words === words)) return;
  steps.value = [...steps.value, { words, detail, checked }];
}

/** Each Bank has its own hand on the table. */
const handName = ({ chain, bank }: { chain: number; bank: string }) => chain ? `hand/${chain}/${bank}` : "hand";
const keepHand = () => keepThing(handName(hand!), hand as unknown as Json);

/** Takes a node of the user's. The page comes anew, with a policy that admits this node and no other. */
export async function useNode(named: Node | null): Promise<void> {
  await keepThing("node", named as unknown as Json);
  const place = named ? `/?node=${encodeURIComponent(new URL(named.url).origin)}` : "/";
  // To the same address a browser would only jump, and load nothing.
  if (place === `${location.pathname}${location.search}`) location.reload();
  else location.assign(`${place}${location.hash}`);
}

/** The Bank that the Croupier plays at. `null`: it is on a chain, and no node is named. */
async function bankOf(chain: number, address: string): Promise<Bank | null> {
  if (chain === 0) return ledger;
  node.value = (await thing("node") as unknown as Node | null | undefined) ?? null;
  if (!node.value) return null;
  if (new URLSearchParams(location.search).get("node") !== new URL(node.value.url).origin) {
    await useNode(node.value);
    return null;
  }
  const found = await ChainBank.open(node.value.url, chain, address);
  if (!found) throw new Alarm("bank", d.alarm.otherCode);
  return found;
}

/** Where the page is, as long as this tab is the one that plays. */
function enter(next: Stage): void {
  if (holding) stage.value = next;
}

function clear(): void {
  ended.value = null;
  alarm.value = null;
  steps.value = [];
  cards.value = [];
  choice.value = null;
  his = [null, null];
}

/** One tab plays, so that no order is signed twice and no hand is forgotten. Another one may take over. */
let holding = false;

function hold(steal: boolean): Promise<boolean> {
  return new Promise((resolve) => {
    navigator.locks.request("fairground/croupier", steal ? { steal } : { ifAvailable: true }, (lock) => {
      holding = !!lock;
      if (lock) clear(); // another tab may have played meanwhile
      resolve(holding);
      return lock ? new Promise(() => {}) : undefined; // held as long as this tab lives
    }).catch(() => {
      holding = false;
      stage.value = "elsewhere";
    });
  });
}

/** Opens the desk: the key, the terms, and a hand that was not finished. */
export async function open(steal = false): Promise<void> {
  trouble.value = "";
  if (!holding && !await hold(steal)) {
    stage.value = "elsewhere";
    return;
  }
  if (stage.value === "elsewhere") enter("working");
  try {
    const about = await desk.about();
    chain.value = Number(about.chain);
    const chosen = await bankOf(Number(about.chain), about.bank);
    if (!chosen) {
      enter("node");
      return;
    }
    bank = chosen;
    const found = await bank.terms();
    if (about.bank !== found.bank || Number(about.chain) !== found.chain) {
      throw new Alarm("croupier", d.alarm.otherBank);
    }
    terms.value = found;
    if (bank instanceof ChainBank) upkeep.value = await bank.upkeep();
    signer = new Signer(await ownKey(), found.chain, found.bank);
    address.value = signer.address;
    account.value = await bank.account(signer.address);
    hand = (await thing(handName(found)) as unknown as Hand | null | undefined) ?? null;
    if (!hand) enter("ready");
    else await play();
  } catch (error) {
    if (error instanceof Alarm) alarm.value = error;
    else if (!(error instanceof Problem)) throw error;
    else trouble.value = error.detail;
    if (stage.value === "working") enter("away");
  }
}

/** Play money into the account, and the key's registration, if it is new. */
export async function deposit(count: number): Promise<void> {
  await guarded(async () => {
    const amount = BigInt(count) * BigInt(terms.value!.chip_cost);
    const now = await bank.account(signer.address);
    if (now.key === NO_KEY) {
      await bank.send(signer, { call: "submitPublicKey", key: signer.address, proof: signer.key() });
    }
    const missing = amount - BigInt(now.purse);
    if (bank === ledger && missing > 0n) await faucet(signer.address, String(missing));
    await bank.send(signer, { call: "depositFunds", amount: written(amount) });
    account.value = await bank.account(signer.address);
  });
}

/** What the account has now. */
export const look = () => guarded(async () => void (account.value = await bank.account(signer.address)));

/** Everything comes home: into the purse of this key, outside of the Bank. */
export async function withdraw(): Promise<void> {
  await guarded(async () => {
    const { available } = await bank.account(signer.address);
    await bank.send(signer, { call: "withdrawFunds", amount: available });
    account.value = await bank.account(signer.address);
  });
}

async function guarded(work: () => Promise<void>): Promise<void> {
  trouble.value = "";
  try {
    await work();
  } catch (error) {
    if (error instanceof Alarm) alarm.value = error;
    else if (error instanceof Problem) trouble.value = error.detail;
    else throw error;
  }
}

/** Begins a hand: an offer, checks, two fresh seeds, a signed bet. */
export async function begin(bet: number, level: number): Promise<void> {
  clear();
  enter("working");
  await guarded(async () => {
    const found = terms.value!;
    const offer = await desk.offer(signer.address);
    tell(d.step.offer, offer.commitments.join(" "));
    const croupier = await bank.account(offer.croupier);
    if (croupier.key !== offer.croupier_key) throw new Alarm("croupier", d.alarm.otherKey);
    tell(d.step.hisKey, offer.croupier_key);
    const next = await bank.next(offer.croupier, signer.address);
    if (String(next) !== String(offer.game_id)) throw new Alarm("croupier", d.alarm.otherNumber);
    if (chips(croupier.available) < BigInt(bet * ROYAL[level - 1])) throw new Alarm("croupier", d.alarm.tooPoor);
    tell(d.step.canPay(Number(chips(croupier.available)), bet * ROYAL[level - 1]));
    const seeds = [0, 1].map((id) => signer.seed(offer.croupier, offer.game_id, id));
    const [{ now }, since] = await Promise.all([bank.terms(), bank.height()]);
    const fields: BetFields = {
      croupier: offer.croupier,
      player: signer.address,
      croupier_key: offer.croupier_key,
      player_key: signer.address,
      game_id: offer.game_id,
      bet,
      level,
      chip_cost: found.chip_cost,
      croupier_commitment_0: offer.commitments[0],
      croupier_commitment_1: offer.commitments[1],
      player_commitment_0: seeds[0].commitment,
      player_commitment_1: seeds[1].commitment,
      expiry: Math.min(now + EXPIRY, Number(offer.expiry)),
    };
    hand = {
      id: offer.id,
      chain: found.chain,
      bank: found.bank,
      bet: fields,
      signature: signer.bet(fields),
      seeds: [seeds[0].seed, seeds[1].seed],
      since,
      order: null,
      orderSignature: "",
    };
    await keepHand();
  });
  if (hand && !alarm.value) await play();
  else if (stage.value === "working") enter("ready");
}

/** Gives the order: 1 replaces, 0 keeps. */
export async function draw(order: number[]): Promise<void> {
  if (!hand || hand.order) return;
  hand.order = order;
  hand.orderSignature = signer.order(hand.bet, order);
  await keepHand();
  await play();
}

/** Goes on with the hand until it is over or the person must choose. */
async function play(): Promise<void> {
  if (running || !hand) return;
  running = true;
  enter("working");
  signed = new Bet(object({ ...hand.bet, chain: hand.chain, bank: hand.bank, signature: hand.signature }));
  try {
    while (holding && !await step()) {
      await new Promise((resolve) => setTimeout(resolve, node.value ? CHAIN_PAUSE : PAUSE));
    }
  } catch (error) {
    if (!(error instanceof Alarm)) throw error;
    alarm.value = error;
    enter("over");
  } finally {
    running = false;
  }
}

/** One look and one act. True: there is nothing more to do here. */
async function step(): Promise<boolean> {
  const { bet, order } = hand!;
  try {
    const state = await bank.game(gameKey(bet));
    trouble.value = "";
    await hear(state);
    show();
    compare(state);
    if (state.outcome !== OUTCOME.open) return await finish(state);
    reached.value = state.step;
    if (state.step === STEP.croupier0 && !order) {
      const { now } = await bank.terms();
      deadline.value = Date.now() + 1000 * (state.deadline - now);
      enter("choose");
      return true;
    }
    enter("working");
    return await act(state);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    trouble.value = error.detail; // the Bank is away, or somebody was quicker: look again
    return false;
  }
}

/** How the Bank names a bet: by the last 20 bytes of its hash. */
const nameOf = (bet: BetFields) => "0".repeat(24) + toHex(betHash(bet)).slice(24);

/** What the Bank recorded. A seed that it took must be the one that was committed to. */
async function hear(state: BankGame): Promise<void> {
  if (state.step === STEP.none) return;
  if (state.bet_hash !== nameOf(hand!.bet)) throw new Alarm("bank", d.alarm.otherBet);
  tell(d.step.locked, state.bet_hash);
  if (his[0] && (his[1] || state.step < STEP.croupier1)) return;
  for (const event of await bank.events(gameKey(hand!.bet), hand!.since)) {
    if (event.event !== "CroupierSeedSubmitted") continue;
    const id = event.seedId as 0 | 1, seed = `${event.nonce}${event.signature}`;
    if (!signed.isGoodSeed(seed, "croupier", id)) throw new Alarm("bank", d.alarm.badSeed);
    his[id] = seed;
    tell(d.step.hisSeed(id), seed);
  }
}

interface Computed {
  dealt: number[];
  final: number[] | null;
  prize: number;
}

/** The cards, computed here from both parties' seeds. */
function computed(poker = rules()): Computed | null {
  const { bet, seeds, order } = hand!;
  if (!his[0]) return null;
  const run = (id: 0 | 1) => {
    const chance = chanceOf(signed.gameSeed(id, his[id] as string, seeds[id]));
    for (let next = poker.awaits(); next.kind === "draw"; next = poker.awaits()) poker.draw(chance.below(next.n));
  };
  run(0);
  const dealt = poker.view().hand;
  if (!order) return { dealt, final: null, prize: 0 };
  poker.play(new Map([[1, order]]));
  if (poker.awaits().kind === "draw") {
    if (!his[1]) return { dealt, final: null, prize: 0 };
    run(1);
  }
  const { hand: final, pays } = poker.view();
  return { dealt, final, prize: bet.bet * (pays ?? 0) };
}

const rules = () => new Poker(object({ bet: hand!.bet.bet, level: hand!.bet.level }), true);

/** What the Croupier's silence costs him now, in chips, by the rules of the Bank. */
function penalty(state: BankGame): number {
  const poker = rules();
  if (state.step > STEP.bet) computed(poker);
  return poker.endsWithout(0)[1] + hand!.bet.bet * hand!.bet.level;
}

function show(): void {
  const found = computed();
  if (!found) return;
  cards.value = found.final ?? found.dealt;
  const { order, bet: { bet, level } } = hand!;
  choice.value = { dealt: found.dealt, bet, level, order };
  tell(d.step.dealt, found.dealt.join(" "));
  if (found.final) tell(d.step.drawn, found.final.join(" "));
}

/** The Bank's cards must be those that were computed here. */
function compare(state: BankGame): void {
  const found = computed();
  if (!found || state.step < STEP.dealt || !state.hand) return;
  const theirs = Array.from({ length: 5 }, (_, i) => Math.floor(state.hand / 2 ** (8 * i)) % 256);
  const ours = state.step === STEP.final && found.final ? found.final : found.dealt;
  if (theirs.join() !== ours.join()) throw new Alarm("bank", d.alarm.otherCards);
}

async function act(state: BankGame): Promise<boolean> {
  const { id, bet, signature, seeds, order, orderSignature } = hand!;
  const found = terms.value!;
  const { now } = await bank.terms();
  const late = now >= state.deadline - found.step_time + Math.min(found.step_time / 2, PATIENCE);
  const bring = (made: BankCall) => bank.send(signer, { bet, ...made });
  if ([STEP.croupier0, STEP.croupier1].includes(state.step) && !await isDeep(state, now)) return false;
  switch (state.step) {
    case STEP.none:
      // Once it is signed he may bring it, whatever he says. So its seeds are kept until it counts no more.
      if (now > Number(bet.expiry)) return await over(d.end.lapsed, 0);
      await said(d.step.bet(bet.bet * bet.level), () => desk.bet(id, bet, signature), signature);
      return false;
    case STEP.bet:
      if (now > state.deadline) await bring({ call: "complainNoFirstCroupierSeed" });
      return false;
    case STEP.croupier0:
      await said(d.step.order, () => desk.order(id, order!, orderSignature, seeds[0]));
      if (late) {
        await bring({
          call: "submitPlayerSeedAndOrder",
          seed: seeds[0],
          croupiers: his[0]!.slice(64),
          order: order!,
          signature: orderSignature,
        });
      }
      return false;
    case STEP.dealt:
      if (late && order) await bring({ call: "submitReplacementOrder", order, signature: orderSignature });
      return false;
    case STEP.order:
      if (now > state.deadline) await bring({ call: "complainNoSecondCroupierSeed" });
      return false;
    case STEP.croupier1:
      await said(d.step.seed1, () => desk.seed(id, seeds[1]));
      if (late) await bring({ call: "submitPlayerSeedAndResult", seed: seeds[1], croupiers: his[1]!.slice(64) });
      return false;
    default:
      if (late) await bring({ call: "submitGameResult" });
      return false;
  }
}

/**
 * Whether the Croupier's seed lies deep enough in the chain. In the last quarter of the time it counts as it is: a stake
 * that is lost for sure is worse than one that is lost if the chain takes these blocks back.
 */
async function isDeep(state: BankGame, now: number): Promise<boolean> {
  const wanted = node.value?.confirmations ?? 0;
  if (!wanted) return true;
  const then = await bank.game(gameKey(hand!.bet), wanted);
  if (then.step >= state.step && then.bet_hash === state.bet_hash) return true;
  return state.deadline - now < terms.value!.step_time / 4;
}

/** What the Croupier has heard in this tab, and why he did not take it, if he did not. */
const told = new Map<string, string>();

/** Tells the Croupier, until he hears it. What he does not take goes to the Bank when it is late. */
async function said(words: string, tells: () => Promise<unknown>, detail = ""): Promise<void> {
  const key = `${hand!.id} ${words}`;
  try {
    if (!told.has(key)) {
      await tells();
      told.set(key, "");
      tell(words, detail);
    }
    trouble.value = told.get(key)!;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    trouble.value = error.detail;
    if (error.code.startsWith("croupier/")) told.set(key, d.notTaken(error.detail));
  }
}

async function finish(state: BankGame): Promise<boolean> {
  const found = computed();
  const paid = await paidOut();
  if (state.outcome === OUTCOME.settled) {
    if (!found?.final || paid !== found.prize) throw new Alarm("bank", d.alarm.otherPrize);
    tell(d.step.settled(paid));
    return await over(paid ? d.end.won(paid) : d.end.nothing, paid);
  }
  if (state.outcome === OUTCOME.croupierForfeited) {
    const owed = state.step === STEP.bet || state.step === STEP.order;
    if (!owed || paid !== penalty(state)) throw new Alarm("bank", d.alarm.otherPrize);
    return await over(d.end.hisForfeit(paid), paid);
  }
  if (state.outcome !== OUTCOME.playerForfeited) throw new Alarm("bank", d.alarm.otherPrize);
  return await over(d.end.yourForfeit, 0);
}

/** The chips that the Bank recorded for us. */
async function paidOut(): Promise<number> {
  const events = await bank.events(gameKey(hand!.bet), hand!.since);
  const paid = events.find(({ event }) => event === "GameSettled")?.prize ??
    events.find(({ event }) => event === "CroupierForfeited")?.penalty;
  return paid === undefined ? -1 : Number(chips(paid as number | string));
}

/** The end: the record is fetched, and judged by the same checker as any other. */
async function over(words: string, prize: number): Promise<boolean> {
  const { id } = hand!;
  const transcript = await desk.transcript(id).catch(() => "");
  const verdict = transcript ? check(fromText(transcript)) : null;
  account.value = await bank.account(signer.address);
  const name = handName(hand!);
  hand = null;
  await keepThing(name, null);
  ended.value = { words, prize, verdict, transcript };
  enter("over");
  return true;
}
