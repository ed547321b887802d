/**
 * The Bank as a contract, through a node that the user has named. The arena has no part in it: what the Bank has and
 * does is asked of that node, and every call is a transaction that this browser signs.
 */
import { Problem } from "../arena/api.ts";
import { keepThing, thing } from "../arena/secrets.ts";
import { fromHex, toHex } from "../check/bytes.ts";
import type { Json } from "../check/json.ts";
import { spelled } from "../check/schemes/croupier.ts";
import { d } from "../words/croupier.ts";
import type { Account, Bank, BankCall, BankEvent, BankGame, BankTerms } from "./bank.ts";
import { written } from "./bank.ts";
import { type BetFields, betWords, keccak, type Signer, type Word } from "./messages.ts";
import {
  BET,
  callData,
  type Draft,
  quantity,
  selector,
  SIGNATURE,
  signatureWords,
  signedTransaction,
  wordsOf,
} from "./transactions.ts";

/** What the compiler made of the contract, without its terms; the build puts it here. */
declare const BANK_CODE: string;
const bankCode: { hash: string; immutables: { CHIP_COST: number[]; STEP_TIME: number[] } } = JSON.parse(BANK_CODE);

const FIRST_LOOK = 50;
const LONGEST_PAUSE = 1000;
/** Milliseconds that a transaction may take to come into a block. */
const PATIENCE = 90_000;
/** What a unit of gas may cost, in wei, where nothing is lost by waiting. */
const DEAREST = 500n * 10n ** 9n;
const USUAL_TIP = 10n ** 9n;
/** Gas of the calls that a Player may owe in one hand, with room for a dearer day. */
const UPKEEP = 4n * 500_000n;

const ERRORS = [
  ..."AlreadySubmitted BadBet BadOrder BadSeedId BadSignature BetExpired GameOver NotAParty UnknownBet WrongKey WrongSeed"
    .split(" ").map((name) => `${name}()`),
  "InsufficientFunds(address,uint256,uint256)",
  ...["TooEarly", "TooLate", "WrongGameId"].map((name) => `${name}(uint256)`),
  ...["WrongStep", "WrongSession"].map((name) => `${name}(uint8)`),
  ...["KeyTaken", "AccountFull"].map((name) => `${name}(address)`),
];

interface NodeError {
  code: number;
  message: string;
  data?: unknown;
}

interface Receipt {
  status: string;
}

interface Block {
  number: string;
  timestamp: string;
  baseFeePerGas?: string;
}

interface Log {
  topics: string[];
  data: string;
}

/** One transaction on its way: kept before it is sent, so that no call is made twice by a reload. */
interface Letter {
  made: string;
  draft: { [name in keyof Draft]: string | number };
  hashes: string[];
  raw: string;
}

export class ChainBank implements Bank {
  private constructor(
    private readonly url: string,
    readonly chain: number,
    readonly address: string,
    private readonly chipCost: bigint,
    private readonly stepTime: number,
  ) {}

  /** The Bank at this address, once its code is found to be ours to the byte. `null`: it is another contract. */
  static async open(url: string, chain: number, address: string): Promise<ChainBank | null> {
    const at = Number(await rpc<string>(url, "eth_chainId"));
    if (at !== chain) throw new Problem(409, "bank/other-chain", d.node.otherChain(at, chain));
    const code = fromHex((await rpc<string>(url, "eth_getCode", address, "latest")).slice(2));
    const terms = { CHIP_COST: 0n, STEP_TIME: 0n };
    for (const name of ["CHIP_COST", "STEP_TIME"] as const) {
      for (const place of bankCode.immutables[name]) {
        const value = BigInt("0x" + (toHex(code.slice(place, place + 32)) || "0"));
        if (terms[name] && terms[name] !== value) return null;
        terms[name] = value;
        code.fill(0, place, place + 32);
      }
    }
    if (toHex(keccak(code)) !== bankCode.hash) return null;
    return new ChainBank(url, chain, address, terms.CHIP_COST, Number(terms.STEP_TIME));
  }

  private ask<T>(method: string, ...values: unknown[]): Promise<T> {
    return rpc<T>(this.url, method, ...values);
  }

  private async view(signature: string, values: readonly Word[], block = "latest"): Promise<string[]> {
    const data = await this.ask<string>("eth_call", { to: this.address, data: callData(signature, values) }, block);
    return wordsOf(data);
  }

  private async block(which: string): Promise<Block | null> {
    return await this.ask<Block | null>("eth_getBlockByNumber", which, false);
  }

  async terms(): Promise<BankTerms> {
    // A chain without news has an old last block. The one that is being made tells the time better.
    const [pending, latest] = await Promise.all([this.block("pending").catch(() => null), this.block("latest")]);
    return {
      chain: this.chain,
      bank: this.address,
      chip_cost: written(this.chipCost),
      step_time: this.stepTime,
      faucet: 0,
      trusted: d.node.trusted(new URL(this.url).host),
      now: Math.max(Number(pending?.timestamp ?? 0), Number(latest?.timestamp ?? 0)),
    };
  }

