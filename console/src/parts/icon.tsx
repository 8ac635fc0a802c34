/** Line drawings of 24 by 24, as paths. */
const PATHS = {
  home: "M4 11 12 4l8 7v8a1 1 0 0 1-1 1H5a1 1 0 0 1-1-1z M10 20v-6h4v6",
  charges: "M4 4h6v6H4z M14 4h6v6h-6z M4 14h6v6H4z M14 14h3v3 M20 14v6h-6 M17 20v-3",
  qrCodes: "M5 3h14v18H5z M9 7h6v6H9z M9 17h6",
  transactions: "M4 8h15 M16 5l3 3-3 3 M20 16H5 M8 13l-3 3 3 3",
  statement: "M4 5h4v5H4z M4 14h4v5H4z M12 6h8 M12 9h5 M12 15h8 M12 18h5",
  withdrawals: "M7 17 17 7 M9 7h8v8",
  blocks: "M6 11h12v9H6z M8.5 11V8a3.5 3.5 0 0 1 7 0v3 M12 15v2",
  wallets: "M4 7a2 2 0 0 1 2-2h11v3 M4 7v11a1 1 0 0 0 1 1h15V8H6a2 2 0 0 1-2-1z M16 13.5h1",
  paymentLinks:
    "M10 14a4 4 0 0 1 0-5.700l3-3a4 4 0 0 1 5.700 5.700l-1.500 1.500 M14 10a4 4 0 0 1 0 5.700l-3 3a4 4 0 0 1-5.700-5.700l1.500-1.500",
  payerPage: "M7 3h10v18H7z M10 8h4 M10 14h4v3h-4z",
  projects: "M4 6h6l2 2h8v11H4z",
  credentials: "M14 10a4 4 0 1 1-2.5-3.7A4 4 0 0 1 14 10z M12.8 12.6 20 20 M17 17l2-2",
  webhooks: "M9 9a3 3 0 1 1 4.6 2.5L16 16 M10 10l-3 6 M7 18.5A2.5 2.5 0 1 1 7 14 M9 17h7 M16 14.5a2.5 2.5 0 1 1 0 5",
  events: "M13 3 5 14h6l-1 7 8-11h-6z",
  team: "M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7z M3 20v-1a5 5 0 0 1 5-5h2a5 5 0 0 1 5 5v1 M16 4.3a3.5 3.5 0 0 1 0 6.4 M18 14.3a5 5 0 0 1 3 4.6V20",
  settings:
    "M12 15a3 3 0 1 0 0-6 3 3 0 0 0 0 6z M12 3v3 M12 18v3 M3 12h3 M18 12h3 M5.6 5.6l2.2 2.2 M16.2 16.2l2.2 2.2 M18.4 5.6l-2.2 2.2 M7.8 16.2l-2.2 2.2",
  search: "M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14z M16 16l5 5",
  more: "M5 11.2a.8.8 0 1 0 0 1.6.8.8 0 1 0 0-1.6z M12 11.2a.8.8 0 1 0 0 1.6.8.8 0 1 0 0-1.6z M19 11.2a.8.8 0 1 0 0 1.6.8.8 0 1 0 0-1.6z",
  top: "M12 19V6 M7 11l5-5 5 5",
  up: "M8 10l4-4 4 4 M8 14l4 4 4-4",
  right: "M9 6l6 6-6 6",
  left: "M15 6l-6 6 6 6",
  down: "M6 9l6 6 6-6",
  close: "M6 6l12 12 M18 6 6 18",
  plus: "M12 5v14 M5 12h14",
  download: "M12 4v11 M7 11l5 5 5-5 M4 20h16",
  help: "M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18z M9.5 9.5a2.5 2.5 0 1 1 3.6 2.2c-.8.4-1.1 1-1.1 1.8 M12 17h.01",
  copy: "M9 9h11v11H9z M5 15H4V4h11v1",
  code: "M8 7l-5 5 5 5 M16 7l5 5-5 5 M14 4l-4 16",
  back: "M9 14 4 9l5-5 M4 9h10a6 6 0 0 1 0 12h-3",
  check: "M5 12.5 10 17l9-10",
  again: "M20 11a8 8 0 0 0-14-4L4 9 M4 4v5h5 M4 13a8 8 0 0 0 14 4l2-2 M20 20v-5h-5",
  overview: "M4 13h4l2-7 4 12 2-5h4",
  accounts: "M4 20V6l8-3v17 M12 9h8v11 M3 20h18 M7 9h2 M7 13h2 M15 13h2 M15 16h2",
  bank: "M3 9l9-5 9 5z M5 9v8 M10 9v8 M14 9v8 M19 9v8 M3 20h18",
  cases: "M4 7h16v13H4z M9 7V4h6v3 M4 13h16",
  calendar: "M4 6h16v14H4z M4 10h16 M8 3v4 M16 3v4",
  treasury:
    "M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18z M12 7v10 M15 9.5c-.5-1-1.600-1.500-3-1.500-3.800 0-3.800 4 0 4s3.800 4 0 4c-1.400 0-2.500-.5-3-1.500",
  books: "M5 4h5a2 2 0 0 1 2 2v14a2 2 0 0 0-2-2H5z M19 4h-5a2 2 0 0 0-2 2v14a2 2 0 0 1 2-2h5z",
  brake: "M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18z M9.500 9v6 M14.500 9v6",
  columns: "M4 5h16v14H4z M9.5 5v14 M14.5 5v14",
  log: "M6 3h9l4 4v14H6z M9 11h7 M9 15h7 M9 7h3",
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name, size = 16 }: { name: IconName; size?: number }) {
  return (
    <svg
      className="unshrinking"
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth={1.75}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      {PATHS[name].split(" M").map((path, i) => (
        <path key={path} d={i === 0 ? path : `M${path}`} />
      ))}
    </svg>
  );
}
