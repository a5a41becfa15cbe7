/** Pictures of our own, drawn with one line on a grid of 24. They say nothing to those who hear the page: what they stand for is written beside them. */

const PATHS = {
  add: 'M12 5v14M5 12h14',
  archive: 'M4 5h16v4H4zM6 9v10h12V9M10 13h4',
  arrowDown: 'M12 5v14M6 13l6 6 6-6',
  arrowRight: 'M5 12h14M13 6l6 6-6 6',
  arrowUp: 'M12 19V5M6 11l6-6 6 6',
  back: 'M15 5l-7 7 7 7',
  calendar: 'M5 6h14v14H5zM5 10h14M9 3v4M15 3v4',
  check: 'M5 13l4.5 4.5L19 7',
  chevron: 'M6 9l6 6 6-6',
  clock: 'M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16zM12 8v4.5l3 2',
  close: 'M6 6l12 12M18 6L6 18',
  copy: 'M9 9h10v11H9zM5 15V4h10',
  delete: 'M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13M10 11v5M14 11v5',
  download: 'M12 4v11M7 10l5 5 5-5M5 20h14',
  edit: 'M5 19l1-4L16 5l3 3L9 18zM14 7l3 3',
  estimate: 'M7 4h10M7 20h10M8 4c0 5 8 5 8 8s-8 3-8 8M16 4c0 5-8 5-8 8s8 3 8 8',
  filter: 'M4 6h16M7 12h10M10 18h4',
  grip: 'M9 6h.01M15 6h.01M9 12h.01M15 12h.01M9 18h.01M15 18h.01',
  hidden:
    'M5 5l14 14M9.5 6.3A9.5 9.5 0 0 1 12 6c4 0 7 2.5 9 6a15 15 0 0 1-2.3 3M6.3 8A15 15 0 0 0 3 12c2 3.5 5 6 9 6a9 9 0 0 0 4-.9M10 10a2.8 2.8 0 0 0 4 4',
  key: 'M14.5 4a5.5 5.5 0 1 1-4.6 8.5L4 18v2h3v-2h2v-2h2l1-1a5.5 5.5 0 0 1 2.5-11zM16 8h.01',
  keyboard: 'M3 7h18v11H3zM7 11h.01M11 11h.01M15 11h.01M8 15h8',
  link: 'M10 14.5a4 4 0 0 0 5.7 0l3-3a4 4 0 0 0-5.7-5.7l-1 1M14 9.5a4 4 0 0 0-5.7 0l-3 3a4 4 0 0 0 5.7 5.7l1-1',
  more: 'M6 12h.01M12 12h.01M18 12h.01',
  notes: 'M6 5h12M6 10h12M6 15h7',
  offline: 'M4 4l16 16M8.5 15.5a5 5 0 0 1 5-1M5 12a10 10 0 0 1 4-2.6M15 9.3A10 10 0 0 1 19 12M12 19h.01',
  project: 'M4 6h6l2 2h8v11H4z',
  restore: 'M5 12a7 7 0 1 0 2-5M5 4v4h4',
  search: 'M11 5a6 6 0 1 0 0 12 6 6 0 0 0 0-12zM15.5 15.5L20 20',
  settings: 'M4 7h10M18 7h2M16 5v4M4 12h2M10 12h10M8 10v4M4 17h8M16 17h4M14 15v4',
  shown: 'M3 12c2-3.5 5-6 9-6s7 2.5 9 6c-2 3.5-5 6-9 6s-7-2.5-9-6zM12 9.2a2.8 2.8 0 1 0 0 5.6 2.8 2.8 0 0 0 0-5.6z',
  tasks: 'M4 7l1.5 1.5L8 6M4 13l1.5 1.5L8 12M4 19l1.5 1.5L8 18M11 7h9M11 13h9M11 19h9',
  warning: 'M12 4l9 16H3zM12 10v4M12 17h.01',
  webhook: 'M9 8a3 3 0 1 1 4 2.8L11 15M6 13a3 3 0 1 0 3 4h6M18 13a3 3 0 1 1-3 3',
  workflow: 'M4 5h6v5H4zM14 14h6v5h-6zM7 10v6h7',
} as const

export type IconName = keyof typeof PATHS

export function Icon({ name, size = 20 }: { name: IconName; size?: number }) {
  return (
    <svg
      aria-hidden="true"
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth={name === 'grip' || name === 'more' ? 3 : 1.8}
      strokeLinecap="round"
      strokeLinejoin="round"
    >
      <path d={PATHS[name]} />
    </svg>
  )
}
