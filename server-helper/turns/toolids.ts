/** Names a turn's tools for its readers: the agent's execution ids stay in the helper. */

/** @returns the same id for the same execution */
export function createToolIds(): (executionId: string) => string {
  // Most turns use none.
  let ids: Map<string, string> | undefined;
  return (executionId) => {
    ids ??= new Map();
    const id = ids.get(executionId) ?? `tool-${ids.size + 1}`;
    ids.set(executionId, id);
    return id;
  };
}
