/**
 * One stream of events for all tabs of this browser.
 *
 * Browsers allow six connections to one arena, for all tabs together. So one tab, the leader, holds the stream and
 * tells the others. Who leads is decided by a lock: when the leader's tab closes, the lock goes to another tab.
 * The stream only brings news. Each tab knows how far it has come and asks for what it missed (`caughtUp`).
 */
import { signal } from "@preact/signals";
import { call, Problem } from "./api.ts";
import { random } from "./secrets.ts";

/** A message of the stream: its topic, and what it says. */
export interface News {
  topic: string;
  [member: string]: unknown;
}

type Listener = {
  news: (news: News) => void;
  /** The stream began anew: something may have been missed. */
  missed: () => void;
};

type Talk =
  | { say: "want"; topics: string[]; from: string }
  | { say: "bye"; from: string }
  | { say: "who" }
  | { say: "news"; news: News }
  | { say: "state"; state: "live" | "lost" }
  | { say: "began" };

/** Whether news come. */
export const connection = signal<"live" | "lost">("live");

const me = random(16);
const channel = new BroadcastChannel("fairground");
const listeners = new Map<string, Set<Listener>>();

const own = () => [...listeners.keys()];

/** Follows a topic until the returned function is called. */
export function follow(topic: string, listener: Listener): () => void {
  const there = listeners.get(topic) ?? new Set();
  listeners.set(topic, there.add(listener));
  announce();
  return () => {
    there.delete(listener);
    if (!there.size) listeners.delete(topic);
    announce();
  };
}

function announce(): void {
  const talk: Talk = { say: "want", topics: own(), from: me };
  channel.postMessage(talk);
  leader?.want(me, own());
}

function tell(news: News): void {
  for (const listener of listeners.get(news.topic) ?? []) listener.news(news);
}

function began(): void {
  for (const there of listeners.values()) for (const listener of there) listener.missed();
}

channel.onmessage = ({ data }: MessageEvent<Talk>) => {
  if (data.say === "want") leader?.want(data.from, data.topics);
  else if (data.say === "bye") leader?.want(data.from, []);
  else if (data.say === "who") announce();
  else if (data.say === "news") tell(data.news);
  else if (data.say === "state") connection.value = data.state;
  else began();
};
addEventListener("pagehide", () => channel.postMessage({ say: "bye", from: me }));
addEventListener("pageshow", (event) => event.persisted && announce());

/** The tab that holds the stream. */
class Leader {
  private readonly wanted = new Map<string, string[]>();
  private topics: string[] = [];
  private ticket = "";
  private source: EventSource | null = null;
  private cursor = "";
  private patience = 500;
  private working = false;

  constructor() {
    channel.postMessage({ say: "who" });
    this.want(me, own());
  }

  want(tab: string, topics: string[]): void {
    if (topics.length) this.wanted.set(tab, topics);
    else this.wanted.delete(tab);
    this.work();
  }

  /** Brings the stream's topics to what is wanted. One step at a time. */
  private async work(): Promise<void> {
    if (this.working) return;
    this.working = true;
    try {
      for (;;) {
        const all = [...new Set([...this.wanted.values()].flat())].sort();
        const add = all.filter((topic) => !this.topics.includes(topic));
        const drop = this.topics.filter((topic) => !all.includes(topic));
        if (this.source && !add.length && !drop.length) break;
        if (!all.length && !this.source) break;
        if (this.source) await call("POST", this.ticket, { add, drop });
        else await this.begin(all);
        this.topics = all;
        this.patience = 500;
      }
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      this.lost();
    } finally {
      this.working = false;
    }
  }

  private async begin(topics: string[]): Promise<void> {
    const after = this.cursor || undefined;
    const { stream } = await call<{ stream: string }>("POST", "/events", { topics, after });
    this.ticket = new URL(stream, location.origin).pathname;
    const source = this.source = new EventSource(this.ticket);
    for (const kind of ["table", "seat", "lobby", "contest", "croupier", "gone"]) {
      source.addEventListener(kind, (event) => this.hear(event as MessageEvent<string>));
    }
    source.onopen = () => this.state("live");
    source.onerror = () => {
      this.state("lost");
      if (source.readyState === EventSource.CLOSED) this.lost();
    };
    channel.postMessage({ say: "began" });
    began();
  }

  private hear(event: MessageEvent<string>): void {
    this.cursor = event.lastEventId;
    const news = JSON.parse(event.data) as News;
    channel.postMessage({ say: "news", news });
    tell(news);
  }

  private state(state: "live" | "lost"): void {
    if (connection.value === state) return;
    connection.value = state;
    channel.postMessage({ say: "state", state });
  }

  /** The arena is away, or does not know our ticket any more: begin again, a little later each time. */
  private lost(): void {
    this.source?.close();
    this.source = null;
    this.topics = [];
    this.state("lost");
    setTimeout(() => this.work(), this.patience);
    this.patience = Math.min(this.patience * 2, 8000);
  }
}

let leader: Leader | null = null;
function lead(): Promise<never> {
  leader = new Leader();
  return new Promise(() => {}); // held as long as this tab lives
}
// Without a safe connection browsers have no locks. Then each tab has a stream of its own.
void (navigator.locks?.request("fairground/stream", lead) ?? lead());
