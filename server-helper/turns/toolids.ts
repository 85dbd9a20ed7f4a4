/** Names a turn's tools for its readers: the agent's execution ids stay in the helper. */

/** @returns the same id for the same execution */
export function createToolIds(): (executionId: string) => string {
  const ids = new Map<string, string>();
  return (executionId) => {
    const id = ids.get(executionId) ?? `tool-${ids.size + 1}`;
    ids.set(executionId, id);
    return id;
  };
}
