/** Whether a JSON Schema is one that values can be held to: a broken one would be found out by the first visitor. */
import { format } from '@cfworker/json-schema';

/** @param through the names of the definitions that led here */
type Check = (value: unknown, root: object, through?: readonly string[]) => boolean;

const types = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'];

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isType: Check = (value) =>
  [value].flat().length > 0 && [value].flat().every((one) => types.includes(one as string));
const isStrings: Check = (value) => Array.isArray(value) && value.every((one) => typeof one === 'string');
const isCount: Check = (value) => Number.isInteger(value) && (value as number) >= 0;
const isNumber: Check = (value) => typeof value === 'number' && Number.isFinite(value);
const isSchemas: Check = (value, root, through) =>
  Array.isArray(value) && value.length > 0 && value.every((one) => isSchema(one, root, through));
const isNamed =
  (check: Check): Check =>
  (value, root, through) =>
    isObject(value) && Object.values(value).every((one) => check(one, root, through));
const isPattern: Check = (value) => {
  try {
    return typeof value === 'string' && new RegExp(value, 'u') instanceof RegExp;
  } catch {
    return false;
  }
};
/** Of a schema, those of its definitions that are as they should be: one that is referred to often is looked at once. */
const sound = new WeakMap<object, Set<string>>();
/** Into its own definitions, and never round: nothing is fetched, and no value is looked at without end. */
const isReference: Check = (value, root, through = []) => {
  const [, group, name] = /^#\/(\$defs|definitions)\/([^/]+)$/.exec(String(value)) ?? [];
  if (group === undefined || name === undefined || through.includes(`${group}/${name}`)) return false;
  const known = sound.get(root) ?? new Set();
  sound.set(root, known);
  if (known.has(`${group}/${name}`)) return true;
  const definitions = (root as Record<string, unknown>)[group];
  const key = decodeURIComponent(name).replace(/~1/g, '/').replace(/~0/g, '~');
  const isSound =
    isObject(definitions) &&
    Object.hasOwn(definitions, key) &&
    isSchema(definitions[key], root, [...through, `${group}/${name}`]);
  if (isSound) known.add(`${group}/${name}`);
  return isSound;
};
const isSchema: Check = (value, root, through) =>
  typeof value === 'boolean' ||
  (isObject(value) &&
    Object.entries(value).every(([keyword, given]) =>
      Object.hasOwn(keywords, keyword)
        ? keywords[keyword]?.(given, root, through)
        : !unheld.includes(keyword) || (value === root && keyword === '$id'),
    ));
/** What the validator takes for another thing, or takes a square of the time for. */
const unheld = [
  '$id',
  '$anchor',
  '$dynamicRef',
  '$dynamicAnchor',
  '$recursiveRef',
  '$recursiveAnchor',
].concat(['dependencies', 'uniqueItems']);

/** Of JSON Schema 2020-12, those that values are held to. Others, such as `default`, say nothing of them. */
const keywords: Record<string, Check> = {
  type: isType,
  enum: (value) => Array.isArray(value) && value.length > 0,
  required: isStrings,
  pattern: isPattern,
  format: (value) => typeof value === 'string' && Object.hasOwn(format, value),
  $ref: isReference,
  ...Object.fromEntries(
    ['$defs', 'definitions', 'properties', 'dependentSchemas'].map((name) => [name, isNamed(isSchema)]),
  ),
  dependentRequired: isNamed(isStrings),
  patternProperties: (value, root, through) =>
    isNamed(isSchema)(value, root, through) &&
    Object.keys(value as object).every((pattern) => isPattern(pattern, root)),
  ...Object.fromEntries(['allOf', 'anyOf', 'oneOf', 'prefixItems'].map((name) => [name, isSchemas])),
  ...Object.fromEntries(
    [
      ...['items', 'contains', 'additionalProperties', 'propertyNames', 'not', 'if', 'then', 'else'],
      ...['unevaluatedItems', 'unevaluatedProperties'],
    ].map((name) => [name, isSchema]),
  ),
  ...Object.fromEntries(
    ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'].map((name) => [name, isNumber]),
  ),
  multipleOf: (value) => typeof value === 'number' && Number.isFinite(value) && value > 0,
  ...Object.fromEntries(
    [
      ...['minLength', 'maxLength', 'minItems', 'maxItems', 'minContains', 'maxContains'],
      ...['minProperties', 'maxProperties'],
    ].map((name) => [name, isCount]),
  ),
};

/** Of an object, with keywords that are held to and as they should be, references that end and patterns that compile. */
export function isObjectSchema(value: unknown): value is Record<string, unknown> {
  try {
    return isObject(value) && value.type === 'object' && isSchema(value, value);
  } catch {
    // Round, or with an escape in a reference that is none.
    return false;
  }
}
