/** What the page says of a set of dice is true of these dice. */
import { circle, summary } from "../games/intransitive.tsx";

const said = (...dice: string[]): string => {
  const faces = dice.map((die) => die.split(",").map(BigInt));
  return summary(faces, circle(faces)).join(" ");
};

function same(found: string, wanted: string): void {
  if (found !== wanted) throw new Error(`${found}\n${wanted}`);
}

Deno.test("the dice of the source beat each other in a circle", () => {
  same(
    said("2,2,4,4,9,9", "6,8,1,1,8,6", "7,5,3,7,5,3"),
    "A beats B beats C beats A. Each die is beaten by another, so whoever chooses second has the better of it.",
  );
});

Deno.test("a best die is named, beside a circle too", () => {
  same(said("1", "2", "3"), "No circle here. C beats every other die.");
  same(said("2,4,9", "1,6,8", "3,5,7", "10"), "A beats B beats C beats A. D beats every other die.");
});

Deno.test("equal dice and ties", () => {
  same(said("1", "1", "1"), "No circle here. No die beats another.");
  same(said("1", "3", "3"), "No circle here. No die beats B or C.");
});

Deno.test("a circle beyond the first six dice is found", () => {
  const found = said("0", "0", "0", "0", "0", "0", "2,4,9", "1,6,8", "3,5,7");
  if (!found.startsWith("G beats H beats I beats G.")) throw new Error(found);
});
