/** The Player's key: saved in a file, taken from one, or changed for one that was used here before. Nothing is lost. */
import { useEffect, useRef, useState } from "preact/hooks";
import { aboutKey, exported, opened, otherKeys, useKey, useOther } from "../desk/keys.ts";
import * as p from "../desk/player.ts";
import * as s from "../desk/shown.ts";
import { saveFile } from "../pages/save.ts";
import { short } from "../words.ts";
import { d } from "../words/croupier.ts";

const shortly = (address: string) => short(address.slice(2));

/** `holds`: what the key that is used now has, in words. */
export function KeyRing({ holds, busy, onChain }: { holds: string; busy: boolean; onChain: boolean }) {
  const [asking, setAsking] = useState<"" | "export" | "import">("");
  const [said, setSaid] = useState("");
  const [about, setAbout] = useState("");
  const [others, setOthers] = useState<string[]>([]);
  /** A key that was opened, and is used when the person says so. */
  const [found, setFound] = useState<{ secret: Uint8Array; address: string } | null>(null);
  const [asks, setAsks] = useState(false);
  const look = async () => {
    const { origin, saved } = await aboutKey();
    setAbout(d.key.about(origin, saved));
    setOthers((await otherKeys()).filter((address) => address !== s.address.value));
  };
  useEffect(() => void look(), [s.address.value]);

  const change = async (how: () => Promise<void>) => {
    await how();
    setFound(null);
    setAsks(false);
    setAsking("");
    setSaid(d.key.done);
    await p.open();
    await look();
  };
  const save = async (given: FormData) => {
    const passphrase = String(given.get("passphrase"));
    if (passphrase !== given.get("again")) return setSaid(d.key.differ);
    saveFile(`fairground-key-${s.address.value.slice(2, 8)}.json`, await exported(passphrase));
    setSaid(d.key.saved);
    setAsking("");
    setAsks(found !== null);
    await look();
  };
  const open = async (given: FormData) => {
    const key = await opened(await (given.get("file") as File).text(), String(given.get("passphrase")));
    if (!key) return setSaid(d.key.wrong);
    if (key.address === s.address.value) return setSaid(d.key.same);
    setSaid("");
    setFound(key);
    setAsks(true);
  };
  return (
    <>
      <h3>{d.key.title}</h3>
      {!onChain && <p class="mono small" title={s.address.value}>{shortly(s.address.value)}</p>}
      <p class="small mute">{about} {d.key.whoever}</p>
      <p class="acts">
        <button type="button" class="btn" onClick={() => setAsking(asking === "export" ? "" : "export")}>
          {d.key.export}
        </button>
        <button
          type="button"
          class="btn"
          disabled={busy}
          onClick={() => setAsking(asking === "import" ? "" : "import")}
        >
          {d.key.import}
        </button>
      </p>
      {asking && (
        <form
          class="stack"
          key={asking}
          onSubmit={(event) => {
            event.preventDefault();
            void (asking === "export" ? save : open)(new FormData(event.currentTarget));
          }}
        >
          {asking === "import" && (
            <p class="field">
              <label for="key-file">{d.key.file}</label>
              <input id="key-file" type="file" name="file" accept=".json" required />
            </p>
          )}
          <Passphrase name="passphrase" label={d.key.passphrase} fresh={asking === "export"} />
          {asking === "export" && <Passphrase name="again" label={d.key.again} fresh />}
          <button type="submit" class="btn go">{asking === "export" ? d.key.exportIt : d.key.importIt}</button>
        </form>
      )}
      {said && <p class="small" role="status">{said}</p>}
      {found && asks && (
        <Instead
          address={found.address}
          holds={holds}
          onSave={() => {
            setAsks(false);
            setAsking("export");
            setSaid(d.key.saveFirst);
          }}
          onUse={() => void change(() => useKey(found.secret))}
          onKeep={() => setAsks(false)}
        />
      )}
      {others.length > 0 && (
        <>
          <h3>{d.key.others}</h3>
          <ul class="list">
            {others.map((address) => (
              <li key={address}>
                <span class="mono small">{shortly(address)}</span>
                <button type="button" class="btn" disabled={busy} onClick={() => void change(() => useOther(address))}>
                  {d.key.use}
                </button>
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}

function Passphrase({ name, label, fresh }: { name: string; label: string; fresh: boolean }) {
  const id = `key-${name}`;
  return (
    <p class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        name={name}
        type="password"
        autocomplete={fresh ? "new-password" : "current-password"}
        minLength={fresh ? 8 : undefined}
        required
        title={fresh ? d.key.short : undefined}
      />
    </p>
  );
}

/** Asks before another key is used, and says what the present one holds. */
function Instead({ address, holds, onSave, onUse, onKeep }: {
  address: string;
  holds: string;
  onSave: () => void;
  onUse: () => void;
  onKeep: () => void;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} class="sheet" aria-labelledby="instead-title" onClose={onKeep}>
      <h2 id="instead-title">{d.key.instead}</h2>
      <p>{d.key.insteadText(shortly(s.address.value), holds, shortly(address))}</p>
      <p class="small mute">{d.key.stays}</p>
      <div class="act">
        <button type="button" class="btn go" onClick={onSave}>{d.key.saveOld}</button>
        <button type="button" class="btn" onClick={onUse}>{d.key.useNew}</button>
        <button type="button" class="btn quiet" onClick={onKeep}>{d.key.keepOld}</button>
      </div>
    </dialog>
  );
}
