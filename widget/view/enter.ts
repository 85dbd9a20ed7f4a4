/** Enter, but not the one that ends an input method's composition: 229, since Safari ends that before it tells of the key. */
export const isEnter = (event: KeyboardEvent): boolean =>
  event.key === 'Enter' && !event.isComposing && event.keyCode !== 229;
