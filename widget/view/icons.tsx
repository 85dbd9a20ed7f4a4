/** The few shapes the widget draws, as plain SVG. */

const paths = {
  close: 'M6 6l12 12M18 6L6 18',
  send: 'M12 19V5M5.5 11.500L12 5l6.5 6.5',
  stop: 'M7.5 7.500h9v9h-9z',
  plus: 'M12 5v14M5 12h14',
  list: 'M5 7h14M5 12h14M5 17h9',
  larger: 'M14 5h5v5M10 19H5v-5M19 5l-5 5M5 19l5-5',
  smaller: 'M19 10h-5V5M5 14h5v5M19 5l-5 5M5 19l5-5',
  back: 'M14.5 5.500L8 12l6.5 6.5',
  retry: 'M5.5 12a6.5 6.5 0 1 0 2-4.700M5.5 4.500v4h4',
} as const;

/** @param path of a shape that is drawn only by a piece loaded later, which keeps it */
export function Icon({ name, path }: { name?: keyof typeof paths; path?: string }) {
  return (
    <svg viewBox="0 0 24 24" width="20" height="20" aria-hidden="true" focusable="false">
      <path
        d={path ?? (name && paths[name])}
        fill={name === 'stop' ? 'currentColor' : 'none'}
        stroke="currentColor"
        stroke-width="1.8"
        stroke-linecap="round"
        stroke-linejoin="round"
      />
    </svg>
  );
}
