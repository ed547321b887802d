/** The standings of a contest, kept fresh by the stream. */
import { useEffect, useState } from "preact/hooks";
import { call } from "../arena/api.ts";
import type { Standings } from "../arena/contests.ts";
import { follow } from "../arena/stream.ts";

export function useStandings(id: string): Standings | null {
  const [standings, setStandings] = useState<Standings | null>(null);
  useEffect(() => {
    let heard = 0;
    const ask = () => {
      const since = ++heard;
      // News that came while we asked are newer than the answer.
      const take = (found: Standings) => heard === since && setStandings(found);
      call<Standings>("GET", `/contest/${encodeURIComponent(id)}/standings`).then(take, () => {});
    };
    ask();
    return follow(`contest:${id}`, {
      missed: ask,
      news: (news) => {
        if (!news.standings) return;
        heard++;
        setStandings(news.standings as unknown as Standings);
      },
    });
  }, [id]);
  return standings;
}
