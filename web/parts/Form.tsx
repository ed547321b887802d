/** A form made of a JSON Schema: for parameters, and for moves that are too many to list. */
import { useState } from "preact/hooks";
import type { Schema } from "../arena/api.ts";
import { isObject, type Json, type JsonObject } from "../check/json.ts";
import { capital, told, w } from "../words.ts";

const typeOf = (schema: Schema) => Array.isArray(schema.type) ? schema.type[0] : schema.type;

/** What was typed, as the value that the schema wants. `undefined`: nothing, or nothing that fits. */
export function readValue(text: string, schema: Schema): Json | undefined {
  const typed = text.trim();
  if (typed === "") return undefined;
  if (schema.enum) return schema.enum.find((one) => String(one) === typed);
  const type = typeOf(schema);
  if (type === "integer" || type === "number") return /^-?\d+$/.test(typed) ? Number(typed) : undefined;
  if (type === "boolean") return typed === "true";
  if (type === "array") {
    try {
      const value = JSON.parse(typed);
      if (Array.isArray(value)) return value;
    } catch {
      // not JSON: pieces between blanks, or digits one after the other
    }
    const inner = schema.items?.oneOf?.[0] ?? schema.items ?? {};
    const pieces = /\s/.test(typed) || typeOf(inner) === "string" ? typed.split(/\s+/) : typed.split(/,|(?=\d)/);
    const values = pieces.filter(Boolean).map((piece) => readValue(piece.replace(/^,/, ""), inner));
    return values.includes(undefined) ? undefined : values as Json[];
  }
  return typed;
}

const written = (value: Json | undefined): string =>
  value === undefined || value === null
    ? ""
    : Array.isArray(value)
    ? value.map((one) => Array.isArray(one) ? one.join(",") : String(one)).join(" ")
    : String(value);

/** One field of a form. */
export function Field({ name, schema, value, onChange }: {
  name: string;
  schema: Schema;
  value: string;
  onChange: (text: string) => void;
}) {
  const label = capital(told(schema.title ?? name.replaceAll("_", " ")));
  const hint = schema.description ? told(schema.description) : "";
  const id = `field-${name}`;
  const options = schema.enum ?? (typeOf(schema) === "boolean" ? [true, false] : null);
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {options
        ? (
          <select id={id} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
            {options.map((one) => <option value={String(one)} key={String(one)}>{told(String(one))}</option>)}
          </select>
        )
        : (
          <input
            id={id}
            value={value}
            inputMode={typeOf(schema) === "integer" ? "numeric" : undefined}
            placeholder={written(schema.default)}
            onInput={(event) => onChange(event.currentTarget.value)}
          />
        )}
      {hint && <span class="small mute">{hint}</span>}
    </div>
  );
}

/** The fields of an object, beginning with what is usual. Only what was changed is in the result. */
export function useFields(schema: Schema, without: readonly string[] = []) {
  const [typed, setTyped] = useState<{ [name: string]: string }>({});
  const names = Object.keys(schema.properties ?? {}).filter((name) => !without.includes(name));
  const fields = names.map((name) => {
    const one = schema.properties?.[name] ?? {};
    const isText = !one.enum && typeOf(one) !== "integer";
    const value = typed[name] ?? (isText ? "" : written(one.default));
    return (
      <Field
        key={name}
        name={name}
        schema={one}
        value={value}
        onChange={(text) => setTyped({ ...typed, [name]: text })}
      />
    );
  });
  const value: JsonObject = {};
  for (const name of names) {
    const read = typed[name] === undefined ? undefined : readValue(typed[name], schema.properties?.[name] ?? {});
    if (read !== undefined) value[name] = read;
  }
  return { fields, value, set: (given: { [name: string]: string }) => setTyped({ ...typed, ...given }) };
}

/** A form of its own, for a move. */
export function Form(
  { schema, submit, onSubmit }: { schema: Schema; submit: string; onSubmit: (value: Json) => void },
) {
  const [typed, setTyped] = useState("");
  const { fields, value } = useFields(schema);
  const single = !isObject(schema.properties as Json | undefined);
  const read = single ? readValue(typed, schema) : value;
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault();
        if (read !== undefined) onSubmit(read);
      }}
    >
      {single ? <Field name={w.generic.move} schema={schema} value={typed} onChange={setTyped} /> : fields}
      <button type="submit" class="btn go" disabled={read === undefined}>{submit}</button>
    </form>
  );
}
