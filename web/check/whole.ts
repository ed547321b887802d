/** What a scheme says of a whole record: the bet and the order under `croupier/1`; and remarks. */
import { toHex } from "./bytes.ts";
import { Fault } from "./fault.ts";
import { hasJust, isObject } from "./json.ts";
import { Croupier } from "./schemes/croupier.ts";
import type { Story } from "./table.ts";
import { quoted, shown } from "./words.ts";

export interface Whole {
  /** The order is not signed. */
  unsigned: boolean;
  remarks: string[];
}

export function whole(story: Story): Whole {
  const remarks: string[] = [];
  const unsigned = story.scheme instanceof Croupier && bank(story, story.scheme, remarks);
  if (story.lines[0].event.dealer === "croupier-2017/0") remarks.push("UNSAFE: croupier-2017/0 proves nothing");
  for (const { seat, by, reason, line } of story.departures) {
    const says = by === "seat" ? "as recorded, by their own word" : "as the house says";
    remarks.push(`line ${line}: ${quoted(story.seats[seat].name)} left, ${says}: ${shown(reason)}`);
  }
  return { unsigned, remarks };
}

/** Is the order unsigned? A false signature is a fault. */
function bank(story: Story, { bet }: Croupier, remarks: string[]): boolean {
  const start = story.lines[0].event;
  const { params, public: open } = start;
  const same = isObject(params) && isObject(open) && params.bet === open.bet && params.level === open.level;
  if (start.game !== "bank-poker/1" || !same) throw new Fault("bank/other-bet", "not the game of the bet", 1);
  if (story.seats.some((seat) => seat.by === "house" && seat.lends === "seed")) {
    remarks.push("one program made the seeds of both parties, so the cards prove nothing to the person in front of it");
  }
  if (start.table !== toHex(bet.hash)) remarks.push("line 1: the table does not bear the name of its bet");
  const order = story.decisions.find(({ kind }) => kind === "move");
  if (!order) return false;
  const note = story.lines[order.line - 2].event;
  if (note.kind !== "note" || !isObject(note.body) || !hasJust(note.body, ["order_signature"])) {
    remarks.push(`line ${order.line}: the order is not signed here`);
    return true;
  }
  const move = story.lines[order.line - 1].event.move as number[];
  if (!bet.isOrderSigned(move, note.body.order_signature)) {
    throw new Fault("bank/other-order", "the Player did not sign this order", order.line - 1);
  }
  return false;
}
