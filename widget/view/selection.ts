/** Keeps what the visitor has selected in an answer while more is written into it. */

/** @returns what selects the same again, once the answer has been drawn anew */
export function keepSelection(body: HTMLElement | null): () => void {
  const root = body?.getRootNode();
  const selection = getSelection();
  const range = root instanceof ShadowRoot && selection?.getComposedRanges?.({ shadowRoots: [root] })[0];
  if (!body || !selection || !range || range.collapsed) return () => {};
  const { startContainer, startOffset, endContainer, endOffset } = range;
  if (!body.contains(startContainer) && !body.contains(endContainer)) return () => {};
  const start = [startContainer, startOffset] as const;
  const end = [endContainer, endOffset] as const;
  const [from, to] = selection.direction === 'backward' ? [end, start] : [start, end];
  return () => {
    if (startContainer.isConnected && endContainer.isConnected) selection.setBaseAndExtent(...from, ...to);
  };
}
