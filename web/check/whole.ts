/** What a scheme says of a whole record: the bet and the order under `croupier/1`; and remarks. */
import type { Story } from "./table.ts";
import { quoted } from "./words.ts";

export interface Whole {
  /** The order is not signed. */
  unsigned: boolean;
  remarks: string[];
}

export function whole(story: Story): Whole {
  const remarks: string[] = [];
  const unsigned = story.scheme.isUnsigned?.(story, remarks) ?? false;
  if (story.lines[0].event.dealer === "croupier-2017/0") remarks.push("UNSAFE: croupier-2017/0 proves nothing");
  for (const { seat, by, reason, line } of story.departures) {
    const says = by === "seat" ? "the record says" : "the house says";
    remarks.push(`line ${line}: ${says} that ${quoted(story.seats[seat].name)} left: ${quoted(reason)}`);
  }
  return { unsigned, remarks };
}
