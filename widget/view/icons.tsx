/** The few shapes the widget draws, as plain SVG. */

const paths = {
  close: 'M6 6l12 12M18 6L6 18',
  send: 'M12 19V5M5.5 11.500L12 5l6.5 6.5',
  stop: 'M7.5 7.500h9v9h-9z',
  plus: 'M12 5v14M5 12h14',
  list: 'M5 7h14M5 12h14M5 17h9',
  back: 'M14.5 5.500L8 12l6.5 6.5',
  copy: 'M9 9V5.500h9.500V15H15M5.5 9H15v9.500H5.500z',
  check: 'M5 12.500l4.5 4.500L19 7.5',
  trash: 'M5 7h14M9.5 7V4.500h5V7M7 7l.8 12.500h8.400L17 7',
  retry: 'M5.5 12a6.5 6.5 0 1 0 2-4.700M5.5 4.500v4h4',
} as const;

export function Icon({ name }: { name: keyof typeof paths }) {
  return (
    <svg viewBox="0 0 24 24" width="20" height="20" aria-hidden="true" focusable="false">
      <path
        d={paths[name]}
        fill={name === 'stop' ? 'currentColor' : 'none'}
        stroke="currentColor"
        stroke-width="1.8"
        stroke-linecap="round"
        stroke-linejoin="round"
      />
    </svg>
  );
}
