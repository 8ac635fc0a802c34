import { barText, digits, ratioText, withUnit } from "./print.ts";
import { type Figure, meets, type Run } from "./result.ts";

/** What a benchmark measures and how to read it; the numbers come from the run. */
type Chapter = { readonly title: string; readonly says: readonly string[]; readonly plot?: string };

const CHAPTERS: Readonly<Record<string, Chapter>> = {
  "settle-hot": {
    title: "Settling: one hot wallet",
    says: [
      "Payments of R$ 100.00 into one wallet, with a fee and two split legs, through the lane as the applier of notifications calls it. Every row is written: four transfers, five ledger accounts, charge, received Pix, two movements, event, delivery.",
      "Two floors are measured in the same rounds, each on a tenant of its own in the same database. *One transaction each* is a settlement as it is usually written: `for no key update` on the tenant's row, then statement after statement, on 16 connections. *One multi-row statement* is the least that the database has to do: what the lane writes for 500 settlements is read back from a copy of the database and written as a single statement with ready-made parameters. The lane additionally reads, locks and decides. `pixgate verify` is clean after the run, for the floors' tenants too: they wrote the same rows.",
      "With `--pgledger` and the folder of a checkout of [pgledger](https://github.com/pgr0ss/pgledger), which is fetched by whoever runs it, its postings are measured in the same rounds, on the same server: the four transfers between five accounts in one call, on 16 connections, without charge, received Pix, event and delivery.",
    ],
    plot: "Settlements into one wallet",
  },
  "settle-spread": {
    title: "Settling: many wallets",
    says: [
      "The same payments into the wallets of many tenants, each wallet as likely as the other or by Zipf (the second half as likely as the first, and so on), beside one hot wallet in the same rounds. More tenants in a batch are more rows to lock, and more balances to write: a hot wallet's balance is written once for a batch, however many payments it had.",
    ],
    plot: "Settlements into many wallets",
  },
  "withdraw-exact": {
    title: "Withdrawals beside payments",
    says: [
      "Half of the calls pay a wallet, half withdraw what one payment leaves, so that the wallet is nearly empty all the time and some withdrawals are refused. After every load the balances are compared, to the centavo, with what was answered; a difference fails the run.",
    ],
    plot: "Payments and withdrawals on one wallet",
  },
  "charge-http": {
    title: "Charges over HTTP",
    says: [
      "`POST /pix` on a gateway in its own process, with the simulator (which keeps books and writes them to the disk) and with a bare PSP that answers from memory after 0 and 50 ms. Load, gateway, PSP and PostgreSQL share the machine. *Added* is the time of a charge less the PSP's own time for the same order, both one at a time and in turns; its floor is two rows committed one after the other, since the gateway stores the order before it calls the PSP, and the outcome before it answers. CPU, statements, round trips (a statement sent when nothing else is under way on its connection) and log are those of the whole gateway, loops included, divided by the charges.",
      "*Overload* offers three times the best rate for some seconds over 4,096 open connections, without waiting for answers; counting starts when the number of calls under way has stopped growing. The best rate is measured just before, in turns with it. Beside it stands a bare node server that refuses everything: the time that as many refusals need is lost for everything else on the one thread. Latency counts from when a call was due.",
    ],
    plot: "POST /pix",
  },
  "notify-to-webhook": {
    title: "From notification to webhook",
    says: [
      "A bare PSP pays charges and notifies the gateway, which stores the notification, confirms it with the PSP, settles, and delivers the webhook to a sink. The time is from the sending of the notification to the arrival of the webhook. *Sustained*: all at once, from the first notification to the last webhook.",
    ],
  },
  deliver: {
    title: "Delivering webhooks",
    says: [
      "Deliveries that wait as rows are claimed, signed, sent to a sink, marked and logged. The floor is a loop that sends the same headers and bodies through undici and does nothing else. *Beside* one endpoint that hangs and one that fails, both with rows waiting, and then with many rows waiting for the one that hangs: against *alone* in the same rounds. Latency is from commit to receipt.",
    ],
  },
  read: {
    title: "Reading",
    says: [
      "A wallet with most of the lines, and one with a tenth of them in the same tables. Each page is asked for at a random or given depth, of both in turns, call by call; the ratio says what ten times the history costs. The lines are made by the database itself, with indexes built after; then the auditor checks all of them, so that this first check does not disturb the measurement; if it finds broken books, the run reports a problem.",
    ],
    plot: "Reads",
  },
  search: {
    title: "Searching over all accounts",
    says: [
      "The statements of one search by an operator, over all accounts, for a charge that is drawn anew each time. The charges are of a hundred tenants and a hundred days; each has a payer, an e-mail address and a reference of its own, and an amount that a hundred thousandth of them share. The database makes them itself, with indexes built after.",
    ],
  },
  growth: {
    title: "How cost grows",
    says: ["Settling and delivering on two databases of one server, one with ten times the history of the other, in turns. Half of the history is of the measured tenant."],
  },
  qr: { title: "QR pictures", says: ["Different codes each time. The floor is the matrix alone, as the package `qr` makes it; the rest is the PNG and base64."] },
  auth: {
    title: "Tokens",
    says: ["`POST /auth`, and a call with a token (`GET /account`, one query), beside `GET /healthz`, which is what HTTP takes here."],
    plot: "Calls with and without a token",
  },
  start: { title: "Starting", says: ["`npm start` with the embedded PostgreSQL and the simulator, npm included: on an empty folder (the cluster is made), and on the same folder again."] },
}; // biome-ignore format: prose

