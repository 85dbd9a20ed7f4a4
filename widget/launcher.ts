/** The round button of the normal style, made without a framework: it is all there is before the first intent. */
export function createLauncher(onLeft: boolean): HTMLButtonElement {
  const button = document.createElement('button');
  button.className = onLeft ? 'launcher left' : 'launcher';
  button.part.value = 'launcher';
  button.ariaLabel = 'Open chat';
  button.ariaExpanded = 'false';
  button.ariaHasPopup = 'dialog';
  return button;
}
