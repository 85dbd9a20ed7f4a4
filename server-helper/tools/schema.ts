/** Whether a JSON Schema is one that values can be held to: a broken one would be found out by the first visitor. */

type Check = (value: unknown, root: object) => boolean;

const types = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'];

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isType: Check = (value) => [value].flat().every((one) => types.includes(one as string));
const isStrings: Check = (value) => Array.isArray(value) && value.every((one) => typeof one === 'string');
const isCount: Check = (value) => Number.isInteger(value) && (value as number) >= 0;
const isNumber: Check = (value) => typeof value === 'number' && Number.isFinite(value);
const isSchemas: Check = (value, root) =>
  Array.isArray(value) && value.length > 0 && value.every((one) => isSchema(one, root));
const isNamed =
  (check: Check): Check =>
  (value, root) =>
    isObject(value) && Object.values(value).every((one) => check(one, root));
const isPattern: Check = (value) => {
  try {
    return typeof value === 'string' && new RegExp(value, 'u') instanceof RegExp;
  } catch {
    return false;
  }
};
/** Nothing is fetched: it points into the schema itself. */
const isReference: Check = (value, root) => {
  if (typeof value !== 'string' || !/^#(\/|$)/.test(value)) return false;
  const steps = decodeURIComponent(value).split('/').slice(1);
  let found: unknown = root;
  for (const step of steps) {
    const name = step.replace(/~1/g, '/').replace(/~0/g, '~');
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, name)) return false;
    found = (found as Record<string, unknown>)[name];
  }
  return isObject(found) || typeof found === 'boolean';
};
const isSchema: Check = (value, root) =>
  typeof value === 'boolean' ||
  (isObject(value) &&
    Object.entries(value).every(([keyword, given]) =>
      Object.hasOwn(keywords, keyword) ? keywords[keyword]?.(given, root) : true,
    ));

/** Of JSON Schema 2020-12, those that values are held to. Others, such as `default`, say nothing of them. */
const keywords: Record<string, Check> = {
  type: isType,
  enum: Array.isArray,
  required: isStrings,
  pattern: isPattern,
  format: (value) => typeof value === 'string' && /^[a-z][a-z-]*$/.test(value),
  $ref: isReference,
  $defs: isNamed((value, root) => isSchema(value, root)),
  definitions: isNamed((value, root) => isSchema(value, root)),
  properties: isNamed((value, root) => isSchema(value, root)),
  dependentSchemas: isNamed((value, root) => isSchema(value, root)),
  dependentRequired: isNamed(isStrings),
  patternProperties: (value, root) =>
    isNamed(isSchema)(value, root) &&
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
  uniqueItems: (value) => typeof value === 'boolean',
};

/** Of an object, with keywords that are as they should be, references that lead somewhere and patterns that compile. */
export function isObjectSchema(value: unknown): value is Record<string, unknown> {
  try {
    return isObject(value) && value.type === 'object' && isSchema(value, value);
  } catch {
    // Round, or with an escape in a reference that is none.
    return false;
  }
}