/** The page of a run. */
export function pageOf({ at, pace, rounds, machine, results }: Run): string {
  const lines = [
    "# Benchmarks",
    "",
    "`npm run bench` measures the real code on a real PostgreSQL, and every ratio against a floor of the same run: both in turns,",
    "round by round, the median shown with the lowest and highest round in brackets. `--only name,name` chooses, `--quick` takes",
    "about three minutes, `--rounds` says how often each is measured, `--lines` how many ledger lines `read` reads among, and charges",
    "`search`. A run leaves a JSON file;",
    "`npm run bench -- --page docs/performance/run.json` writes this page and its plots from one.",
    "",
    `This page is of ${minuteOf(at)}${pace === "full" ? "" : `, a ${pace} run`}${roundsOf(rounds)}. Load, gateway, PSP and database shared this machine:`,
    "",
    "| | |",
    "|---|---|",
    ...Object.entries(machine).map(([name, value]) => `| ${name} | ${value} |`),
    "",
    "Bars are for two cores with nothing else to do; those that this run missed are listed at the end.",
  ];
  for (const { name, figures, curves, of } of results) {
    const { title, says, plot } = CHAPTERS[name] ?? { title: name, says: [] };
    lines.push("", `## ${title}`, "", ...says.flatMap((text) => [text, ""]), `\`npm run bench -- --only ${name}\``, "");
    if (of)
      lines.push(
        `Of a run before this one, ${minuteOf(of.at)}${roundsOf(of.rounds)}; one core: ${of.machine["one core"] ?? "not measured"}.`,
        "",
      );
    if (plot && curves.length > 0) lines.push(`![${plot}](${name}.svg)`, "");
    lines.push("| figure | median | rounds | against | bar |", "|---|---|---|---|---|", ...figures.map(row));
  }
  const missed = results.flatMap(({ name, figures }) =>
    figures
      .filter((figure) => meets(figure) === false)
      .map(
        (figure) =>
          `- ${name}: ${figure.name} (${withUnit(figure.median, figure.unit)}${figure.ratio ? `, ${digits(figure.ratio.median)}×` : ""}; ${barText(figure)})`,
      ),
  );
  lines.push("", "## Bars that this run missed", "", ...(missed.length > 0 ? missed : ["None."]), "");
  return lines.join("\n");
}

const roundsOf = (rounds: number | undefined): string =>
  rounds === undefined ? "" : `, ${rounds === 1 ? "one round" : `${rounds} rounds`}`;

const minuteOf = (at: string): string => `${at.slice(0, 16).replace("T", " ")} UTC`;

function row(figure: Figure): string {
  const { name, unit, median, low, high, rounds } = figure;
  const spread = rounds > 1 ? `${digits(low)} to ${digits(high)}` : "";
  return `| ${[name, withUnit(median, unit), spread, ratioText(figure), barText(figure)].join(" | ")} |`;
}

/** Titles of the plots, by benchmark. */
export const plotTitle = (name: string): string | undefined => CHAPTERS[name]?.plot;