  async height(): Promise<number> {
    return Number(await this.ask<string>("eth_blockNumber"));
  }

  async account(owner: string): Promise<Account> {
    const [[available, open, key], purse] = await Promise.all([
      this.view("getAccount(address)", [owner]),
      this.ask<string>("eth_getBalance", owner, "latest"),
    ]);
    return {
      available: written(BigInt("0x" + available)),
      open_games: Number("0x" + open),
      key: spelled(key.slice(24)),
      purse: written(BigInt(purse)),
    };
  }

  async next(croupier: string, player: string): Promise<number | string> {
    const [number] = await this.view("getNextGameId(address,address)", [croupier, player]);
    return written(BigInt("0x" + number));
  }

  async game(key: string, confirmations = 0): Promise<BankGame> {
    const then = confirmations ? Math.max(0, await this.height() - confirmations) : null;
    const found = await this.view("getGame(bytes32)", [fromHex(key)], then === null ? "latest" : quantity(then));
    const [name, ...numbers] = found.length ? found : Array(6).fill("0".repeat(64)); // the Bank is younger than that
    const [step, outcome, deadline, order, hand] = numbers.map((one) => Number("0x" + one));
    return { bet_hash: name, step, outcome, deadline, order, hand };
  }

  async events(key: string, since: number): Promise<BankEvent[]> {
    const logs = await this.ask<Log[]>("eth_getLogs", {
      address: this.address,
      fromBlock: quantity(since),
      toBlock: "latest",
      topics: [null, "0x" + key],
    });
    return logs.flatMap(({ topics, data }) => eventOf(topics[0].slice(2), wordsOf(data)));
  }

  /** What should stay outside of the Bank, so that this browser can act when the Croupier does not. In wei. */
  async upkeep(): Promise<bigint> {
    const { base, tip } = await this.price();
    return UPKEEP * (base + tip);
  }

  private async price(): Promise<{ base: bigint; tip: bigint }> {
    const [latest, tip] = await Promise.all([
      this.block("latest"),
      this.ask<string>("eth_maxPriorityFeePerGas").then(BigInt, () => USUAL_TIP),
    ]);
    return { base: BigInt(latest?.baseFeePerGas ?? 0), tip };
  }

  // Sending

  async send(signer: Signer, made: BankCall): Promise<void> {
    const name = `letter/${this.chain}/${signer.address}`;
    const before = await thing(name) as unknown as Letter | null | undefined;
    const wanted = JSON.stringify(made);
    if (before) {
      const done = await this.delivered(signer, name, before);
      if (done && before.made === wanted) return; // this is the call that was on its way
    }
    const { data, value } = encoded(made);
    const call = { from: signer.address, to: this.address, data, value: quantity(value) };
    await this.ask("eth_call", call, "pending");
    const gas = BigInt(await this.ask<string>("eth_estimateGas", call, "pending")) * 13n / 10n;
    const { base, tip } = await this.price();
    if (!made.bet && base + tip > DEAREST) throw new Problem(409, "bank/dear", d.node.dear);
    const nonce = Number(await this.ask<string>("eth_getTransactionCount", signer.address, "pending"));
    const draft = { chain: this.chain, nonce, tip, most: 2n * base + tip, gas, to: this.address, value, data };
    const { raw, hash } = signedTransaction(signer, draft);
    const letter: Letter = { made: wanted, draft: plain(draft), hashes: [hash], raw };
    await keepThing(name, letter as unknown as Json);
    if (!await this.delivered(signer, name, letter)) throw new Problem(409, "bank/refused", d.node.overtaken);
  }

