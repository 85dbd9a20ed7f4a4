/** The round button of the normal style, made without a framework: it is all there is before the first intent. */

const namespace = 'http://www.w3.org/2000/svg';
const bubble =
  'M4 5.5A2.5 2.5 0 0 1 6.5 3h11A2.5 2.5 0 0 1 20 5.5v8a2.5 2.5 0 0 1-2.5 2.5H11l-4.5 4v-4A2.5 2.5 0 0 1 4 13.5z';

export function createLauncher(onLeft: boolean): HTMLButtonElement {
  const button = document.createElement('button');
  const svg = document.createElementNS(namespace, 'svg');
  const path = document.createElementNS(namespace, 'path');
  button.type = 'button';
  button.className = onLeft ? 'launcher left' : 'launcher';
  button.part.value = 'launcher';
  button.ariaLabel = 'Open chat';
  button.ariaExpanded = 'false';
  button.ariaHasPopup = 'dialog';
  svg.ariaHidden = 'true';
  svg.setAttribute('viewBox', '0 0 24 24');
  path.setAttribute('d', bubble);
  svg.append(path);
  button.append(svg);
  return button;
}
