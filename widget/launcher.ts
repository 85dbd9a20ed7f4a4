/** The round button of the normal style, made without a framework: it is all there is before the first intent. */
export function createLauncher(position = ''): HTMLButtonElement {
  const button = document.createElement('button');
  button.className = `launcher ${position}`;
  button.part = 'launcher';
  button.ariaLabel = 'Open chat';
  button.ariaExpanded = 'false';
  return button;
}