  /** Waits until a letter is in a block. False: it, or another in its place, did nothing. */
  private async delivered(signer: Signer, name: string, letter: Letter): Promise<boolean> {
    const until = Date.now() + PATIENCE;
    for (let pause = FIRST_LOOK;; pause = Math.min(2 * pause, LONGEST_PAUSE)) {
      for (const hash of letter.hashes) {
        const receipt = await this.ask<Receipt | null>("eth_getTransactionReceipt", hash);
        if (!receipt) continue;
        await keepThing(name, null);
        return Number(receipt.status) === 1;
      }
      const count = Number(await this.ask<string>("eth_getTransactionCount", signer.address, "latest"));
      if (count > Number(letter.draft.nonce)) {
        await keepThing(name, null);
        return false;
      }
      if (Date.now() > until) throw new Problem(0, "bank/away", d.node.slow);
      letter = await this.offered(signer, name, letter);
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }

  /** Hands the letter to the node, dearer and under the same number if gas has become too dear for it. */
  private async offered(signer: Signer, name: string, letter: Letter): Promise<Letter> {
    const { base, tip } = await this.price();
    let now = letter;
    if (BigInt(letter.draft.most) < base) {
      const before = thawed(letter.draft);
      const more = (was: bigint, market: bigint) => was * 5n / 4n + 1n > market ? was * 5n / 4n + 1n : market;
      const draft = { ...before, tip: more(before.tip, tip), most: more(before.most, 2n * base + tip) };
      const { raw, hash } = signedTransaction(signer, draft);
      now = { ...letter, draft: plain(draft), raw, hashes: [...letter.hashes, hash] };
      await keepThing(name, now as unknown as Json);
    }
    try {
      await this.ask("eth_sendRawTransaction", now.raw);
    } catch (error) {
      if (!(error instanceof Problem) || error.isAway) throw error; // what it has already, it need not take again
    }
    return now;
  }
}

const plain = (draft: Draft): Letter["draft"] => ({
  ...draft,
  tip: String(draft.tip),
  most: String(draft.most),
  gas: String(draft.gas),
  value: String(draft.value),
});
const thawed = (draft: Letter["draft"]): Draft => ({
  chain: Number(draft.chain),
  nonce: Number(draft.nonce),
  tip: BigInt(draft.tip),
  most: BigInt(draft.most),
  gas: BigInt(draft.gas),
  to: String(draft.to),
  value: BigInt(draft.value),
  data: String(draft.data),
});

/** A call as the contract takes it, and the money that travels with it. */
function encoded(made: BankCall): { data: string; value: bigint } {
  const bet = made.bet ? betWords(made.bet as BetFields) : [];
  const text = (name: string) => String(made[name]);
  const seed = () => [fromHex(text("seed").slice(0, 64)), ...signatureWords(text("seed").slice(64))];
  const order = () => made.order as number[];
  const signature = (name: string) => signatureWords(text(name));
  const call = (types: string, ...values: Word[]) => ({ data: callData(`${made.call}(${types})`, values), value: 0n });
  switch (made.call) {
    case "submitPublicKey":
      return call(`address,${SIGNATURE}`, text("key"), ...signature("proof"));
    case "depositFunds":
      return { ...call(""), value: BigInt(text("amount")) };
    case "withdrawFunds":
      return call("uint256", BigInt(text("amount")));
    case "submitPlayerSeedAndOrder":
      return call(
        `${BET},bytes32,${SIGNATURE},${SIGNATURE},uint8[5],${SIGNATURE}`,
        ...bet,
        ...seed(),
        ...signature("croupiers"),
        ...order(),
        ...signature("signature"),
      );
    case "submitReplacementOrder":
      return call(`${BET},uint8[5],${SIGNATURE}`, ...bet, ...order(), ...signature("signature"));
    case "submitPlayerSeedAndResult":
      return call(`${BET},bytes32,${SIGNATURE},${SIGNATURE}`, ...bet, ...seed(), ...signature("croupiers"));
    default: // complaints, and the result of a game that is decided
      return call(BET, ...bet);
  }
}

const SEED_TOLD = selector(`CroupierSeedSubmitted(bytes32,uint8,bytes32,${SIGNATURE},uint256)`);
const SETTLED = selector("GameSettled(bytes32,uint40,uint8,uint256)");
const FORFEITED = selector("CroupierForfeited(bytes32,uint256)");

/** The events that the Player reads, in the words of the ledger. */
function eventOf(topic: string, words: readonly string[]): BankEvent[] {
  if (topic === SEED_TOLD) {
    const [id, nonce, v, r, s] = words;
    return [{ event: "CroupierSeedSubmitted", seedId: Number("0x" + id), nonce, signature: r + s + v.slice(62) }];
  }
  if (topic === SETTLED) return [{ event: "GameSettled", prize: written(BigInt("0x" + words[2])) }];
  if (topic === FORFEITED) return [{ event: "CroupierForfeited", penalty: written(BigInt("0x" + words[0])) }];
  return [];
}

/** Why the contract refused a call, by its name for it. */
function refusal({ message, data }: NodeError): string {
  const bytes = typeof data === "string" ? data : "";
  const found = ERRORS.find((error) => bytes.startsWith("0x" + selector(error).slice(0, 8)));
  return found ? found.slice(0, found.indexOf("(")) : message;
}

async function rpc<T>(url: string, method: string, ...values: unknown[]): Promise<T> {
  let answer: { result?: T; error?: NodeError };
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: values }),
      referrerPolicy: "no-referrer",
      credentials: "omit",
    });
    answer = await response.json();
  } catch {
    throw new Problem(0, "bank/away", d.node.away(new URL(url).host));
  }
  if (answer.error) throw new Problem(409, "bank/refused", d.node.refused(refusal(answer.error)));
  return answer.result as T;
}
