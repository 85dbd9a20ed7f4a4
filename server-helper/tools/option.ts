/** The option `tools`: what the site's own backend does for the agent, checked as every option is. */

import { type Schema, Validator } from '@cfworker/json-schema';
import { readOneOf, toWrong } from '../option.ts';
import { isObject, isObjectSchema } from './schema.ts';

/** For whom a tool runs: as the helper knows it, never as the agent says. */
export type ToolVisitor =
  | { kind: 'anonymous'; member: false }
  | {
      kind: 'identified';
      /** What the SSO token said; where it named an `external_id` (or `sub`), that alone is known later. */
      externalId?: string;
      /** Its letters of ASCII in lower case. */
      email?: string;
      /** Of the agent's project, as its last sign-in said. */
      member: boolean;
    };

export type SiteTool = {
  /** What it does. The visitor who is asked to allow it reads it where the agent gives no words of its own. */
  description: string;
  /** JSON Schema (2020-12) of an object: what does not fit is refused before anything runs. */
  parameters: object;
  /** `staff_only`: for members of the agent's project alone. Default `public_safe`. */
  access?: 'public_safe' | 'staff_only';
  /** `never` is for what only reads: default `always`, which asks the visitor each time. */
  approval?: 'always' | 'never';
  /**
   * Called once for each time the agent asks, within 10 s, after which `signal` aborts.
   *
   * @param values as `parameters` allows them; a language model may have written them on the word of a visitor
   * @returns JSON of at most 64 KB, for the agent to see; `{ error: string }` tells it why it was not done.
   *   What is thrown is logged, and the agent is told no more than that it failed.
   */
  run(values: Record<string, unknown>, visitor: ToolVisitor, signal: AbortSignal): unknown;
};

/** As the helper works with it. */
export type ReadTool = Required<Omit<SiteTool, 'parameters'>> & {
  name: string;
  /** Says what is wrong with the values, if anything is. */
  refuse(values: Record<string, unknown>): string | undefined;
};

const fields: Readonly<Record<keyof SiteTool, true>> = {
  description: true,
  parameters: true,
  access: true,
  approval: true,
  run: true,
};
/** The agent's own, which a visitor answers. */
const taken = ['ask_user', 'accept_plan'];
const names = `names of 1 to 64 letters, digits and _, beginning with a letter, other than ${taken.join(' and ')}`;

/** @throws TypeError naming the tool and the field */
export function readTools(name: string, value: unknown): ReadonlyMap<string, ReadTool> {
  if (value === undefined) return new Map();
  if (!isPlain(value)) throw toWrong(name, 'an object of tools by their names');
  return new Map(
    Object.entries(value).map(([tool, given]) => [tool, readTool(`${name}.${tool}`, tool, given)]),
  );
}

function readTool(at: string, name: string, given: unknown): ReadTool {
  if (!/^[a-z]\w{0,63}$/i.test(name) || taken.includes(name))
    throw toWrong('tools', `an object of tools, by ${names}`);
  if (!isObject(given)) throw toWrong(at, 'an object with description, parameters and run');
  const unknown = Object.keys(given).find((field) => !Object.hasOwn(fields, field));
  if (unknown !== undefined)
    throw toWrong(at, `without ${unknown}: a tool has ${Object.keys(fields).join(', ')}`);
  const { description, parameters, access, approval, run } = given as Partial<SiteTool>;
  if (typeof description !== 'string' || description.trim() === '')
    throw toWrong(`${at}.description`, 'words that say what it does');
  if (typeof run !== 'function') throw toWrong(`${at}.run`, 'a function');
  return {
    name,
    description,
    access: readOneOf(`${at}.access`, access, ['public_safe', 'staff_only'], 'public_safe'),
    approval: readOneOf(`${at}.approval`, approval, ['always', 'never'], 'always'),
    run: run.bind(given),
    refuse: readSchema(`${at}.parameters`, parameters),
  };
}

/** Of JSON; what a model gives a tool is short. */
const maxValuesBytes = 64 * 1024;

function readSchema(at: string, schema: unknown): ReadTool['refuse'] {
  const validator = makeValidator(schema);
  if (!validator)
    throw toWrong(
      at,
      'a JSON Schema (2020-12) of an object: { type: "object", properties: { … } }, as the guide tells which',
    );
  return (values) => {
    if (new TextEncoder().encode(JSON.stringify(values)).length > maxValuesBytes)
      return 'parameters: too large';
    // The last is the innermost.
    const wrong = validator.validate(values).errors.at(-1);
    return wrong && `${wrong.instanceLocation.replace(/^#\/?/, '') || 'parameters'}: ${wrong.error}`;
  };
}

function makeValidator(schema: unknown): Validator | undefined {
  try {
    if (!isObjectSchema(schema)) return undefined;
    // A copy: what the site changes later changes nothing here.
    const { $id: _, ...copy } = structuredClone(schema);
    return new Validator(copy as Schema, '2020-12');
  } catch {
    return undefined;
  }
}

/** A Map would pass for an object without tools. */
function isPlain(value: unknown): value is Record<string, unknown> {
  return isObject(value) && [Object.prototype, null].includes(Object.getPrototypeOf(value));
}
